"""Recordings of whole calls: the list of those that the viewer may hear, and their sound."""

from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any, Final, NamedTuple

import msgspec
from litestar import Response, get
from litestar.params import FromPath
from litestar.response import Stream
from sqlalchemy import select

from dialer.api.actions.call_archives import AFTER, ZIP, ArchivePart, answer_call_archive, archive_parts
from dialer.api.actions.recordings import answer_call_recording
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
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.zones import zone_of
from dialer.console.serving.errors import messages_of
from dialer.console.serving.services import page
from dialer.console.words.campaign_names import named_with_tests
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.record_names import Option, names_of
from dialer.console.words.state_words import said_in_words, words_of
from dialer.domain.words.enums import AgentDisposition, RecordingState
from dialer.resources.crud.ordering import ORDERING
from dialer.resources.crud.pagination import ListSelection, parse_selection, read_page
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.searching import SEARCH
from dialer.resources.crud.urls import parse_id
from dialer.resources.crud.visibility import visible
from dialer.resources.records.call_recordings import CALL_RECORDINGS
from dialer.resources.records.calls import CDRS
from dialer.resources.words.errors import InvalidError
from dialer.store.tables import CallDisposition, Cdr

PLACE: Final = "calls"
RECORDINGS_A_PAGE: Final = 50
DAY: Final = "day"
FILTERS: Final[Mapping[str, str]] = {
    "number": SEARCH,
    "outcome": "disposition",
    "campaign": "campaign_id",
    "agent": "agent",
    "state": "state",
}
"""The parameters of the list in the API, by the fields of the form; the day is another one."""
_NEWEST_FIRST: Final = (ORDERING, "-start_date")
_STATES: Final = (
    (RecordingState.IN_PROGRESS.value, gettext_noop("In progress")),
    (RecordingState.STORED.value, gettext_noop("Stored")),
    (RecordingState.FAILED.value, gettext_noop("Failed")),
    (RecordingState.REMOVED.value, gettext_noop("Removed")),
)


class ListedRecording(NamedTuple):
    """A recording with the names of what it belongs to."""

    id: int
    start_ms: int
    phone_number: str
    campaign_id: int | None
    campaign: str
    agent: str
    outcome: str
    seconds: float
    is_removed: bool
    has_failed: bool
    goes_on: bool
    """True while its call goes on, so that nobody can hear it yet."""
    cdr_id: int | None
    """The call on whose page it is played; None if the viewer does not see it or it is gone, or if it is removed."""


class _Found(NamedTuple):
    rows: list[ListedRecording]
    total: int
    next: str
    previous: str
    campaigns: list[Option]
    agents: list[Option]
    parts: list[ArchivePart]
    """The archives of the campaign whose recordings are listed; none for a list of all."""


_NOTHING: Final = _Found([], 0, "", "", [], [], [])


@get("/call-recordings", media_type="text/html")
async def show_call_recordings(request: ApiRequest) -> Response[Any]:
    """Show a page of the list, the newest first."""
    given = {name: request.query_params.get(name, "").strip() for name in (*FILTERS, DAY)}
    filled = {name: value for name, value in given.items() if value}
    messages: list[str] = []
    found = _NOTHING
    try:
        selection = _selection(request, filled)
        found = await request.service.read(request, lambda unit: _read(unit, selection, filled))
    except InvalidError as error:
        messages = messages_of(error)
    return page(
        request,
        "call_recordings.html",
        PLACE,
        HTTPStatus.BAD_REQUEST if messages else HTTPStatus.OK,
        **found._asdict(),
        messages=messages,
        filled=given,
        outcomes=[(one.value, words_of(one)) for one in AgentDisposition],
        states=[(value, gettext(words)) for value, words in _STATES],
        is_narrowed=bool(filled),
    )


@get("/campaigns/{record_id:str}/call-recordings", media_type=ZIP)
async def download_calls_of_campaign(request: ApiRequest, record_id: FromPath[str]) -> Stream:
    """Send recordings of a campaign's calls as a ZIP file, from behind the id that the query names, as the API does."""
    after = parse_id(request.query_params.get(AFTER, "")) or 0
    return await answer_call_archive(request, identity_in(record_id, "campaign"), after)


