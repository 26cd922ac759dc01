"""Who is asking: HTTP Basic credentials, verified against the stored hash.

Verifying costs tens of milliseconds of a processor by design. A credential that was verified is therefore remembered
for a minute, under a key that contains the stored hash: a password that was changed is forgotten at once.
"""

import base64
import binascii
import hashlib
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple

import anyio
import anyio.to_thread
from litestar.enums import HttpMethod, ScopeType
from litestar.types import ASGIApp, Receive, Scope, Send
from sqlalchemy import bindparam, select

from dialer.api.crud.resource import Actor, table_of
from dialer.api.http.errors import AnsweredError
from dialer.api.http.headers import header
from dialer.api.http.rate_limit import RateLimit
from dialer.api.http.throttle import Throttle
from dialer.passwords import DUMMY_HASH, verify_password
from dialer.settings import USERNAME_MAX
from dialer.store.database import Database
from dialer.store.tables import User

REMEMBERED_S: Final = 60.0
REMEMBERED_MAX: Final = 10_000
VERIFICATIONS_MAX: Final = 2
"""Hashes computed at once: each takes a processor and 19 MiB."""
CREDENTIALS_LENGTH_MAX: Final = 8_192

_USERS: Final = table_of(User)
_ACCOUNT: Final = select(_USERS.c.id, _USERS.c.is_admin, _USERS.c.password_hash).where(
    _USERS.c.username == bindparam("username")
)
_CHALLENGE: Final = {"WWW-Authenticate": 'Basic realm="dialer"'}


class Credentials(NamedTuple):
    """A user name and a password as a client sent them."""

    username: str
    password: str


class _Account(NamedTuple):
    """Who the user name belongs to, if anybody, and the hash to verify against."""

    actor: Actor | None
    password_hash: str


