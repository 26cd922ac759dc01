"""The sessions of requests to the console: their cookie, their user, and the token that their forms carry."""

import hashlib
import hmac
import time
from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

import msgspec
from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie
from litestar.enums import ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send

from dialer.api.http.auth import Authenticator, origin_of
from dialer.api.http.permissions import Permissions
from dialer.api.http.request_shares import count_for_account
from dialer.api.service import SERVICE, Service
from dialer.app.accounts.api_keys import hash_secret
from dialer.app.accounts.sessions import IDLE_MS, LIFE_MS, USED_EVERY_MS, use_session
from dialer.app.work.unit import UnitOfWork
from dialer.console.serving.currency_of_page import show_owners_currency
from dialer.console.words.currency import common_currency, show_currency
from dialer.console.words.language import gettext_noop, language_of, speak
from dialer.domain.words.roles import Role
from dialer.resources.crud.resource import Actor
from dialer.resources.crud.urls import links_for
from dialer.resources.words.errors import AnsweredError
from dialer.resources.words.headers import add_headers
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.queries.sessions import SESSION_IN_USE

SESSION_COOKIE: Final = "dialer_session"
CODE_COOKIE: Final = "dialer_code"
"""The proof of a right password while the code of the second factor is still to come."""
FORM_COOKIE: Final = "dialer_form"
"""A random text that binds forms to the browser before there is a session."""
PATH: Final = "/console"
HOST_PREFIX: Final = "__Host-"
"""The beginning of the names of cookies over HTTPS, which browsers take from this host alone, and over HTTPS only."""
LIVE: Final = "/live"
"""The end of the paths of live parts, which an open page asks for by itself."""
COOKIE_LENGTH_MAX: Final = 128
FORM_TOKEN_BYTES: Final = 16
HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": (
        "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"
    ),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
"""Headers of every answer of the console."""
RECORDER: Final = f"{PATH}/recordings/new"
DESK: Final = f"{PATH}/desk"
MICROPHONE_PAGES: Final = frozenset({RECORDER, DESK})
"""The only pages that may use the microphone."""
MICROPHONE_HEADERS: Final = {**HEADERS, "Permissions-Policy": "camera=(), geolocation=(), microphone=(self)"}

CRM_WINDOW: Final = f"{PATH}/desk/crm"
"""The only page that keeps hold of a tab of another site, which it leads from one page to the next."""
CRM_WINDOW_HEADERS: Final = {**HEADERS, "Cross-Origin-Opener-Policy": "same-origin-allow-popups"}
SHARED: Final = f"{PATH}/shared/"
"""The start of pages that people without an account open by a link."""
SHARED_HEADERS: Final = {**HEADERS, "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"}


class NotSignedInError(AnsweredError):
    """An error for a request without a session, or whose session is over."""

    def __init__(self) -> None:
        super().__init__(HTTPStatus.UNAUTHORIZED, gettext_noop("Sign in first."))


class NoSecondFactorError(AnsweredError):
    """Raised for a user who must set up a second factor before other pages."""

    def __init__(self) -> None:
        text = gettext_noop("Set up a second factor first, on the page of your account.")
        super().__init__(HTTPStatus.FORBIDDEN, text)


class CurrentSession(msgspec.Struct, frozen=True):
    """The session of a request, and its user."""

    id: int
    actor: Actor
    form_token: str
    """The text that every form of this session must carry."""
    has_second_factor: bool
    language: str = ""
    """The language that the user has chosen; empty for that of the browser."""
    currencies: tuple[str | None, ...] = ()
    """Those of the accounts that the user sees, empty for that of the service, and None for nothing."""


def machine_ms() -> int:
    """Return the time of the machine, in milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def form_token(secret: str) -> str:
    """Return the text that forms carry, from the secret in a cookie."""
    return hashlib.sha256(f"form:{secret}".encode()).hexdigest()


def is_form_token(sent: str, expected: str) -> bool:
    """Return whether the token of a form is the session's."""
    return hmac.compare_digest(sent.encode("utf-8", "replace"), expected.encode())


def is_secure(connection: ASGIConnection[Any, Any, Any, Any]) -> bool:
    """Return whether the browser uses HTTPS, directly or at a proxy."""
    service: Service = connection.app.state[SERVICE]
    return links_for(connection, service.settings.base_url).base.startswith("https:")


def cookie_of(connection: ASGIConnection[Any, Any, Any, Any], name: str) -> str:
    """Return the value of a cookie; empty if there is none, or if it is too long to be ours."""
    value = connection.cookies.get(_full_name(name, is_secure=is_secure(connection)), "")
    return value if len(value) <= COOKIE_LENGTH_MAX else ""


