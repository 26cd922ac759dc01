"""The share of requests in progress that each account has, taken before the work for a request begins.

A few requests of an account are worked on at the same time, and more wait in a queue of its own. Those beyond are
refused at once, without routing and authentication. Large bodies have shares of their own, because clients may send
them slowly, and so does every stream of events: it gives its turn back when it begins.

A request without known credentials takes its turn when these have shown an account. It has none before, so strangers
who send slowly fill no pool, and nobody behind their address is refused.
"""

from http import HTTPStatus
from typing import Any, Final, TypeAlias

import anyio
from litestar.enums import ScopeType
from litestar.types import ASGIApp, HTTPResponseStartEvent, HTTPScope, Message, Receive, Scope, Send

from dialer.api.http.error_answers import error_answer
from dialer.api.http.event_streams import EVENT_STREAM
from dialer.api.http.hosts import OPEN_PATHS
from dialer.api.http.refusal_pace import RefusalPace
from dialer.api.http.requesters import KnownCredentials, Requester, RequestSender
from dialer.domain.shares.fair_turns import FairTurns, Reply, TurnLimits
from dialer.domain.words.sentences import template
from dialer.resources.words.errors import AnsweredError
from dialer.resources.words.headers import header

REQUESTS_AT_ONCE: Final = 256
REQUESTS_OF_ACCOUNT: Final = 32
"""Requests of one account that are worked on at the same time."""
REQUESTS_WAITING: Final = 2_048
REQUESTS_WAITING_OF_ACCOUNT: Final = 128
UPLOADS_WAITING: Final = 256
UPLOADS_WAITING_OF_ACCOUNT: Final = 32
WAIT_S: Final = 20.0
"""The longest time for which a request waits for its turn."""
DELAYED_MAX: Final = 1_000
"""Answers to refused requests that wait at the same time. Further ones are sent at once."""
RETRY_AFTER_S: Final = 1
_REQUESTS: Final = TurnLimits(
    REQUESTS_AT_ONCE, REQUESTS_OF_ACCOUNT, waiting_most=REQUESTS_WAITING, waiting_of_each=REQUESTS_WAITING_OF_ACCOUNT
)
_UPLOADS: Final = _REQUESTS._replace(waiting_most=UPLOADS_WAITING, waiting_of_each=UPLOADS_WAITING_OF_ACCOUNT)
_TURN_STATE: Final = "turn"
"""The key of the turn of a request in the `state` of its scope."""
_OWN: Final = template("Too many of your requests are in progress. Try again when some are answered.")
_OTHERS: Final = template("Too many requests are in progress. Try again later.")
_LATER: Final = {"Retry-After": str(RETRY_AFTER_S)}
_PACED: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
_EVENT_STREAM: Final = EVENT_STREAM.encode()
_SIGN_IN: Final = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.SEE_OTHER})
"""The answers to credentials that are wrong, or not right any more."""

_Turns: TypeAlias = "FairTurns[Requester, RequestTurn]"


class RequestShares:
    """Middleware that gives each account its share of the requests in progress."""

    def __init__(self, app: ASGIApp) -> None:
        self._app: Final = app
        self._requests: Final[_Turns] = FairTurns(_REQUESTS)
        self._uploads: Final[_Turns] = FairTurns(_UPLOADS)
        self.known: Final = KnownCredentials()
        self.pace: Final = RefusalPace()
        self.delayed = 0
        """Answers to refused requests that wait."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request. Those of monitors never wait."""
        if scope["type"] != ScopeType.HTTP or scope["path"].startswith(OPEN_PATHS):
            await self._app(scope, receive, send)
            return
        sender = self.known.sender(scope)
        turn = RequestTurn(self, self._uploads if sender.is_upload else self._requests, sender, send)
        try:
            await turn.take_if_known()
        except AnsweredError as error:
            await _refuse(scope, error, turn.send)
            return
        scope["state"][_TURN_STATE] = turn
        try:
            await self._app(scope, receive, turn.send)
        finally:
            turn.end()
            # Else the scope refers to itself, and stays until garbage is collected.
            del scope["state"][_TURN_STATE]


