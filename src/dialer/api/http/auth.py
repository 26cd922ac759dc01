"""Authentication: a user name with a password (HTTP Basic), or an API key (`Authorization: Bearer`).

An API key is looked up by the hash of its secret. A right key is never blocked, and a wrong one cannot be guessed.

Verifying costs tens of milliseconds of a processor by design. Verified credentials are therefore remembered, under a
key that contains the stored hash, so a changed password takes effect at once. They are verified again each minute.
"""

import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from http import HTTPStatus
from typing import Any, Final, TypeVar

import anyio
import anyio.to_thread
import msgspec
from litestar.enums import HttpMethod, ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send
from sqlalchemy import Select, bindparam, select

from dialer.api.http.credentials import Credentials, parse_basic, parse_bearer
from dialer.api.http.key_uses import KeyUses
from dialer.api.http.limits import Limits, OwnLimits
from dialer.api.http.other_sites import SAFE, refuse_other_sites
from dialer.api.http.permissions import Permissions
from dialer.api.http.refusals import Refusals
from dialer.api.http.request_shares import count_for_account
from dialer.api.http.throttle import client_address
from dialer.app.accounts.api_keys import BEGINNING, hash_secret
from dialer.app.telling.audit_log import Origin
from dialer.app.work.errors import ErrorCode
from dialer.domain.credentials.usernames import username_key
from dialer.domain.words.roles import Role
from dialer.domain.words.roles import Scope as KeyScope
from dialer.domain.words.sentences import template
from dialer.passwords import DUMMY_HASH, verify_password
from dialer.resources.crud.resource import Actor, KeyInUse
from dialer.resources.words.errors import AnsweredError, ForbiddenError
from dialer.resources.words.headers import header
from dialer.runtime.steps.clock import RealClock
from dialer.settings_values import ADMINS, EVERYBODY, OPTIONAL, USERNAME_MAX
from dialer.store.database.database import Database
from dialer.store.queries.sessions import SESSIONS_FROM
from dialer.store.tables import ApiKey, SecondFactor, User

REMEMBERED_S: Final = 60.0
"""The time for which credentials are accepted without being verified again."""
REMEMBERED_MAX: Final = 10_000
"""Credentials that are remembered; those verified longest ago are forgotten first."""
VERIFICATIONS_MAX: Final = 2
"""Hashes computed at once: each takes a processor and 19 MiB."""
SCOPES_KEPT_MAX: Final = 1_024
"""Sets of scopes of keys that are kept as they were read."""
CODE_NEEDED: Final = (
    "This account has or needs a second factor, so its password alone does not open the API. Use an API key."
)
NOT_PROVIDED: Final = "Authentication credentials were not provided."
INVALID: Final = "Invalid username/password."
INVALID_KEY: Final = "Invalid API key: it is wrong, revoked, disabled or expired."
NO_KEY: Final = f"Invalid API key: it does not begin with {BEGINNING}."
NO_SCHEME: Final = f"Send the API key as `Authorization: Bearer {BEGINNING}…`."

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

_ACTOR: Final = (User.id, User.username, User.role, User.manager_id, User.default_region, User.recordings)
_ACCOUNT: Final = (
    select(*_ACTOR, User.enabled, User.password_hash, SecondFactor.confirmed_date)
    .outerjoin(SecondFactor, SecondFactor.user_id == User.id)
    .where(User.username_key == bindparam("username_key"))
)
_KEY: Final = (
    select(*_ACTOR, ApiKey.id, ApiKey.prefix, ApiKey.scopes, ApiKey.expirationdate)
    .join(ApiKey, ApiKey.user_id == User.id)
    .where(ApiKey.secret_hash == bindparam("secret_hash"), ApiKey.enabled, User.enabled)
)
_ROLES: Final = {role.value: role for role in Role}
_CHALLENGE: Final = {"WWW-Authenticate": 'Basic realm="dialer"'}
_KEY_CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="dialer", error="invalid_token"'}
"""The answer to a wrong API key (RFC 6750, 3): a browser or a client must not ask for a password instead."""


class _Account(msgspec.Struct, frozen=True):
    """The user with a name, or None if nobody may log in with it, and the hash against which a password is verified."""

    actor: Actor | None
    password_hash: str
    has_second_factor: bool = False


class Identified(msgspec.Struct, frozen=True):
    """A user whose password was right, and its hash."""

    actor: Actor
    has_second_factor: bool
    password_hash: str


class _Login(msgspec.Struct, frozen=True):
    """One attempt to log in."""

    username_key: str
    password: str
    address: str


