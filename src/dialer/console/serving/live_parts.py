"""Live parts of pages: each is made once a second for all viewers of equal rights and language, and sent to each.

A browser gets them as Server-Sent Events, or asks for them again and again where that does not work.
"""

import re
import time
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Hashable
from contextlib import aclosing
from typing import Any, Final, NamedTuple

import anyio
from litestar import Response
from litestar.response import Stream

from dialer.api.http.stream_places import StreamPlaces
from dialer.api.service import ApiRequest
from dialer.console.parts.rendering import html
from dialer.console.serving.sessions import SESSION_COOKIE, CurrentSession, Sessions, cookie_of
from dialer.console.words.currency import PageCurrency, page_currency, show_currency
from dialer.console.words.language import speak, viewers_language
from dialer.domain.words.sentences import Sentence
from dialer.resources.words.headers import header

EVENT_STREAM: Final = "text/event-stream"
EVERY_S: Final = 1.0
STREAM_EVENTS_MAX: Final = 900
"""Seconds after which a stream ends; the browser then opens a new one."""
RETRY_MS: Final = 2_000
"""Time after which a browser opens a new stream."""
STREAMS_MAX: Final = 200
STREAMS_OF_ACCOUNT_MAX: Final = 100
"""Streams of all users of an account, but those of desks."""
DESK_STREAMS_MAX: Final = 200
DESK_STREAMS_OF_ACCOUNT_MAX: Final = 100
"""Streams of the desks of an account. They have places of their own, so that desks leave boards their streams."""
STREAMS_OF_USER_MAX: Final = 12
SNAPSHOTS_MAX: Final = 256
"""Parts that are kept: one for each page and kind of rights."""
_PHASE: Final = (5**0.5 - 1) / 2
"""Difference between the phases of two streams: the golden section spreads any number of them evenly over a turn."""

_SHOWN_BY: Final = ("actor", "language", "currencies")
"""The parts of a session that decide what it is shown."""
_LINE_END: Final = re.compile(r"\r\n|\r|\n")

Make = Callable[[], Awaitable[str]]


class _Part(NamedTuple):
    """A live part: its moment, its HTML, and the event that brings it to all who look on."""

    made_s: float
    html: str
    event: bytes


class Snapshots:
    """The newest live parts, and the streams that send them."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._now_s: Final = now_s
        self._made: Final[OrderedDict[tuple[str, PageCurrency, Hashable], _Part]] = OrderedDict()
        self._under_way: Final[dict[Hashable, anyio.Lock]] = {}
        refusal = Sentence("Too many pages are open. Close one.")
        self.places: Final = StreamPlaces(STREAMS_MAX, STREAMS_OF_ACCOUNT_MAX, STREAMS_OF_USER_MAX, refusal)
        """The places of streams. A browser that gets none polls instead."""
        self.desk_places: Final = StreamPlaces(
            DESK_STREAMS_MAX, DESK_STREAMS_OF_ACCOUNT_MAX, STREAMS_OF_USER_MAX, refusal
        )
        """The places of streams of desks."""
        self._changes = 0
        self._phase = 0.0
        self._is_over = anyio.Event()

    async def get(self, key: Hashable, make: Make) -> str:
        """Return the part with a key, which is made anew if it is older than a second. Viewers wait for one making."""
        return (await self._newest(key, make)).html

    async def get_event(self, key: Hashable, make: Make) -> bytes:
        """Return the part with a key as an event, which is written once for all viewers."""
        return (await self._newest(key, make)).event

    def forget(self, key: Hashable) -> None:
        """Discard a cached live part, because its data has changed."""
        self._changes += 1
        for kept in [kept for kept in self._made if kept[-1] == key]:
            del self._made[kept]

    async def _newest(self, key: Hashable, make: Make) -> _Part:
        of_viewer = (viewers_language().code, page_currency(), key)
        turn = self._under_way.setdefault(of_viewer, anyio.Lock())
        try:
            async with turn:
                made = self._made.get(of_viewer)
                if made is None or self._now_s() - made.made_s >= EVERY_S:
                    made_s, changes, text = self._now_s(), self._changes, await make()
                    made = _Part(made_s, text, _event(text))
                    if changes != self._changes:
                        return made  # It may have been read before the change.
                    self._made[of_viewer] = made
                    self._made.move_to_end(of_viewer)
                    if len(self._made) > SNAPSHOTS_MAX:
                        self._made.popitem(last=False)
                return made
        finally:
            if not turn.statistics().tasks_waiting:
                self._under_way.pop(of_viewer, None)

    async def ticks(self) -> AsyncGenerator[None]:
        """Yield once a second, each stream at its own moment, until the stream or the service ends.

        Pages that were opened together, as after a restart, would otherwise all be served at once, and calls would be
        dialled late.
        """
        self._phase = (self._phase + _PHASE) % 1
        due_s = anyio.current_time() + self._phase * EVERY_S
        for _ in range(STREAM_EVENTS_MAX):
            due_s = max(due_s + EVERY_S, anyio.current_time())
            with anyio.CancelScope(deadline=due_s):
                await self._is_over.wait()
            if self._is_over.is_set():
                return
            yield

    def end(self) -> None:
        """End all streams, because the service ends."""
        self._is_over.set()


async def answer_live(
    request: ApiRequest,
    snapshots: Snapshots,
    sessions: Sessions,
    key: Hashable,
    make: Make,
    places: StreamPlaces | None = None,
) -> Response[Any]:
    """Answer with a live part, or with a stream of it if the browser asks for events. It takes one of the places."""
    first = await snapshots.get(key, make)
    if EVENT_STREAM not in (header(request.scope, b"accept") or ""):
        return html(first)
    session: CurrentSession = request.scope["auth"]
    language, currency = viewers_language(), page_currency()
    place = (places or snapshots.places).take(session.actor.manager_id or session.actor.id, session.actor.id)

    async def events() -> AsyncIterator[bytes]:
        speak(language)
        show_currency(currency)
        with place:
            yield f"retry: {RETRY_MS}\n\n".encode() + _event(first)
            async with aclosing(snapshots.ticks()) as ticks:
                async for _ in ticks:
                    now = await sessions.find(cookie_of(request, SESSION_COOKIE), is_use=False)
                    if now is None or any(getattr(now, name) != getattr(session, name) for name in _SHOWN_BY):
                        return  # The part was made with the rights, language and currency of the beginning.
                    yield await snapshots.get_event(key, make)

    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return Stream(events(), media_type=EVENT_STREAM, headers=headers)


def _event(text: str) -> bytes:
    """Return an event whose data are the lines of a text, as browsers tell lines apart."""
    lines = "\n".join(f"data: {line}" for line in _LINE_END.split(text))
    return f"{lines}\n\n".encode()