class RequestTurn:
    """The turn of one request, and the way of its answer."""

    def __init__(self, shares: RequestShares, turns: _Turns, sender: RequestSender, send: Send) -> None:
        self._shares: Final = shares
        self._turns: Final = turns
        self._sender: Final = sender
        self._send: Final = send
        self._requester: Requester = sender.requester
        self._begun: anyio.Event | None = None
        """Set when the turn begins, if it has to wait; most have not."""
        self._is_held = False
        self._is_shown = False
        """True once the credentials have shown whose request it is."""

    async def take_if_known(self) -> None:
        """Wait for a turn of the account whose credentials are known, and hold it.

        Raises:
            AnsweredError: 429, too many requests of it wait; 503, too many wait in all, or this one too long.
        """
        if isinstance(self._requester, int):
            await self._take(self._requester)

    async def _take(self, account_id: int) -> None:
        self._requester = account_id
        reply = self._turns.ask(account_id, self)
        if reply is Reply.BEGINS:
            self._is_held = True
            return
        if reply is Reply.WAITS:
            self._begun = anyio.Event()
            await self._wait(self._begun)
        elif reply is Reply.OWN_FULL:
            raise AnsweredError(HTTPStatus.TOO_MANY_REQUESTS, _OWN, _LATER)
        elif reply is Reply.ALL_FULL:
            raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, _OTHERS, _LATER)
        self._is_held = True

    async def _wait(self, begun: anyio.Event) -> None:
        try:
            with anyio.move_on_after(WAIT_S):
                await begun.wait()
        except BaseException:
            self._leave(begun)
            raise
        if not begun.is_set():
            self._turns.give_up(self._requester, self)
            raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, _OTHERS, _LATER)

    def _leave(self, begun: anyio.Event) -> None:
        if begun.is_set():
            self._is_held = True
            self.end()
        else:
            self._turns.give_up(self._requester, self)

    def begin(self) -> None:
        """Begin a turn that waits."""
        if self._begun is not None:
            self._begun.set()

    async def belongs_to(self, account_id: int) -> None:
        """Count the request for an account, whose credentials it has shown.

        Raises:
            AnsweredError: as for `take_if_known`.
        """
        self._is_shown = True
        if self._requester == account_id:
            return
        if self._sender.credentials is not None:
            self._shares.known.remember(self._sender.credentials, account_id)
        self.end()
        await self._take(account_id)

    def end(self) -> None:
        """End the turn, if it is held, and let the next one begin."""
        if self._is_held:
            self._is_held = False
            following = self._turns.end(self._requester)
            if following is not None:
                following.begin()

    async def send(self, message: Message) -> None:
        """Send a part of the answer. A refusal waits in its pace, and a stream gives its turn back."""
        if message["type"] == "http.response.start":
            status = message["status"]
            if status in _SIGN_IN and not self._is_shown and self._sender.credentials is not None:
                self._shares.known.forget(self._sender.credentials)
            elif status in _PACED:
                self.end()
                await self._delay()
            elif _is_stream(message):
                self.end()
        await self._send(message)

    async def _delay(self) -> None:
        shares = self._shares
        wait_s = shares.pace.wait_s(self._requester, anyio.current_time())
        if wait_s and shares.delayed < DELAYED_MAX:
            shares.delayed += 1
            try:
                await anyio.sleep(wait_s)
            finally:
                shares.delayed -= 1


async def count_for_account(scope: HTTPScope, account_id: int) -> None:
    """Count a request for an account, as soon as its credentials have shown whose it is.

    Raises:
        AnsweredError: 429 or 503; the account has too many requests in progress, or everybody together has.
    """
    turn: RequestTurn | None = scope["state"].get(_TURN_STATE)
    if turn is not None:
        await turn.belongs_to(account_id)


def _is_stream(message: HTTPResponseStartEvent) -> bool:
    for name, value in message["headers"]:
        if value.startswith(_EVENT_STREAM) and name.lower() == b"content-type":
            return True
    return False


async def _refuse(scope: Scope, error: AnsweredError, send: Send) -> None:
    """Answer a request for which no work was done."""
    headers, body = error_answer(error, header(scope, b"accept") or "")
    start: Any = {"type": "http.response.start", "status": error.status, "headers": headers}
    await send(start)
    await send({"type": "http.response.body", "body": body, "more_body": False})
