"""`/rest-api/events/`: the events of the caller's account, as pages for programs that poll, or as a stream."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias
from urllib.parse import urlencode

import msgspec
from litestar import Controller, Response, get, patch
from litestar.params import JSONBody
from litestar.types import BeforeRequestHookHandler
from sqlalchemy import select

from dialer.api.http.body import StrictBody, expect_json
from dialer.api.http.event_streams import EVENT_STREAM, SlowReadersCutOff
from dialer.api.http.known_parameters import LISTS_OPTION, PARAMETERS_OPTION
from dialer.api.routes.event_stream import open_stream
from dialer.api.service import ApiRequest
from dialer.app.telling.account_events import EVENT_TYPES, set_low_balance, switch_events
from dialer.domain.billing.money import format_money
from dialer.domain.words.described import described
from dialer.domain.words.sentences import message_of
from dialer.resources.crud.declaration import optional
from dialer.resources.crud.fields import Amount, Boolean, FieldError
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Shape, parse_whole, request_shape
from dialer.resources.crud.urls import ID_MAX
from dialer.resources.records.events import EVENT_ID, EventRead, account_of, event_read
from dialer.resources.words.errors import Errors, InvalidError
from dialer.resources.words.headers import header
from dialer.resources.words.ignored import ignored_header
from dialer.store.database.touched import NOTHING
from dialer.store.queries.currencies import currency_of_sums
from dialer.store.rows.account_events import EVENTS_PER_PAGE_MAX, EventsWanted, keeps_events, read_events
from dialer.store.tables import User

PER_PAGE: Final = 100
"""Events of a page, unless the client asks for another number."""
_PARAMETERS: Final = ("types", "campaign", "since", "after", "limit")


class EventsRead(msgspec.Struct):
    """A page of events, oldest first."""

    enabled: Annotated[bool, described("True if the account keeps its events.", example=True)]
    results: Annotated[list[EventRead], described("The events.")]
    next: Annotated[
        str | None,
        described(
            "The URL of the events after these. Null if there are no events in this page.",
            "https://dialer.example/rest-api/events/?after=evt_42",
        ),
    ]


class EventsSwitched(msgspec.Struct):
    """The switch of the account's events."""

    enabled: Annotated[bool, described("True if the account keeps its events.", example=True)]
    low_balance: Annotated[str, described("The balance at which there is an event `balance.low`.", "50.00000")]
    currency: Annotated[str, described("The currency of the account: an ISO 4217 code, or empty.", "EUR")]


EVENTS_CHANGE: Final = request_shape(
    "EventsChange",
    {
        "enabled": optional(
            Boolean(),
            "True to keep the events of the account from now on, false to stop. Null: as it is.",
            example=True,
        ),
        "low_balance": optional(
            Amount(0),
            "The balance at which there is an event `balance.low`. Null: as it is.",
            example="50.00000",
        ),
    },
    "The switch of the account's events.",
)
_NAMES: Final[dict[str, Any]] = {"EventsChange": EVENTS_CHANGE}
if TYPE_CHECKING:
    EventsChange: TypeAlias = Shape