class Authenticator:
    """Turns credentials into an `Actor`."""

    def __init__(
        self,
        database: Database,
        now_s: Callable[[], float] = time.monotonic,
        *,
        requests_a_minute: int | None = None,
    ) -> None:
        self._database: Final = database
        self._rate_limit: Final = RateLimit(requests_a_minute, now_s) if requests_a_minute else None
        self._now_s: Final = now_s
        self._throttle: Final = Throttle(now_s)
        self._key: Final = secrets.token_bytes(32)
        self._remembered: Final[OrderedDict[bytes, float]] = OrderedDict()
        self._under_way: Final[dict[bytes, anyio.Lock]] = {}
        self._limiter: anyio.CapacityLimiter | None = None

    async def identify(self, authorization: str | None, address: str) -> Actor:
        """The user whose credentials an `Authorization` header holds.

        Raises:
            AnsweredError: 401 if it holds none that are right, 429 after too many that were not, or for more requests
                than a user or an address may send.
        """
        self._refuse_hurry(f"address {address}")
        credentials = parse_basic(authorization or "")
        if credentials is None:
            raise _unauthorized()
        subjects = (f"user {credentials.username}", f"address {address}")
        self._refuse_guessers(*subjects)
        account = await self._account_of(credentials.username)
        if not await self._is_right(credentials, account.password_hash, subjects) or account.actor is None:
            self._throttle.failed(*subjects)
            raise _unauthorized()
        self._refuse_hurry(f"user {account.actor.id}")
        return account.actor

    async def _account_of(self, username: str) -> _Account:
        """The account as it is now.

        It is read for every request: who is always told of a change need not be told whether there was one, and in a
        service that dials something is committed all the time.
        """
        values = {"username": username}
        rows: Sequence[Sequence[Any]] | None = self._database.at_hand.rows(_ACCOUNT, values)
        if rows is None:
            rows = await self._database.read(lambda connection: connection.execute(_ACCOUNT, values).all())
        if not rows:
            return _Account(None, DUMMY_HASH)
        user_id, is_admin, password_hash = rows[0]
        return _Account(Actor(id=user_id, username=username, is_admin=bool(is_admin)), password_hash)

    def _refuse_hurry(self, subject: str) -> None:
        retry_after_s = self._rate_limit.take(subject) if self._rate_limit else 0
        if retry_after_s:
            raise AnsweredError(
                HTTPStatus.TOO_MANY_REQUESTS, "Too many requests; try again later.", {"Retry-After": str(retry_after_s)}
            )

    def _refuse_guessers(self, *subjects: str) -> None:
        retry_after_s = self._throttle.retry_after_s(*subjects)
        if retry_after_s:
            raise AnsweredError(
                HTTPStatus.TOO_MANY_REQUESTS,
                "Too many wrong passwords; try again later.",
                {"Retry-After": str(retry_after_s)},
            )

    async def _is_right(self, credentials: Credentials, password_hash: str, subjects: tuple[str, ...]) -> bool:
        """Verify, or remember having verified. Those who ask for the same at the same time wait for one answer."""
        fingerprint = self._fingerprint(credentials, password_hash)
        if self._is_remembered(fingerprint):
            return True
        turn = self._under_way.setdefault(fingerprint, anyio.Lock())
        try:
            async with turn:
                return self._is_remembered(fingerprint) or await self._verify(
                    fingerprint, credentials, password_hash, subjects
                )
        finally:
            if not turn.statistics().tasks_waiting:
                self._under_way.pop(fingerprint, None)

    async def _verify(
        self, fingerprint: bytes, credentials: Credentials, password_hash: str, subjects: tuple[str, ...]
    ) -> bool:
        if self._limiter is None:
            self._limiter = anyio.CapacityLimiter(VERIFICATIONS_MAX)
        async with self._limiter:
            # Whoever waited here may have become a guesser in the meantime.
            self._refuse_guessers(*subjects)
            is_right = await anyio.to_thread.run_sync(verify_password, password_hash, credentials.password)
        if is_right:
            self._remembered[fingerprint] = self._now_s()
        while len(self._remembered) > REMEMBERED_MAX:
            self._remembered.popitem(last=False)
        return is_right

    def _is_remembered(self, fingerprint: bytes) -> bool:
        verified_s = self._remembered.get(fingerprint)
        if verified_s is None:
            return False
        if self._now_s() - verified_s < REMEMBERED_S:
            return True
        del self._remembered[fingerprint]
        return False

    def _fingerprint(self, credentials: Credentials, password_hash: str) -> bytes:
        message = f"{credentials.username}\x00{credentials.password}\x00{password_hash}"
        return hashlib.blake2b(message.encode("utf-8", "surrogatepass"), key=self._key).digest()


class BasicAuthentication:
    """Puts the `Actor` of every request into `request.user`; what may be done with a path is told to anybody."""

    def __init__(self, app: ASGIApp, authenticator: Authenticator) -> None:
        self._app: Final = app
        self._authenticator: Final = authenticator

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; see `Authenticator.identify`."""
        if scope["type"] == ScopeType.HTTP and scope["method"] != HttpMethod.OPTIONS:
            client = scope["client"]
            address = client[0] if client else ""
            scope["user"] = await self._authenticator.identify(header(scope, b"authorization"), address)
            scope["auth"] = None
        await self._app(scope, receive, send)


def parse_basic(authorization: str) -> Credentials | None:
    """The credentials of an `Authorization` header; None if it is malformed in any way."""
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic" or len(encoded) > CREDENTIALS_LENGTH_MAX:
        return None
    try:
        decoded = base64.b64decode(encoded.strip(), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return None
    username, colon, password = decoded.partition(":")
    if not colon or not 0 < len(username) <= USERNAME_MAX or "\x00" in decoded:
        return None
    return Credentials(username, password)


def _unauthorized() -> AnsweredError:
    return AnsweredError(HTTPStatus.UNAUTHORIZED, "Invalid username/password.", _CHALLENGE)
