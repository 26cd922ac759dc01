"""The list of calls that are over, the newest first: filtered, and exported as CSV or as a spreadsheet."""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

import msgspec
from litestar import Response, get
from sqlalchemy import bindparam, select

from dialer.api.answers.list_chunks import read_chunks
from dialer.api.answers.long_tables import CSV, XLSX
from dialer.api.service import ApiRequest
from dialer.console.pages.call_filters import (
    PAGING,
    agent_name,
    agent_options,
    campaign_name,
    campaign_options,
    same_list,
)
from dialer.console.parts.cells import id_in
from dialer.console.parts.inputs import with_offset
from dialer.console.parts.wait_words import wait_words
from dialer.console.parts.zones import zone_of
from dialer.console.serving.errors import messages_of
from dialer.console.serving.services import page
from dialer.console.words.campaign_names import named_with_tests
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.record_names import Option
from dialer.console.words.state_words import outcome_words
from dialer.domain.billing.money import parse_money
from dialer.domain.words.enums import AmdStatus, Cause, LegType
from dialer.domain.words.roles import Permission
from dialer.resources.crud.ordering import ORDERING
from dialer.resources.crud.pagination import ListSelection, parse_selection, read_page
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.searching import SEARCH
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.calls import CDRS
from dialer.resources.words.errors import InvalidError, RecordNotFoundError
from dialer.store.queries.waits_in_queues import waits_of_calls
from dialer.store.tables import Agent, Cdr, User

PLACE: Final = "calls"
CALLS_A_PAGE: Final = 50
FILTERS: Final[Mapping[str, str]] = {
    "number": SEARCH,
    "outcome": "hangup_cause_q850",
    "campaign": "campaign_id",
    "agent": "agent_id",
    "leg": "leg_type",
    "abandoned": "is_abandoned",
    "from": "starting_date_after",
    "until": "starting_date_before",
}
"""The parameters of the list in the API, by the fields of the form."""
_MOMENTS: Final = frozenset({"from", "until"})
_NEWEST_FIRST: Final = (ORDERING, "-starting_date")
_LEGS: Final = (
    (str(LegType.A_LEG.value), gettext_noop("Calls")),
    (str(LegType.B_LEG.value), gettext_noop("Transfers")),
)


_WAITS: Final = (("true", gettext_noop("Abandoned")), ("false", gettext_noop("Not abandoned")))
_KINDS: Final = (
    select(Cdr.id, Cdr.attempt, Cdr.leg_type, Agent.name, User.currency)
    .join(User, User.id == Cdr.user_id)
    .outerjoin(Agent, Agent.id == Cdr.agent_id)
    .where(Cdr.id.in_(bindparam("ids", expanding=True)))
)


class CallRow(NamedTuple):
    """A call that is over, with the name of its campaign, which is None if it was deleted."""

    id: int
    starting_ms: int
    phone_number: str
    """The number at the other end: the callee's, or the caller's, which is empty if it is withheld."""
    cause: int
    leg_type: int
    billsec: int
    cost: int
    currency: str | None
    """The currency of its account; empty for that of the service."""
    campaign_id: int | None
    campaign: str | None
    came_in: bool
    agent: str = ""
    """The agent who took the transfer."""
    callee: str = ""
    """The number of the person who was transferred."""
    is_abandoned: bool = False
    wait: str = ""
    """Why no agent took it in time, and how long it waited; empty for others."""
    is_machine: bool = False
    """True if an answering machine answered it."""

    @property
    def is_transfer(self) -> bool:
        """Return whether the leg is the second one, to the person who took a transfer."""
        return self.leg_type == LegType.B_LEG


class _Found(NamedTuple):
    rows: list[CallRow]
    total: int
    next: str
    previous: str
    campaign: str
    campaigns: list[Option]
    agent: str
    agents: list[Option]


_NOTHING: Final = _Found([], 0, "", "", "", [], "", [])