def cookie(name: str, value: str, *, is_secure: bool, max_age_s: int | None = None) -> Cookie:
    """Return a cookie that scripts and other sites cannot use; with a `max_age_s` of 0, the browser deletes it."""
    return Cookie(
        _full_name(name, is_secure=is_secure),
        value=value,
        path="/" if is_secure else PATH,
        max_age=max_age_s,
        httponly=True,
        samesite="strict",
        secure=is_secure,
    )


def _full_name(name: str, *, is_secure: bool) -> str:
    return f"{HOST_PREFIX}{name}" if is_secure else name


class Sessions:
    """The sessions in the database. `now_ms` is the time of the machine."""

    def __init__(self, database: Database, now_ms: Callable[[], int] = machine_ms) -> None:
        self._database: Final = database
        self.now_ms: Final = now_ms

    async def find(self, token: str, *, is_use: bool = True) -> CurrentSession | None:
        """Return the session with a token, unless it is over or its user is disabled. A use of it is written down."""
        now_ms = self.now_ms()
        values = {
            "token_hash": hash_secret(token),
            "idle_since_ms": now_ms - IDLE_MS,
            "begun_since_ms": now_ms - LIFE_MS,
        }
        rows = await self._rows(values) if token else []
        if not rows:
            return None
        session_id, used_ms, user_id, username, role, manager_id, region, hears, *rest = rows[0]
        language, confirmed_ms, *paid_in = rest
        if is_use and now_ms - used_ms >= USED_EVERY_MS:
            await self._use(session_id, now_ms)
        role = Role(role)
        actor = Actor(
            user_id, username, role, manager_id, session_id=session_id, default_region=region, recordings=hears
        )
        return CurrentSession(session_id, actor, form_token(token), confirmed_ms is not None, language, (*paid_in,))

    async def _rows(self, values: Mapping[str, Any]) -> Sequence[Sequence[Any]]:
        rows: Sequence[Sequence[Any]] | None = self._database.at_hand.rows(SESSION_IN_USE, values)
        if rows is not None:
            return rows
        return await self._database.read(lambda connection: connection.execute(SESSION_IN_USE, dict(values)).all())

    async def _use(self, session_id: int, now_ms: int) -> None:
        """Write down the use of a session; pages can be read without that while nothing can be written."""
        try:
            await self._database.write(
                lambda connection: use_session(UnitOfWork(connection=connection, now_ms=now_ms), session_id, now_ms)
            )
        except StorageUnavailableError:
            return


class Guarded:
    """Middleware that adds the security headers to every answer of the console, which speaks the browser's language."""

    def __init__(self, app: ASGIApp) -> None:
        self._app: Final = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == ScopeType.HTTP:
            add_headers(scope, _headers_of(scope["path"]))
            speak(language_of(scope))
        await self._app(scope, receive, send)


def _headers_of(path: str) -> Mapping[str, str]:
    if path.startswith(SHARED):
        return SHARED_HEADERS
    bare = path.rstrip("/")
    if bare == CRM_WINDOW:
        return CRM_WINDOW_HEADERS
    return MICROPHONE_HEADERS if bare in MICROPHONE_PAGES else HEADERS


class SignedInOnly:
    """Middleware that puts the user of the session into `request.user`, and checks the permission of the page.

    From here on, texts are in the language that the user has chosen.
    """

    def __init__(
        self, app: ASGIApp, sessions: Sessions, authenticator: Authenticator, permissions: Permissions
    ) -> None:
        self._app: Final = app
        self._sessions: Final = sessions
        self._authenticator: Final = authenticator
        self._permissions: Final = permissions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == ScopeType.HTTP:
            connection: ASGIConnection[Any, Any, Any, Any] = ASGIConnection(scope)
            is_use = not scope["path"].rstrip("/").endswith(LIVE)
            session = await self._sessions.find(cookie_of(connection, SESSION_COOKIE), is_use=is_use)
            if session is None:
                raise NotSignedInError
            scope["user"], scope["auth"] = session.actor, session
            await count_for_account(scope, session.actor.manager_id or session.actor.id)
            service: Service = connection.app.state[SERVICE]
            show_currency(common_currency(session.currencies, service.settings.currency))
            await show_owners_currency(scope, service.database, service.settings.currency)
            if session.language:
                speak(language_of(scope, session.language))
            is_needed = self._authenticator.needs_second_factor(session.actor.role)
            # A second factor is set up on the pages of the account.
            is_of_account = scope["path_template"].startswith(f"{PATH}/account")
            if is_needed and not session.has_second_factor and not is_of_account:
                raise NoSecondFactorError
            client = scope["client"]
            host = client[0] if client else ""
            try:
                await self._authenticator.limit_requests(session.actor, host)
                self._permissions.check(session.actor, scope["method"], scope["path_template"])
            except AnsweredError as error:
                request = f"{scope['method']} {scope['path_template']}"
                self._authenticator.refusals.note(origin_of(session.actor, host), error.status, request)
                raise
        await self._app(scope, receive, send)
