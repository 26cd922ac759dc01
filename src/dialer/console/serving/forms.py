"""Forms of the console: their fields, and the proof that one of our pages sent them."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qsl

from dialer.api.answers.streams import expect_type
from dialer.api.http.body import read_whole
from dialer.api.service import ApiRequest
from dialer.app.work.errors import ErrorCode
from dialer.console.serving.sessions import FORM_COOKIE, CurrentSession, cookie_of, form_token, is_form_token
from dialer.console.words.language import gettext_noop
from dialer.resources.words.errors import AnsweredError, ForbiddenError, MalformedError
from dialer.resources.words.headers import header

FIELD: Final = "csrf"
"""The field in which a form carries its token."""
FORM_BYTES_MAX: Final = 262_144
FIELDS_MAX: Final = 500
STALE: Final = gettext_noop("This form is out of date. Go back, load the page again, and send the form once more.")
FOREIGN: Final = gettext_noop("This form was sent from another site, so nothing was changed.")


async def read_fields(request: ApiRequest, bytes_max: int = FORM_BYTES_MAX) -> dict[str, str]:
    """Return the fields of a form that one of our pages sent. Of fields with one name, the last one counts.

    Raises:
        AnsweredError: it is no form (415), too large (413), malformed (400), or from elsewhere or out of date (403).
    """
    expect_type(request, "application/x-www-form-urlencoded")
    body = await read_whole(request)
    if len(body) > bytes_max:
        raise AnsweredError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The form is too large.")
    try:
        text = body.decode("ascii")
        fields = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=FIELDS_MAX, errors="strict"))
    except ValueError:
        raise MalformedError("The form cannot be read: it is not URL-encoded UTF-8.") from None
    if any("\0" in text for pair in fields.items() for text in pair):
        raise MalformedError("The form cannot be read: it has a null character.")
    check_form(request, fields)
    return fields


def check_form(request: ApiRequest, fields: Mapping[str, str]) -> None:
    """Check by its token that a form was sent from a page of this console.

    Raises:
        ForbiddenError: it is from elsewhere, or out of date.
    """
    if header(request.scope, b"sec-fetch-site") in {"cross-site", "same-site"}:
        raise ForbiddenError(FOREIGN, code=ErrorCode.OTHER_SITE)
    if not is_form_token(fields.get(FIELD, ""), _expected(request)):
        raise ForbiddenError(STALE)


def _expected(request: ApiRequest) -> str:
    """Return the token that the form must carry: that of the session, or else that of the browser."""
    session = request.scope.get("auth")
    if isinstance(session, CurrentSession):
        return session.form_token
    secret = cookie_of(request, FORM_COOKIE)
    if not secret:
        # A page of another site sends no cookie of ours, and could work out the token that belongs to none.
        raise ForbiddenError(STALE)
    return form_token(secret)