class Authenticator:
    """A check of the credentials that a request carries."""

    def __init__(
        self,
        database: Database,
        now_s: Callable[[], float] = time.monotonic,
        *,
        requests_a_minute: int | None = None,
        limits: Limits | None = None,
        clock_ms: Callable[[], int] | None = None,
        second_factor: str = OPTIONAL,
    ) -> None:
        self._database: Final = database
        self._second_factor: Final = second_factor
        self.clock_ms: Final = clock_ms or RealClock().now_ms
        """The time of the service, by which keys expire."""
        self.uses: Final = KeyUses(database)
        self.refusals: Final = Refusals(database, self.clock_ms)
        self._limits: Final = limits or OwnLimits(requests_a_minute, now_s)
        self._now_s: Final = now_s
        self._key: Final = secrets.token_bytes(32)
        self._verified_s: Final[OrderedDict[bytes, float]] = OrderedDict()
        """The times at which credentials were last verified, by fingerprint."""
        self._known: Final[OrderedDict[tuple[str, str], None]] = OrderedDict()
        """The names and addresses of those who had a right password, the newest last."""
        self._under_way: Final[dict[bytes, anyio.Lock]] = {}
        self._codes_under_way: Final[dict[int, anyio.Lock]] = {}
        self._limiter: anyio.CapacityLimiter | None = None

    async def identify(self, authorization: str | None, host: str) -> Actor:
        """Return the user whose credentials an `Authorization` header holds.

        Raises:
            AnsweredError: 401 if the header holds no right credentials; 429 after too many wrong passwords, or for more
                requests than a user or an address may send.
        """
        address = client_address(host)
        if self._limits.counts_requests:
            await self._limit_requests(f"address {address}")
        secret = parse_bearer(authorization or "")
        if secret is not None:
            actor = await self._owner_of_key(secret)
            if self._limits.counts_requests:
                await self._limit_requests(f"user {actor.id}")
            return actor
        credentials = parse_basic(authorization or "")
        if credentials is None:
            raise _unauthorized(*_refusal(authorization or ""))
        account = await self._account_of_password(credentials, address)
        if account.has_second_factor or self.needs_second_factor(account.actor.role):
            raise ForbiddenError(CODE_NEEDED, code=ErrorCode.SECOND_FACTOR_NEEDED)
        return account.actor

    def needs_second_factor(self, role: Role) -> bool:
        """Return whether users of a role need a second factor."""
        return self._second_factor == EVERYBODY or (self._second_factor == ADMINS and role is Role.ADMIN)

    @asynccontextmanager
    async def trying_code(self, user_id: int) -> AsyncGenerator[None]:
        """Enter a context in which one code of a user's second factor is tried, after earlier ones.

        So codes that are sent at once are counted one by one, wherever they came from.

        Raises:
            AnsweredError: 429 after too many wrong codes.
        """
        turn = self._codes_under_way.setdefault(user_id, anyio.Lock())
        try:
            async with turn:
                retry_after_s = await self._limits.guess_after_s(*_codes_of(user_id), is_known=True)
                if retry_after_s:
                    raise _too_many(template("Too many wrong codes; try again later."), retry_after_s)
                yield
        finally:
            if not turn.statistics().tasks_waiting and not turn.locked():
                self._codes_under_way.pop(user_id, None)

    async def count_wrong_code(self, user_id: int) -> None:
        """Count a wrong code of a user's second factor, towards the limit."""
        await self._limits.failed(*_codes_of(user_id))

    async def program_waits_s(self, sid: str, host: str) -> int:
        """Return the seconds for which wrong secrets for a call from an address are only refused; 0 to count one."""
        return await self._limits.guess_after_s(*_programs_of(sid, host), is_known=False)

    async def count_wrong_secret(self, sid: str, host: str) -> None:
        """Count a wrong secret of a program for a call, towards the limits of its call and its address."""
        await self._limits.failed(*_programs_of(sid, host))

    async def identify_by_password(self, credentials: Credentials, host: str) -> Identified:
        """Return the user with these credentials, under the limits that requests to the API have.

        Raises:
            AnsweredError: 401 if the credentials are wrong; 429 as in `identify`.
        """
        address = client_address(host)
        await self._limit_requests(f"address {address}")
        if not 0 < len(credentials.username) <= USERNAME_MAX or "\x00" in "".join(credentials):
            raise _unauthorized(INVALID)
        return await self._account_of_password(credentials, address)

    async def limit_requests(self, actor: Actor, host: str) -> None:
        """Count a request of a user who is known by a session.

        Raises:
            AnsweredError: 429 for more requests than a user or an address may send.
        """
        await self.limit_address(host)
        await self._limit_requests(f"user {actor.id}")

    async def limit_address(self, host: str) -> None:
        """Count a request of somebody who is not known.

        Raises:
            AnsweredError: 429 for more requests than an address may send.
        """
        await self._limit_requests(f"address {client_address(host)}")

    async def _account_of_password(self, credentials: Credentials, address: str) -> Identified:
        """Return the user of right credentials; raise `AnsweredError` with status 401 or 429 for others."""
        login = _Login(username_key(credentials.username), credentials.password, address)
        account = await self._account_of(login.username_key)
        if not await self._is_right(login, account.password_hash) or account.actor is None:
            await self._limits.failed(_subject(login, account.password_hash), address)
            raise _unauthorized(INVALID)
        if self._limits.counts_requests:
            await self._limit_requests(f"user {account.actor.id}")
        return Identified(account.actor, account.has_second_factor, account.password_hash)

    async def _owner_of_key(self, secret: str) -> Actor:
        """Return the user of an API key; raise `AnsweredError` with status 401 if the key may not be used."""
        rows = await self._rows(_KEY, {"secret_hash": hash_secret(secret)})
        now_ms = self.clock_ms()
        if not rows:
            raise _unauthorized(INVALID_KEY, _KEY_CHALLENGE)
        user_id, username, role, manager_id, region, hears, key_id, prefix, scopes, expires_ms = rows[0]
        if expires_ms is not None and expires_ms <= now_ms:
            raise _unauthorized(INVALID_KEY, _KEY_CHALLENGE)
        self.uses.used(key_id, now_ms)
        key = KeyInUse(key_id, prefix, _scopes(scopes))
        return Actor(user_id, username, _ROLES[role], manager_id, key, default_region=region, recordings=hears)

    async def _account_of(self, key: str) -> _Account:
        """Read the account of a user name.

        It is read for every request, because the database changes all the time while the service dials.
        """
        rows = await self._rows(_ACCOUNT, {"username_key": key})
        if not rows:
            return _Account(None, DUMMY_HASH)
        user_id, username, role, manager_id, region, hears, enabled, password_hash, confirmed_ms = rows[0]
        actor = Actor(user_id, username, _ROLES[role], manager_id, default_region=region, recordings=hears)
        return _Account(actor if enabled else None, password_hash, confirmed_ms is not None)

    async def _rows(self, query: Select[*tuple[Any, ...]], values: dict[str, Any]) -> Sequence[Sequence[Any]]:
        rows: Sequence[Sequence[Any]] | None = self._database.at_hand.rows(query, values)
        if rows is not None:
            return rows
        return await self._database.read(lambda connection: connection.execute(query, values).all())

    async def _limit_requests(self, subject: str) -> None:
        retry_after_s = await self._limits.take(subject)
        if retry_after_s:
            raise _too_many(template("Too many requests; try again later."), retry_after_s)

    async def _refuse_guesses(self, login: _Login, password_hash: str) -> None:
        subject = _subject(login, password_hash)
        retry_after_s = await self._limits.guess_after_s(subject, login.address, is_known=False)
        if retry_after_s and await self._is_known(login):
            retry_after_s = await self._limits.guess_after_s(subject, login.address, is_known=True)
        if retry_after_s:
            raise _too_many(template("Too many wrong passwords; try again later."), retry_after_s)

    async def _is_known(self, login: _Login) -> bool:
        """Return whether the user has signed in from this address, as a program lately or in a session that goes on."""
        if (login.username_key, login.address) in self._known:
            return True
        values = {"username_key": login.username_key, "address": login.address}
        return bool(await self._rows(SESSIONS_FROM, values))

    async def _is_right(self, login: _Login, password_hash: str) -> bool:
        """Tell whether a password is right. Simultaneous requests with equal credentials share one verification.

        A password that was right before from this address is not throttled, whatever others have tried there.
        """
        fingerprint = self._fingerprint(login, password_hash)
        if self._is_fresh(fingerprint):
            return True
        if fingerprint not in self._verified_s:
            await self._refuse_guesses(login, password_hash)
        turn = self._under_way.setdefault(fingerprint, anyio.Lock())
        try:
            async with turn:
                return self._is_fresh(fingerprint) or await self._verify(fingerprint, login, password_hash)
        finally:
            if not turn.statistics().tasks_waiting:
                self._under_way.pop(fingerprint, None)

    async def _verify(self, fingerprint: bytes, login: _Login, password_hash: str) -> bool:
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(VERIFICATIONS_MAX)
        async with self._limiter:
            if fingerprint not in self._verified_s:
                # Other guesses may have failed while this one waited.
                await self._refuse_guesses(login, password_hash)
            is_right = await anyio.to_thread.run_sync(verify_password, password_hash, login.password)
        if is_right:
            _keep(self._verified_s, fingerprint, self._now_s())
            _keep(self._known, (login.username_key, login.address), None)
        return is_right

    def _is_fresh(self, fingerprint: bytes) -> bool:
        verified_s = self._verified_s.get(fingerprint)
        return verified_s is not None and self._now_s() - verified_s < REMEMBERED_S

    def _fingerprint(self, login: _Login, password_hash: str) -> bytes:
        message = f"{login.username_key}\x00{login.password}\x00{login.address}\x00{password_hash}"
        return hashlib.blake2b(message.encode("utf-8", "surrogatepass"), key=self._key).digest()