@get("/calls", media_type="text/html")
async def show_calls(request: ApiRequest) -> Response[Any]:
    """Show a page of the list."""
    filled = _filled(request)
    messages: list[str] = []
    found = _NOTHING
    try:
        selection = _selection(request, filled)
        found = await request.service.read(request, lambda unit: _read(unit, selection, filled))
    except InvalidError as error:
        messages = messages_of(error)
    return page(
        request,
        "calls.html",
        PLACE,
        HTTPStatus.BAD_REQUEST if messages else HTTPStatus.OK,
        **found._asdict(),
        messages=messages,
        filled={name: filled.get(name, "") for name in FILTERS},
        outcomes=[(str(cause.value), outcome_words(str(cause.value))) for cause in Cause],
        waits=[(value, gettext(words)) for value, words in _WAITS],
        legs=[(value, gettext(words)) for value, words in _LEGS],
        campaign_id=filled.get("campaign"),
        campaign_chosen=parse_id(filled.get("campaign", "")),
        agent_chosen=parse_id(filled.get("agent", "")),
        exports={name: urlencode({**filled, "format": name}) for name in (CSV, XLSX)},
        is_narrowed=bool(filled),
        may_see_campaigns=request.user.may(Permission.READ),
    )


@get("/calls/export")
async def export_calls(request: ApiRequest) -> Response[Any]:
    """Send all calls that the filters select."""
    service, filled = request.service, _filled(request)
    selection = msgspec.structs.replace(_selection(request, filled), is_export=True)
    await service.read(request, lambda unit: (campaign_name(unit, filled), agent_name(unit, filled)))
    exported = await service.export(request, CDRS, partial(read_chunks, service, request, CDRS, selection))
    if exported is None:
        raise RecordNotFoundError("There is no such page.")
    return exported


def _filled(request: ApiRequest) -> dict[str, str]:
    given = {name: request.query_params.get(name, "").strip() for name in FILTERS}
    return {name: value for name, value in given.items() if value}


def _selection(request: ApiRequest, filled: Mapping[str, str]) -> ListSelection:
    """Return the calls that the fields of the form select.

    Raises:
        InvalidError: a field has a wrong value.
        RecordNotFoundError: the list has no such page.
    """
    zone = zone_of(request)
    parameters = [
        (FILTERS[name], with_offset(value, zone) if name in _MOMENTS else value) for name, value in filled.items()
    ]
    paging = [(name, request.query_params[name]) for name in PAGING if name in request.query_params]
    parameters += [_NEWEST_FIRST, *paging, ("page_size", str(CALLS_A_PAGE))]
    return parse_selection(CDRS, parameters, request.service.conventions(request))


def _read(unit: Unit, selection: ListSelection, filled: Mapping[str, str]) -> _Found:
    campaign, agent = campaign_name(unit, filled), agent_name(unit, filled)
    listed = read_page(unit, CDRS, selection)
    return _Found(
        rows_of_calls(unit, listed.results),
        listed.count,
        same_list(filled, listed.next),
        same_list(filled, listed.previous),
        campaign,
        campaign_options(unit),
        agent,
        agent_options(unit),
    )


def rows_of_calls(unit: Unit, records: list[Any]) -> list[CallRow]:
    """Return calls from records as the API answers with them."""
    ids = [id_in(record.campaign) if record.campaign else None for record in records]
    known = {identity for identity in ids if identity is not None}
    named = named_with_tests(unit.connection, known)
    cdr_ids = [record.id for record in records]
    came_in, agents, currencies = _kinds(unit, cdr_ids)
    waits = waits_of_calls(unit.connection, cdr_ids)
    return [
        CallRow(
            record.id,
            round(datetime.fromisoformat(record.starting_date).timestamp() * 1_000),
            record.callerid if record.id in came_in else record.phone_number,
            record.hangup_cause_q850,
            record.leg_type,
            record.billsec,
            parse_money(record.call_cost),
            currencies.get(record.id),
            named[identity].shown_id if identity in named else identity,
            named[identity].words if identity in named else None,
            record.id in came_in,
            agents.get(record.id, ""),
            record.callerid if record.leg_type == LegType.B_LEG else "",
            record.is_abandoned,
            wait_words(waits.get(record.id)),
            record.billsec > 0 and record.amd_status == AmdStatus.MACHINE,
        )
        for record, identity in zip(records, ids, strict=True)
    ]


def _kinds(unit: Unit, ids: list[int]) -> tuple[set[int], dict[int, str], dict[int, str]]:
    """Return the calls among these that came in, and by call the agent who took a transfer, and the currency."""
    rows = unit.connection.execute(_KINDS, {"ids": ids}).all()
    came_in = {row.id for row in rows if row.attempt < 0 and row.leg_type == LegType.A_LEG}
    agents = {row.id: row.name for row in rows if row.name is not None}
    return came_in, agents, {row.id: row.currency for row in rows}
