"""The query parameters of lists in the OpenAPI document."""

from collections.abc import Iterator
from typing import Any, Final

from dialer.api.crud.filters import filters_of
from dialer.api.crud.ordering import ORDERED_BY_MAX, ORDERING, orderings_of
from dialer.api.crud.pagination import PAGE_SIZE, PAGE_SIZE_MAX
from dialer.api.crud.resource import Resource
from dialer.api.crud.searching import SEARCH, SEARCH_MAX, is_searchable
from dialer.api.crud.urls import ID_MAX

Json = dict[str, Any]
"""A part of the OpenAPI document."""

_BOUNDS: Final = {
    "after": "At or after this moment.",
    "before": "At or before this moment.",
    "min": "This value or more.",
    "max": "This value or less.",
}


def list_parameters(resource: Resource) -> Iterator[Json]:
    """Yield the query parameters of the list of a resource."""
    schemas = {**_paging(resource), **_searched(resource), ORDERING: _ordering(resource)}
    for name, schema in schemas.items():
        yield {"name": name, "in": "query", "required": False, "schema": schema}
    yield from filter_parameters(resource)


def filter_parameters(resource: Resource) -> Iterator[Json]:
    """Yield the query parameters that select records of a resource, except the search."""
    for name, item in filters_of(resource).items():
        bound = {"description": _BOUNDS[item.bound]} if item.bound else {}
        yield {"name": name, "in": "query", "required": False, **bound, "schema": item.kind.schema().to_schema()}


def search_parameter(resource: Resource) -> Iterator[Json]:
    """Yield the parameter `search`, if the list of a resource has it."""
    for name, schema in _searched(resource).items():
        yield {"name": name, "in": "query", "required": False, "schema": schema}


def _paging(resource: Resource) -> Json:
    paging: Json = {
        "page": {"type": "integer", "minimum": 1, "maximum": ID_MAX},
        "page_size": {
            "type": "integer",
            "minimum": 1,
            "default": PAGE_SIZE,
            "description": f"Records on a page. Values over {PAGE_SIZE_MAX} count as {PAGE_SIZE_MAX}.",
        },
        "cursor": {"type": "string", "description": "Position in the list, from a link to another page."},
    }
    if resource.plain_array:
        del paging["page_size"]["default"]
        paging["page_size"]["description"] += " Without page and page_size, the response has all records."
    if resource.exported:
        paging["format"] = {"type": "string", "enum": ["csv", "ndjson", "json"]}
    return paging


def _searched(resource: Resource) -> Json:
    if not is_searchable(resource):
        return {}
    found = []
    if resource.names:
        found.append(f"The start of a name ({', '.join(resource.names)}), without case and accents.")
    if resource.numbers:
        found.append(f"The start of a phone number ({', '.join(resource.numbers)}), in any spelling.")
    return {SEARCH: {"type": "string", "maxLength": SEARCH_MAX, "description": " ".join(found)}}


def _ordering(resource: Resource) -> Json:
    known = ", ".join(orderings_of(resource))
    most = "One" if resource.is_large else f"Up to {ORDERED_BY_MAX}, separated by commas,"
    return {"type": "string", "description": f"{most} of: {known}. A minus sign before a field reverses its order."}