def _keep(kept: OrderedDict[_Key, _Value], key: _Key, value: _Value) -> None:
    """Put a value at the end of a table of bounded size."""
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > REMEMBERED_MAX:
        kept.popitem(last=False)


@lru_cache(maxsize=SCOPES_KEPT_MAX)
def _scopes(text: str) -> frozenset[KeyScope]:
    return frozenset(map(KeyScope, text.split()))


def _codes_of(user_id: int) -> tuple[str, str]:
    """Return the name and the address under which wrong codes of a user are counted, from all addresses together."""
    return f"codes of user {user_id}", f"codes of user {user_id}"


def _programs_of(sid: str, host: str) -> tuple[str, str]:
    """Return the name and the address under which wrong secrets are counted, apart from the passwords of people."""
    return f"call {sid}", f"programs at {client_address(host)}"


def _subject(login: _Login, password_hash: str) -> str:
    """Return the name under which wrong passwords are counted. A new password begins a new count."""
    version = hashlib.blake2b(password_hash.encode(), digest_size=8).hexdigest()
    return f"{version} {login.username_key}"


class Authentication:
    """Middleware that puts the `Actor` of a request into `request.user`, and checks the permission of the route.

    `OPTIONS` needs neither. The check is not a guard, because the framework copies the handler for each guard.
    """

    def __init__(self, app: ASGIApp, authenticator: Authenticator, permissions: Permissions) -> None:
        self._app: Final = app
        self._authenticator: Final = authenticator
        self._permissions: Final = permissions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; see `Authenticator.identify`."""
        if scope["type"] == ScopeType.HTTP and scope["method"] != HttpMethod.OPTIONS:
            client = scope["client"]
            host = client[0] if client else ""
            authorization = header(scope, b"authorization")
            counted: Actor | None = None
            try:
                scope["user"] = actor = await self._authenticator.identify(authorization, host)
                await count_for_account(scope, actor.manager_id or actor.id)
                counted = actor
                scope["auth"] = None
                if actor.key is None and scope["method"] not in SAFE:
                    refuse_other_sites(scope)
                self._permissions.check(actor, scope["method"], scope["path_template"])
            except AnsweredError as error:
                if authorization:
                    request = f"{scope['method']} {scope['path_template']}"
                    origin = _stranger(host, authorization) if counted is None else origin_of(counted, host)
                    self._authenticator.refusals.note(origin, error.status, request)
                raise
        await self._app(scope, receive, send)


def origin_of(actor: Actor, host: str) -> Origin:
    """Return the origin of the requests of a user for the audit log."""
    return Origin(
        via=_way_in(actor),
        actor_id=actor.id,
        actor=actor.username,
        key_prefix="" if actor.key is None else actor.key.prefix,
        address=client_address(host),
    )


def _way_in(actor: Actor) -> str:
    if actor.session_id is not None:
        return "console"
    return "password" if actor.key is None else "key"


def _stranger(host: str, authorization: str) -> Origin:
    """Return the origin of a refused request, with the user name that it gave."""
    credentials = parse_basic(authorization)
    return Origin(via="none", actor="" if credentials is None else credentials.username, address=client_address(host))


def _holds_basic(authorization: str) -> bool:
    scheme, _, encoded = authorization.partition(" ")
    return scheme.lower() == "basic" and bool(encoded.strip())


def _refusal(authorization: str) -> tuple[str, Mapping[str, str]]:
    """Return the message about a header without credentials that can be tried, and the challenge."""
    scheme, _, rest = authorization.partition(" ")
    if _holds_basic(authorization):
        return INVALID, _CHALLENGE
    if scheme.startswith(BEGINNING):
        return NO_SCHEME, _KEY_CHALLENGE
    secret = rest.strip() if scheme.lower() == "bearer" else ""
    if secret:
        return (INVALID_KEY if secret.startswith(BEGINNING) else NO_KEY), _KEY_CHALLENGE
    return NOT_PROVIDED, _CHALLENGE


def _unauthorized(detail: str, challenge: Mapping[str, str] = _CHALLENGE) -> AnsweredError:
    return AnsweredError(HTTPStatus.UNAUTHORIZED, detail, challenge)


def _too_many(detail: str, retry_after_s: int) -> AnsweredError:
    return AnsweredError(HTTPStatus.TOO_MANY_REQUESTS, detail, {"Retry-After": str(retry_after_s)})