class EventsController(Controller):
    """The handlers of the events of the caller's account."""

    path = "/events"
    tags = ("events",)
    signature_namespace = _NAMES
    dto = StrictBody
    return_dto = None
    before_request: "BeforeRequestHookHandler | None" = expect_json

    @get(
        "/",
        opt={LISTS_OPTION: (), PARAMETERS_OPTION: _PARAMETERS},
        middleware=[SlowReadersCutOff],
    )
    async def read_events(self, request: ApiRequest) -> Response[EventsRead]:
        """Read the events of the caller's account in the order in which they were committed, page by page.

        With `Accept: text/event-stream`, the answer is a stream of Server-Sent Events: those after `Last-Event-ID`,
        after `after` or since `since`, or else those that come from now on.
        """
        given = request.query_params
        wanted = _parse(given, request)
        if EVENT_STREAM in (header(request.scope, b"accept") or ""):
            is_placed = bool(given.keys() & {"after", "since"}) or header(request.scope, b"last-event-id") is not None
            return await open_stream(request, wanted, from_now=not is_placed)
        names = {name: given[name] for name in _PARAMETERS if name in given}
        return Response(await request.service.read(request, lambda unit: _page(unit, wanted, names)))

    @patch("/", status_code=HTTPStatus.OK)
    async def switch_events(self, request: ApiRequest, data: "JSONBody[EventsChange]") -> Response[EventsSwitched]:
        """Switch the events of the caller's account on or off. Until then, nothing of them is kept."""
        given: Any = data
        parsed = parse_whole(EVENTS_CHANGE, given, request.service.conventions(request))
        if parsed.errors:
            raise InvalidError(parsed.errors)
        switched = await request.service.write(request, lambda unit: _switch(unit, parsed.values))
        return Response(switched, headers=ignored_header(parsed.ignored))


def _switch(unit: Unit, values: Mapping[str, Any]) -> EventsSwitched:
    user_id = account_of(unit.actor)
    if values["enabled"] is not None:
        switch_events(unit, user_id, keep=values["enabled"])
    if values["low_balance"] is not None:
        set_low_balance(unit, user_id, values["low_balance"])
    unit.note(NOTHING)
    row = unit.connection.execute(select(User.keeps_events, User.low_balance).where(User.id == user_id)).one()
    return EventsSwitched(row.keeps_events, format_money(row.low_balance), _currency_of(unit, user_id))


def _parse(given: Mapping[str, str], request: ApiRequest) -> EventsWanted:
    errors: Errors = {}
    types = tuple(one for one in given.get("types", "").split(",") if one)[: len(EVENT_TYPES) + 1]
    unknown = [one for one in types if one not in EVENT_TYPES]
    if unknown:
        errors["types"] = [f"{unknown[0][:40]!r} is not a type of events. Use {', '.join(EVENT_TYPES)}."]
    since_ms = 0
    if "since" in given:
        try:
            since_ms = Timestamp().parse(given["since"], request.service.conventions(request))
        except FieldError as error:
            errors["since"] = [message_of(error)]
    numbers = {
        "campaign": _whole(given, "campaign", None, ID_MAX, errors),
        "after": _whole({"after": _after(given, request)}, "after", 0, ID_MAX, errors, least=0),
        "limit": _whole(given, "limit", PER_PAGE, EVENTS_PER_PAGE_MAX, errors),
    }
    if errors:
        raise InvalidError(errors)
    return EventsWanted(types, numbers["campaign"], since_ms, numbers["after"] or 0, numbers["limit"] or PER_PAGE)


def _after(given: Mapping[str, str], request: ApiRequest) -> str:
    """Return the id after which events are wanted: a browser that opens a stream again names it in a header."""
    return (given.get("after") or header(request.scope, b"last-event-id") or "0").removeprefix(EVENT_ID)


def _whole(
    given: Mapping[str, str], name: str, default: int | None, most: int, errors: Errors, *, least: int = 1
) -> int | None:
    text = given.get(name)
    if text is None:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and least <= int(text) <= most):
        errors[name] = [f"{text[:20]!r} is not a whole number from {least} to {most}."]
        return default
    return int(text)


def _page(unit: Unit, wanted: EventsWanted, names: Mapping[str, str]) -> EventsRead:
    user_id, links = account_of(unit.actor), unit.conventions.links
    rows = read_events(unit.connection, user_id, wanted)
    following = None
    if rows:
        following = f"{links.collection('events')}?{urlencode({**names, 'after': f'{EVENT_ID}{rows[-1].id}'})}"
    currency = _currency_of(unit, user_id)
    events = [event_read(row, links, currency) for row in rows]
    return EventsRead(keeps_events(unit.connection, user_id), events, following)


def _currency_of(unit: Unit, user_id: int) -> str:
    return currency_of_sums(unit.connection, user_id, unit.conventions.currency) or ""
