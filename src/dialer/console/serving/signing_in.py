"""Parts that sign-in and a change of the password share: the browser's session, and the rules of passwords."""

from typing import Any

import anyio.to_thread
from litestar import Response

from dialer.api.service import ApiRequest
from dialer.app.accounts.sessions import LIFE_MS, NewSession
from dialer.app.telling.audit_log import Origin
from dialer.console.serving.services import ConsoleServices, go_to
from dialer.console.serving.sessions import FORM_COOKIE, SESSION_COOKIE, cookie, is_secure
from dialer.console.words.language import gettext
from dialer.console.words.state_words import capitalised
from dialer.passwords import PasswordError, check_password
from dialer.resources.words.errors import AnsweredError
from dialer.resources.words.headers import header


def host_of(request: ApiRequest) -> str:
    """Return the address that a request comes from."""
    client = request.scope["client"]
    return client[0] if client else ""


def session_of(request: ApiRequest, console: ConsoleServices, user_id: int, origin: Origin) -> NewSession:
    """Return the session to begin in the browser of a request."""
    browser = header(request.scope, b"user-agent") or ""
    return NewSession(user_id, console.sessions.now_ms(), origin.address, browser)


def signed_in(request: ApiRequest, token: str, to: str) -> Response[Any]:
    """Give the browser the token of its new session, and lead to a page."""
    secure = is_secure(request)
    return go_to(
        to,
        cookie(SESSION_COOKIE, token, is_secure=secure, max_age_s=LIFE_MS // 1_000),
        cookie(FORM_COOKIE, "", is_secure=secure, max_age_s=0),
    )


def retry_after(error: AnsweredError) -> dict[str, str]:
    """Return the header that says when to try again, if too many passwords were wrong."""
    return {name: value for name, value in error.headers.items() if name == "Retry-After"}


async def password_errors(password: str, again: str) -> dict[str, str]:
    """Return why a new password is refused, for its two fields `password` and `again`."""
    errors = {}
    try:
        await anyio.to_thread.run_sync(check_password, password)
    except PasswordError as error:
        errors["password"] = gettext(capitalised(f"{error}."))
    if password != again:
        errors["again"] = gettext("The two passwords differ. Enter the password twice.")
    return errors
