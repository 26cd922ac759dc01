"""Sign-in, and the page that creates the first admin."""

import re
import secrets
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

import anyio.to_thread
from litestar import Response, get, post
from litestar.di import NamedDependency
from sqlalchemy import Connection

from dialer.api.http.auth import Identified, origin_of
from dialer.api.http.credentials import Credentials
from dialer.api.http.throttle import client_address
from dialer.api.service import ApiRequest
from dialer.app.accounts.second_factor import takes_second_factor
from dialer.app.accounts.sessions import (
    SIGN_IN_MS,
    SigningIn,
    begin_session,
    begin_sign_in,
    end_sign_in,
    is_as_verified,
    user_signing_in,
)
from dialer.app.accounts.users import NewUser, create_first_admin
from dialer.app.telling.audit_log import Origin
from dialer.app.telling.listeners import tell_listeners
from dialer.app.work.unit import UnitOfWork
from dialer.console.parts.rendering import html, render
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import ConsoleServices, go_to
from dialer.console.serving.sessions import (
    CODE_COOKIE,
    FORM_COOKIE,
    FORM_TOKEN_BYTES,
    SESSION_COOKIE,
    cookie,
    cookie_of,
    form_token,
    is_form_token,
    is_secure,
)
from dialer.console.serving.signing_in import host_of, password_errors, retry_after, session_of, signed_in
from dialer.console.words.language import gettext, gettext_noop
from dialer.passwords import hash_password
from dialer.resources.words.errors import AnsweredError, ForbiddenError
from dialer.settings_values import USERNAME_MAX, is_username
from dialer.store.queries.accounts import has_accounts

HOME: Final = "/console/"
FIRST_ADMIN: Final = "/console/first-admin/"
SIGN_IN: Final = "/console/sign-in/"
CODE: Final = "/console/sign-in/code/"
WRONG_CODE: Final = gettext_noop("The code is wrong, or it was used already. Wait for the next one.")
WRONG: Final = gettext_noop("The user name or the password is wrong.")
_WAY_BACK: Final = re.compile(r"/console/(?!/)[A-Za-z0-9/_.?=&%+,:-]{0,500}\Z", re.ASCII)