@get("/call-recordings/{record_id:str}/sound", media_type="audio/wav")
async def play_call_recording(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Send the sound of a recording, whole or in part, as the API does."""
    return await answer_call_recording(request, identity_in(record_id))


def _selection(request: ApiRequest, filled: Mapping[str, str]) -> ListSelection:
    """Return the recordings that the fields of the form select.

    Raises:
        InvalidError: a field has a wrong value.
        RecordNotFoundError: the list has no such page.
    """
    zone = zone_of(request)
    parameters = [(FILTERS[name], value) for name, value in filled.items() if name != DAY]
    if day := filled.get(DAY):
        parameters += [
            ("start_date_after", with_offset(f"{day}T00:00", zone)),
            ("start_date_before", with_offset(f"{day}T23:59:59.999", zone)),
        ]
    paging = [(name, request.query_params[name]) for name in PAGING if name in request.query_params]
    parameters += [_NEWEST_FIRST, *paging, ("page_size", str(RECORDINGS_A_PAGE))]
    return parse_selection(CALL_RECORDINGS, parameters, request.service.conventions(request))


def _read(unit: Unit, selection: ListSelection, filled: Mapping[str, str]) -> _Found:
    campaign_name(unit, filled)
    agent_name(unit, filled)
    listed = read_page(unit, CALL_RECORDINGS, selection)
    return _Found(
        _rows(unit, listed.results),
        listed.count,
        same_list(filled, listed.next),
        same_list(filled, listed.previous),
        campaign_options(unit),
        agent_options(unit),
        archive_parts(unit, int(filled["campaign"])) if "campaign" in filled and listed.results else [],
    )


def _rows(unit: Unit, records: list[Any]) -> list[ListedRecording]:
    """Return recordings from records as the API answers with them."""
    campaigns = [id_in(one.campaign) if one.campaign else None for one in records]
    agents = [id_in(one.agent) if one.agent else None for one in records]
    calls = [id_in(one.callrequest) if one.callrequest else None for one in records]
    named = named_with_tests(unit.connection, {one for one in campaigns if one is not None})
    people = names_of(unit, "agent", [one for one in agents if one is not None])
    outcomes = _outcomes(unit, [one for one in calls if one is not None])
    pages = _calls(unit, [one.callid for one in records])
    return [
        ListedRecording(
            one.id,
            round(datetime.fromisoformat(one.start_date).timestamp() * 1_000),
            one.phone_number,
            named[campaign_id].shown_id if campaign_id in named else None,
            named[campaign_id].words if campaign_id in named else "",
            people.get(agent_id, "") if agent_id is not None else "",
            outcomes.get(call_id, "") if call_id is not None else "",
            msgspec.json.decode(one.seconds, type=float),
            one.state == RecordingState.REMOVED,
            one.state == RecordingState.FAILED,
            one.state == RecordingState.IN_PROGRESS,
            pages.get(one.callid) if one.state != RecordingState.REMOVED else None,
        )
        for one, campaign_id, agent_id, call_id in zip(records, campaigns, agents, calls, strict=True)
    ]


def _outcomes(unit: Unit, ids: list[int]) -> dict[int, str]:
    """Return the outcomes that agents gave to calls, in words."""
    columns = CallDisposition.callrequest_id, CallDisposition.disposition, CallDisposition.word
    rows = unit.connection.execute(select(*columns).where(CallDisposition.callrequest_id.in_(ids)))
    return {row.callrequest_id: said_in_words(row.disposition, row.word) for row in rows}


def _calls(unit: Unit, callids: list[str]) -> dict[str, int]:
    """Return the first leg that the viewer sees of each call."""
    is_seen = visible(CDRS, unit.actor, unit.resources)
    query = select(Cdr.callid, Cdr.id).where(Cdr.callid.in_(callids), is_seen).order_by(Cdr.leg_type.desc(), Cdr.id)
    return {row.callid: row.id for row in unit.connection.execute(query)}
