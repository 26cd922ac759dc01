"""Forms that ask signed-in users for their password again, because much depends on them (ASVS 7.5)."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final, NamedTuple

from dialer.api.http.auth import origin_of
from dialer.api.http.credentials import Credentials
from dialer.api.service import ApiRequest
from dialer.console.serving.services import ConsoleServices
from dialer.console.serving.signing_in import host_of, retry_after
from dialer.console.words.language import gettext, gettext_noop
from dialer.resources.words.errors import AnsweredError

CURRENT: Final = "current"
"""The field with the password that the user has now."""
WRONG: Final = gettext_noop("This is not your password.")


class Doubt(NamedTuple):
    """The reason why a form was not accepted, in the viewer's language."""

    status: HTTPStatus
    message: str
    headers: Mapping[str, str] = {}


async def doubt_of(request: ApiRequest, console: ConsoleServices, fields: Mapping[str, str]) -> Doubt | None:
    """Return why the password in a form does not prove that the user of the session sent it; None if it does."""
    actor, host = request.user, host_of(request)
    try:
        await console.authenticator.identify_by_password(Credentials(actor.username, fields.get(CURRENT, "")), host)
    except AnsweredError as error:
        route = f"{request.scope['method']} {request.scope['path_template']}"
        console.authenticator.refusals.note(origin_of(actor, host), error.status, route)
        if error.status == HTTPStatus.UNAUTHORIZED:
            return Doubt(HTTPStatus.BAD_REQUEST, gettext(WRONG))
        return Doubt(error.status, gettext(error.detail), retry_after(error))
    return None