@get("/sign-in", media_type="text/html")
async def show_sign_in(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Show the sign-in; without users, lead to the page that creates the first admin."""
    if not await request.service.database.read(has_accounts):
        return go_to(FIRST_ADMIN)
    if await console.sessions.find(cookie_of(request, SESSION_COOKIE)) is not None:
        return go_to(HOME)
    return _form(request, "sign_in.html", way_back=way_back(request.query_params.get("next", "")))


@post("/sign-in", media_type="text/html")
async def sign_in(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Begin a session, if the user name and the password are right."""
    fields = await read_fields(request)
    back, username = way_back(fields.get("next", "")), fields.get("username", "").strip()
    host = host_of(request)
    try:
        credentials = Credentials(username, fields.get("password", ""))
        found = await console.authenticator.identify_by_password(credentials, host)
    except AnsweredError as error:
        origin = Origin(via="none", address=client_address(host), actor=username[:USERNAME_MAX])
        console.authenticator.refusals.note(origin, error.status, "POST /console/sign-in")
        message = WRONG if error.status == HTTPStatus.UNAUTHORIZED else error.detail
        shown = {"way_back": back, "username": username, "message": message}
        return _form(request, "sign_in.html", error.status, retry_after(error), **shown)
    token = await _begin(request, console, found, origin_of(found.actor, host))
    if token is None:
        return _form(request, "sign_in.html", HTTPStatus.UNAUTHORIZED, way_back=back, username=username, message=WRONG)
    if not found.has_second_factor:
        return signed_in(request, token, back)
    waiting = cookie(CODE_COOKIE, token, is_secure=is_secure(request), max_age_s=SIGN_IN_MS // 1_000)
    return go_to(f"{CODE}?{urlencode({'next': back})}", waiting)


@get("/sign-in/code", media_type="text/html")
async def show_code(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Ask for the code, after the right password."""
    if await _user_signing_in(request, console) is None:
        return go_to(SIGN_IN)
    return _form(request, "sign_in_code.html", way_back=way_back(request.query_params.get("next", "")))


@post("/sign-in/code", media_type="text/html")
async def sign_in_with_code(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Begin a session, if the password was right just now and the code is right."""
    fields = await read_fields(request)
    back, user = way_back(fields.get("next", "")), await _user_signing_in(request, console)
    if user is None:
        return go_to(SIGN_IN)
    try:
        session = await _session_for_code(request, console, user, fields.get("code", ""))
    except AnsweredError as error:
        shown = {"way_back": back, "message": WRONG_CODE if error.status == HTTPStatus.FORBIDDEN else error.detail}
        return _form(request, "sign_in_code.html", error.status, retry_after(error), **shown)
    answer = signed_in(request, session, back)
    answer.set_cookie(cookie(CODE_COOKIE, "", is_secure=is_secure(request), max_age_s=0))
    return answer


async def _user_signing_in(request: ApiRequest, console: ConsoleServices) -> SigningIn | None:
    token, at_ms = cookie_of(request, CODE_COOKIE), console.sessions.now_ms()
    if not token:
        return None
    return await request.service.database.read(lambda connection: user_signing_in(connection, token, at_ms))


async def _session_for_code(request: ApiRequest, console: ConsoleServices, user: SigningIn, code: str) -> str:
    """Use up a code, and return the token of a new session.

    Raises:
        AnsweredError: 403 for a wrong code, 429 after too many of them.
    """
    host, now_ms = host_of(request), request.service.worker.clock.now_ms()
    origin = Origin(via="code", actor_id=user.user_id, actor=user.username, address=client_address(host))
    new, pending = session_of(request, console, user.user_id, origin), cookie_of(request, CODE_COOKIE)

    def begin(connection: Connection) -> str | None:
        unit = UnitOfWork(connection=connection, now_ms=now_ms)
        if not takes_second_factor(unit, user.user_id, code, new.at_ms) or not end_sign_in(connection, pending):
            return None
        token = begin_session(unit, new)
        tell_listeners(unit, origin)
        return token

    async with console.authenticator.trying_code(user.user_id):
        token = await request.service.database.write(begin)
        if token is None:
            await console.authenticator.count_wrong_code(user.user_id)
            console.authenticator.refusals.note(origin, HTTPStatus.FORBIDDEN, "POST /console/sign-in/code")
            raise ForbiddenError
    return token


@get("/first-admin", media_type="text/html")
async def show_first_admin(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Show the form that creates the first admin."""
    if await request.service.database.read(has_accounts):
        return go_to(SIGN_IN)
    token = request.query_params.get("token", "")
    if not may_create_first_admin(console, token):
        return html(render("first_admin_closed.html"), HTTPStatus.FORBIDDEN)
    return _form(request, "first_admin.html", token=token)


@post("/first-admin", media_type="text/html")
async def make_first_admin(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Create the first admin, and sign them in."""
    fields = await read_fields(request)
    token, username, password = (fields.get(name, "") for name in ("token", "username", "password"))
    if not may_create_first_admin(console, token):
        return html(render("first_admin_closed.html"), HTTPStatus.FORBIDDEN)
    errors = await _errors(username, password, fields.get("again", ""))
    if errors:
        status = HTTPStatus.BAD_REQUEST
        return _form(request, "first_admin.html", status, token=token, username=username, errors=errors)
    password_hash = await anyio.to_thread.run_sync(hash_password, password)
    origin = Origin(via="console", actor=username, address=client_address(host_of(request)))
    token = await _create(request, console, NewUser(username=username, password_hash=password_hash), origin)
    return signed_in(request, token, HOME)


def way_back(given: str) -> str:
    """Return the page to which a sign-in leads: one of the console, or else its home."""
    return given if _WAY_BACK.match(given) else HOME


def may_create_first_admin(console: ConsoleServices, token: str) -> bool:
    """Return whether a request may create the first admin: it has the token that the service printed.

    The address and the name of a request prove nothing, because a proxy or a tunnel on this machine has both.
    """
    expected = console.first_admin_token
    return expected is not None and is_form_token(token, expected)


async def _errors(username: str, password: str, again: str) -> dict[str, str]:
    errors = await password_errors(password, again)
    if not is_username(username):
        text = gettext("Enter 1 to %(most)s characters, without blanks and colons.")
        errors["username"] = text % {"most": USERNAME_MAX}
    return errors


def _form(
    request: ApiRequest,
    template: str,
    status: int = HTTPStatus.OK,
    headers: dict[str, str] | None = None,
    **values: Any,  # noqa: ANN401 - each template has its own values
) -> Response[str]:
    """Return a page with a form before there is a session; its token belongs to a cookie of the browser."""
    secret = cookie_of(request, FORM_COOKIE) or secrets.token_urlsafe(FORM_TOKEN_BYTES)
    known = {"username": "", "message": "", "errors": {}, **values}
    known["message"] = gettext(known["message"])
    answer = html(render(template, csrf=form_token(secret), **known), status, headers)
    answer.set_cookie(cookie(FORM_COOKIE, secret, is_secure=is_secure(request)))
    return answer


async def _create(request: ApiRequest, console: ConsoleServices, user: NewUser, origin: Origin) -> str:
    """Create the first admin, and return the token of their first session."""
    now_ms = request.service.worker.clock.now_ms()

    def create(connection: Connection) -> str:
        unit = UnitOfWork(connection=connection, now_ms=now_ms)
        token = begin_session(unit, session_of(request, console, create_first_admin(unit, user), origin))
        tell_listeners(unit, origin)
        return token

    return await request.service.database.write(create)


async def _begin(request: ApiRequest, console: ConsoleServices, found: Identified, origin: Origin) -> str | None:
    """Begin a session, or a sign-in that waits for a code; return its token.

    Return None if the user has got another password or a second factor since this password was verified.
    """
    new = session_of(request, console, found.actor.id, origin)
    now_ms = request.service.worker.clock.now_ms()

    def begin(connection: Connection) -> str | None:
        unit = UnitOfWork(connection=connection, now_ms=now_ms)
        has_factor = found.has_second_factor
        if not is_as_verified(connection, new.user_id, found.password_hash, has_second_factor=has_factor):
            return None
        token = begin_sign_in(unit, new) if has_factor else begin_session(unit, new)
        tell_listeners(unit, origin)
        return token

    return await request.service.database.write(begin)
