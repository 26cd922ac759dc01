"""The stream of an account's events, as Server-Sent Events (WHATWG HTML, 9.2)."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from http import HTTPStatus
from typing import Any, Final

import msgspec
from litestar import Response
from litestar.response import Stream

from dialer.api.http.event_streams import CHECK_TICKS, EVENT_STREAM, HEARTBEAT_TICKS, EventStreams
from dialer.api.http.stream_places import StreamPlace
from dialer.api.service import ApiRequest
from dialer.app.work.errors import ErrorCode
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import Links
from dialer.resources.records.events import EVENT_ID, account_of, event_read
from dialer.resources.words.errors import AnsweredError
from dialer.store.queries.accounts import is_still_as
from dialer.store.queries.currencies import currency_of_sums
from dialer.store.rows.account_events import EventsWanted, keeps_events, last_event_id, read_events

AT_ONCE: Final = 500
"""Events that are read at once."""
RETRY_MS: Final = 2_000
"""The time after which a reader opens the stream again."""
_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


async def open_stream(request: ApiRequest, wanted: EventsWanted, *, from_now: bool) -> Response[Any]:
    """Return the answer that sends the events of the caller's account from a place on, or those that come from now on.

    Raises:
        AnsweredError: the account keeps no events (409), or has too many streams (429).
    """
    account_id, streams = account_of(request.user), request.service.event_streams
    place = streams.places.take(account_id, request.user.id)

    def begin(unit: Unit) -> EventsWanted:
        if not keeps_events(unit.connection, account_id):
            raise AnsweredError(
                HTTPStatus.CONFLICT,
                "The account keeps no events. Switch them on: PATCH /rest-api/events/.",
                code=ErrorCode.CONFLICT,
            )
        after_id = last_event_id(unit.connection, account_id) if from_now else wanted.after_id
        return wanted._replace(after_id=after_id, limit=AT_ONCE)

    try:
        reader = _EventReader(request, account_id, await request.service.read(request, begin))
    except BaseException:
        place.release()
        raise
    return Stream(_pieces(reader, streams, place), media_type=EVENT_STREAM, headers=_HEADERS)


class _EventReader:
    """A reader of an account's events, with the place up to which it has them."""

    def __init__(self, request: ApiRequest, account_id: int, wanted: EventsWanted) -> None:
        self.account_id: Final = account_id
        self._request: Final = request
        self._wanted = wanted
        self._links: Final = request.service.links(request)

    async def read(self, *, checks: bool) -> bytes | None:
        """Return the next events; empty if there are none. None: the reader has lost the rights of the beginning."""
        found = await self._request.service.read(self._request, lambda unit: self._rows(unit, checks=checks))
        if found is None:
            return None
        rows, currency = found
        if rows:
            self._wanted = self._wanted._replace(after_id=rows[-1].id)
        return b"".join(_piece(row, self._links, currency) for row in rows)

    def _rows(self, unit: Unit, *, checks: bool) -> tuple[Sequence[Any], str] | None:
        """Return the next events, and the currency of their account."""
        actor = unit.actor
        key_id = None if actor.key is None else actor.key.id
        if checks and not is_still_as(
            unit.connection, actor.id, (actor.role, actor.manager_id), key_id=key_id, now_ms=unit.now_ms
        ):
            return None
        rows = read_events(unit.connection, self.account_id, self._wanted)
        service = unit.conventions.currency
        return rows, (currency_of_sums(unit.connection, self.account_id, service) or "") if rows else service


async def _pieces(reader: _EventReader, streams: EventStreams, place: StreamPlace) -> AsyncIterator[bytes]:
    silent = 0
    with place:
        yield f"retry: {RETRY_MS}\n\n".encode()
        async with aclosing(streams.ticks()) as ticks:
            async for tick in ticks:
                piece = await reader.read(checks=tick % CHECK_TICKS == 0)
                silent = 0 if piece else silent + 1
                while piece:
                    yield piece
                    piece = await reader.read(checks=False)
                if piece is None:
                    return
                if silent >= HEARTBEAT_TICKS:
                    silent = 0
                    yield b":\n\n"


def _piece(row: Any, links: Links, currency: str) -> bytes:  # noqa: ANN401 - a row of the driver
    event = msgspec.json.encode(event_read(row, links, currency)).decode()
    return f"id: {EVENT_ID}{row.id}\nevent: {row.type}\ndata: {event}\n\n".encode()
