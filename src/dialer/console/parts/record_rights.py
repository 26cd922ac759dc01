"""Rights over records in the console: which pages of records there are, and what the viewer may do with them."""

from dialer.api.service import ApiRequest
from dialer.console.words.catalogue import PAGES, RecordPage
from dialer.resources.crud.resource import Resource
from dialer.resources.words.errors import ForbiddenError, RecordNotFoundError


def shown_page(request: ApiRequest, path: str) -> RecordPage:
    """Return the console's description of a resource: title, columns and forms.

    Raises:
        RecordNotFoundError: the console has no such page.
    """
    found = PAGES.get(path)
    if found is None or path not in request.service.resources:
        raise RecordNotFoundError("There is no such page.")
    return found


def checked(request: ApiRequest, found: RecordPage, method: str) -> Resource:
    """Return the resource of a page, if the viewer may do what a method of the API does.

    Raises:
        ForbiddenError: the viewer may not.
        RecordNotFoundError: nobody may.
    """
    resource: Resource = request.service.resources[found.path]
    if method != "GET" and (resource.write is None or method not in resource.methods):
        raise RecordNotFoundError("There is no such page.")
    if not request.user.may(resource.permission(method)):
        raise ForbiddenError
    return resource


def may_read(request: ApiRequest, found: RecordPage) -> bool:
    """Return whether the viewer may open a list."""
    return request.user.may(request.service.resources[found.path].permission("GET"))


def may(request: ApiRequest, resource: Resource, method: str) -> bool:
    """Return whether the resource has a method of the API that writes, and the viewer may use it."""
    return resource.write is not None and method in resource.methods and request.user.may(resource.permission(method))
