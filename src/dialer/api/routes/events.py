"""`/rest-api/events/`: the events of the caller's account as pages, for programs that poll."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeAlias
from urllib.parse import urlencode

import msgspec
from litestar import Controller, Response, get, patch
from litestar.params import JSONBody
from litestar.types import BeforeRequestHookHandler

from dialer.api.crud.declaration import writable
from dialer.api.crud.fields import Boolean, FieldError
from dialer.api.crud.moments import Timestamp, show_timestamp
from dialer.api.crud.resource import Actor, Unit
from dialer.api.crud.shapes import Shape, parse_whole, request_shape
from dialer.api.crud.urls import ID_MAX, Links
from dialer.api.http.body import StrictBody, expect_json
from dialer.api.http.errors import Errors, InvalidError
from dialer.api.http.ignored import LISTS_OPTION, PARAMETERS_OPTION, ignored_header
from dialer.api.service import ApiRequest
from dialer.app.account_events import EVENT_TYPES, switch_events
from dialer.domain.described import described
from dialer.domain.sentences import message_of
from dialer.store.account_events import EVENTS_PER_PAGE_MAX, EventsWanted, keeps_events, read_events

PER_PAGE: Final = 100
"""Events of a page, unless the client asks for another number."""
_PARAMETERS: Final = ("types", "campaign", "since", "after", "limit")
_ID: Final = "evt_"
_LINKED: Final = {
    "call": "callrequest",
    "message": "sms-message",
    "subscriber": "subscriber-list",
    "agent": "agent",
    "dnc_list": "dnc-list",
    "entry": "dnc-contact",
}
"""The paths of the records whose ids the data of events hold."""


class EventRead(msgspec.Struct):
    """One event, as a CloudEvent 1.0."""

    specversion: Annotated[str, described("The version of CloudEvents.", "1.0")]
    id: Annotated[str, described("The identity of the event in the service.", "evt_42")]
    source: Annotated[str, described("The service.", "https://dialer.example/rest-api/")]
    type: Annotated[str, described("The type of the event.", "call.ended")]
    subject: Annotated[str, described("The path and the id of the record.", "callrequest/7")]
    time: Annotated[str, described("The moment of the event, in UTC.", "2026-11-18T11:06:40Z")]
    datacontenttype: Annotated[str, described("The media type of the data.", "application/json")]
    data: Annotated[
        dict[str, Any],
        described(
            "Ids, states, reasons, causes and amounts (integers of 1e-5), and `links` to the records.", {"call": 7}
        ),
    ]


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


EVENTS_CHANGE: Final = request_shape(
    "EventsChange",
    {
        "enabled": writable(
            Boolean(), "True to keep the events of the account from now on, false to stop.", example=True
        )
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

    @get("/", opt={LISTS_OPTION: (), PARAMETERS_OPTION: _PARAMETERS})
    async def read_events(self, request: ApiRequest) -> EventsRead:
        """Read the events of the caller's account in the order in which they were committed, page by page."""
        given = request.query_params
        wanted = _parse(given, request)
        names = {name: given[name] for name in _PARAMETERS if name in given}
        return await request.service.read(request, lambda unit: _page(unit, wanted, names))

    @patch("/", status_code=HTTPStatus.OK)
    async def switch_events(self, request: ApiRequest, data: "JSONBody[EventsChange]") -> Response[EventsSwitched]:
        """Switch the events of the caller's account on or off. Until then, nothing of them is kept."""
        given: Any = data
        parsed = parse_whole(EVENTS_CHANGE, given, request.service.conventions(request))
        if parsed.errors:
            raise InvalidError(parsed.errors)
        enabled = bool(parsed.values["enabled"])
        await request.service.write(request, lambda unit: switch_events(unit, _account(unit.actor), keep=enabled))
        return Response(EventsSwitched(enabled), headers=ignored_header(parsed.ignored))


def _account(actor: Actor) -> int:
    """Return the account of a user: that of the manager for whom a viewer or an agent works."""
    return actor.manager_id or actor.id


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
        "after": _whole({"after": given.get("after", "0").removeprefix(_ID)}, "after", 0, ID_MAX, errors, least=0),
        "limit": _whole(given, "limit", PER_PAGE, EVENTS_PER_PAGE_MAX, errors),
    }
    if errors:
        raise InvalidError(errors)
    return EventsWanted(types, numbers["campaign"], since_ms, numbers["after"] or 0, numbers["limit"] or PER_PAGE)


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
    user_id, links = _account(unit.actor), unit.conventions.links
    rows = read_events(unit.connection, user_id, wanted)
    following = None
    if rows:
        following = f"{links.collection('events')}?{urlencode({**names, 'after': f'{_ID}{rows[-1].id}'})}"
    return EventsRead(keeps_events(unit.connection, user_id), [_shown(row, links) for row in rows], following)


def _shown(row: Any, links: Links) -> EventRead:  # noqa: ANN401 - a row of the driver
    data = msgspec.json.decode(row.data)
    campaign = {} if row.campaign_id is None else {"campaign": row.campaign_id}
    urls = {name: links.record(path, data[name]) for name, path in _LINKED.items() if data.get(name)}
    path, _, record_id = row.subject.partition("/")
    return EventRead(
        specversion="1.0",
        id=f"{_ID}{row.id}",
        source=links.collection("").rstrip("/") + "/",
        type=row.type,
        subject=row.subject,
        time=show_timestamp(row.created_date),
        datacontenttype="application/json",
        data={**campaign, **data, "links": {"self": links.record(path, int(record_id)), **urls}},
    )
