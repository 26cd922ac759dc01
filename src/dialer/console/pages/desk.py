"""The page of an agent at work: available or on a break, the callee of the present call, and the calls before."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from litestar import Response, get, post
from litestar.di import NamedDependency
from sqlalchemy import Connection, Select, bindparam, func, select

from dialer.api.service import ApiRequest
from dialer.app.call_centre.chosen_people import LastReached, ManualCampaign, manual_campaigns
from dialer.app.call_centre.contact_fields import FieldsOfCall
from dialer.app.call_centre.desk import CallOnDesk, Desk, agent_at_desk, read_desk
from dialer.app.call_centre.dispositions import CallBackTerm, Disposed
from dialer.app.call_centre.drafts import OutcomeDraft, drafts_of
from dialer.app.call_centre.live_calls import NamedTargets, targets_of
from dialer.app.call_centre.previews import FailedCall, PreviewedPerson, failed_call_of, previewed_in
from dialer.app.call_centre.recording_orders import RecordingNow, recording_now
from dialer.app.imports.number_rows import NAME_PARTS
from dialer.console.pages.dispositions import DispositionForm, form_of, with_draft
from dialer.console.parts.callee_times import callees_time
from dialer.console.parts.rendering import render
from dialer.console.parts.zones import zone_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.live_parts import EVENT_STREAM, answer_live
from dialer.console.serving.orders import answer_obeyed
from dialer.console.serving.services import ConsoleServices, page
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.state_words import said_in_words
from dialer.domain.messages.templates import name_of
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.enums import AgentTelephone, AmdStatus, LegType
from dialer.domain.words.reasons import TRANSFER_REASONS
from dialer.domain.words.roles import Role
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.visibility import visible
from dialer.resources.records.calls import CDRS
from dialer.store.backends.expressions import without_index
from dialer.store.queries.callers_of_agent import WaitingCallers, callers_of_agent
from dialer.store.queries.promised_call_backs import (
    PromisedCallBack,
    PromiseToPerson,
    promise_to,
    promised_by_agent,
)
from dialer.store.tables import Agent, CallDisposition, CallRequest, Subscriber, Transfer

PLACE: Final = "desk"
DESK: Final = "/console/desk/"
CALLS_MAX: Final = 8
CALLS_LOOKED_AT: Final = 50
"""Calls of an agent among which the last that are over are shown."""
PROMISED_SHOWN: Final = 20
NOT_AN_AGENT: Final = gettext_noop(
    "No agent signs in with your user name. Ask your manager to set it as the agent's login."
)
_cdrs = CDRS.table
_came = select(Transfer.callrequest_id).where(Transfer.agent_id == bindparam("agent"))
_newest = _came.order_by(Transfer.id.desc()).limit(CALLS_LOOKED_AT).subquery()
_IS_NEW: Final = _cdrs.c.callrequest_id.in_(select(_newest.c.callrequest_id))
"""True for a call that is among the last ones of an agent. All that there were would take longer every day."""
_with_person = select(CallRequest.id).where(CallRequest.subscriber_id == bindparam("subscriber"))
_IS_WITH_PERSON: Final = _cdrs.c.callrequest_id.in_(_with_person)
_to_agent = select(Transfer.id).where(without_index(Transfer.agent_id) == bindparam("agent"))
_IS_OWN: Final = _to_agent.where(Transfer.callrequest_id == _cdrs.c.callrequest_id).correlate(_cdrs).exists()
"""True for a call that came to an agent: a user who is an agent may see no other."""
_ZONE: Final = select(Subscriber.zone).where(Subscriber.id == bindparam("subscriber"))


class PastCall(NamedTuple):
    """A call that came to the agent, with the words for its disposition."""

    id: int
    starting_ms: int
    person: str
    """The name, if it is known, and the number."""
    cause: int
    billsec: int
    said: str
    note: str = ""
    is_machine: bool = False
    """True if an answering machine answered it."""


class ReachedPerson(NamedTuple):
    """A person who completed the survey, and whom the agent may still call again."""

    campaign_id: int
    number: str
    reached: LastReached

    @property
    def said(self) -> str:
        """Return the outcome of the last call in words; empty if the agent gave none."""
        return said_in_words(self.reached.disposition, self.reached.word)


class OutcomeOnDesk(NamedTuple):
    """A call whose outcome the agent says, or has begun to say."""

    id: int
    """The id of the call request."""
    person: str
    """The name or the number of the callee, for a call that is not the present one; empty for that."""
    disposed: Disposed | None
    draft: OutcomeDraft | None
    term: CallBackTerm | None
    filled: FieldsOfCall
    """The columns of the contact that the agent may fill in."""
    is_erased: bool = False
    """True if the person of the call was erased, so that nothing may be left of what was typed."""
    form: DispositionForm | None = None

    def form_in(self, zone: ZoneInfo) -> DispositionForm:
        """Return the form of the call with what is saved, and over it what is typed."""
        return with_draft(form_of(self.disposed, zone), self.draft, zone)


class _Read(NamedTuple):
    desk: Desk | None
    past: list[PastCall]
    """Earlier calls of the present callee, or else the last calls of the agent."""
    promised: list[PromisedCallBack]
    """The call-backs that the agent has promised, the next one first."""
    seen: PreviewedPerson | None
    """The person whom the agent sees before the call."""
    targets: NamedTargets
    """The queues and agents to whom the present call can be transferred; none without a call."""
    outcomes: list[OutcomeOnDesk]
    """The outcome of the call on the desk, and those of earlier calls that are typed and not saved."""
    callers: WaitingCallers
    promise: PromiseToPerson | None
    """The call-back that the person on the desk was promised."""
    zone_key: str
    """The zone key of that person; empty if it is not known."""
    failed: FailedCall | None
    """The call that the agent has placed last, if it came to nothing."""
    recording: RecordingNow | None
    """The recording of the present call; None if it is not recorded."""


@get("/desk", media_type="text/html")
async def show_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Show the desk of the viewer."""
    live = await console.snapshots.get(key_of(request), lambda: make(request))
    return await show(request, live)


@get("/desk/crm", media_type="text/html")
async def show_crm_window(request: ApiRequest) -> Response[Any]:
    """Show the small window that opens the page of each call in the CRM by itself."""
    return page(request, "desk_crm.html", PLACE)


@get("/desk/live", media_type=EVENT_STREAM)
async def stream_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Send the desk of the viewer."""
    snapshots = console.snapshots
    return await answer_live(
        request, snapshots, console.sessions, key_of(request), lambda: make(request), snapshots.desk_places
    )


@post("/desk/live", media_type="text/html")
async def see_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Note that the viewer's desk is open, and hears of its changes."""
    await read_fields(request)
    console.presence.see(request.user.id)
    return answer_obeyed(request, DESK)


async def show(
    request: ApiRequest,
    live: str,
    status: HTTPStatus = HTTPStatus.OK,
    messages: Sequence[str] = (),
    number: str = "",
    reached: ReachedPerson | None = None,
) -> Response[Any]:
    """Show the desk, and the form of an agent who may dial by hand."""

    def read(unit: Unit) -> tuple[list[ManualCampaign], bool]:
        agent_id = agent_at_desk(unit.connection, unit.actor.id)
        if agent_id is None:
            return [], False
        telephone = unit.connection.scalar(select(Agent.telephone).where(Agent.id == agent_id))
        return manual_campaigns(unit.connection, agent_id), telephone == AgentTelephone.BROWSER

    campaigns, has_telephone = await request.service.read(request, read)

    return page(
        request,
        "desk.html",
        PLACE,
        status,
        live=live,
        campaigns=campaigns,
        telephone_port=request.service.settings.telephone_port if has_telephone else None,
        has_telephone=has_telephone,
        messages=messages,
        number=number,
        reached=reached,
    )


def key_of(request: ApiRequest) -> tuple[object, ...]:
    """Return the key of the viewer's desk among the live parts."""
    return (PLACE, request.user.id, zone_of(request).key)


async def make(request: ApiRequest, refused: tuple[int, DispositionForm] | None = None) -> str:
    """Return the live part of the viewer's desk; with `refused`, the form of a call that could not be saved."""
    found = await request.service.read_with_others(request, _read)
    zone, now_ms = zone_of(request), request.service.worker.clock.now_ms()
    refused_call, refused_form = refused or (0, None)
    forms = [
        one._replace(form=(refused_form if refused_form and one.id == refused_call else one.form_in(zone)))
        for one in found.outcomes
    ]
    return render(
        "desk_live.html",
        **found._asdict(),
        forms=[one._replace(form=one.form and one.form.until(one.term, zone).asking(one.filled)) for one in forms],
        parts_of_name=NAME_PARTS,
        now_ms=now_ms,
        local_time=callees_time(found.zone_key, now_ms),
        zone=zone,
        not_an_agent=gettext(NOT_AN_AGENT),
        reasons=TRANSFER_REASONS,
    )


def _named(name: str, number: str) -> str:
    """Return the name of a person, if it is known, and the number."""
    return f"{name}, {number}" if name else number


def _past_call(*row: Any) -> PastCall:  # noqa: ANN401 - the columns of `_read`
    identity, starting_ms, number, cause, billsec, amd_status, disposition, word, note, name, values = row
    is_machine = billsec > 0 and amd_status == AmdStatus.MACHINE
    person = _named(name_of(name, values), number)
    return PastCall(identity, starting_ms, person, cause, billsec, said_in_words(disposition, word), note, is_machine)


def _read(unit: Unit) -> _Read:
    desk = read_desk(unit.connection, unit.actor.id, unit.now_ms)
    if desk is None:
        return _Read(None, [], [], None, NamedTargets([], []), [], WaitingCallers(0, 0, None), None, "", None, None)
    call = desk.call if desk.is_talking else None
    preview = previewed_in(unit.connection, desk.preview, desk.preview_order)
    callers = callers_of_agent(unit.connection, desk.agent_id)
    person = _person(call, preview, callers)
    return _Read(
        desk,
        _past(unit, desk.agent_id, person),
        promised_by_agent(unit.connection, desk.user_id, desk.agent_id, PROMISED_SHOWN),
        preview,
        targets_of(unit.connection, desk.agent_id, unit.now_ms) if desk.is_talking else NamedTargets([], []),
        _outcomes(unit.connection, desk),
        callers,
        promise_to(unit.connection, person.subscriber_id, call and call.id) if person else None,
        _zone_key(unit.connection, person) if call is None else call.zone_key,
        _failed(unit.connection, desk) if call is None and callers.ringing is None else None,
        None if call is None else recording_now(unit.connection, call.id),
    )


class _Person(NamedTuple):
    """The person whom the desk is about; without an id for a caller who is no subscriber."""

    subscriber_id: int | None


def _person(call: CallOnDesk | None, preview: PreviewedPerson | None, callers: WaitingCallers) -> _Person | None:
    """Return the person in the call, in the call that rings, or before the call; None if there is none."""
    if call is not None:
        return _Person(call.subscriber_id)
    if callers.ringing is not None:
        return _Person(callers.ringing.subscriber_id)
    return None if preview is None else _Person(preview.subscriber_id)


def _failed(connection: Connection, desk: Desk) -> FailedCall | None:
    return failed_call_of(connection, desk.agent_id) if desk.has_placed_call else None


def _zone_key(connection: Connection, person: _Person | None) -> str:
    """Return the zone key of a person; empty if it is not known."""
    if person is None or person.subscriber_id is None:
        return ""
    return connection.scalar(_ZONE, {"subscriber": person.subscriber_id}) or ""


_queries: Final[dict[tuple[str, bool], Select[*tuple[Any, ...]]]] = {}
"""The queries of earlier calls, by the view of the actor: it takes longer to build them than to run them."""


def _query_of_past(unit: Unit, *, of_person: bool) -> Select[*tuple[Any, ...]]:
    """Return the query of the agent's calls: of those with a person, or of the last ones."""
    key = (unit.actor.view, of_person)
    if key not in _queries:
        names = ("id", "starting_date", "phone_number", "hangup_cause_q850", "billsec", "amd_status")
        said = [func.coalesce(CallDisposition.__table__.c[name], "") for name in ("disposition", "word", "note")]
        person = [func.coalesce(Subscriber.__table__.c[name], "") for name in ("full_name", "additional_vars")]
        query = select(*(_cdrs.c[name] for name in names), *said, *person)
        query = query.where(_cdrs.c.leg_type == LegType.A_LEG)  # The other leg is that to the agent, of the same call.
        query = query.outerjoin_from(_cdrs, CallDisposition, CallDisposition.callrequest_id == _cdrs.c.callrequest_id)
        query = query.outerjoin(Subscriber, Subscriber.id == _cdrs.c.subscriber_id)
        query = query.where(_IS_WITH_PERSON if of_person else _IS_NEW)
        is_seen = _IS_OWN if unit.actor.role is Role.AGENT else visible(CDRS, unit.actor, unit.resources)
        _queries[key] = query.where(is_seen).order_by(_cdrs.c.id.desc()).limit(CALLS_MAX)
    return _queries[key]


def _past(unit: Unit, agent_id: int, person: _Person | None) -> list[PastCall]:
    """Return earlier calls with a person, or the last calls of the agent."""
    values = {"actor_id": unit.actor.sees_as, "agent": agent_id}
    if person is not None:
        if person.subscriber_id is None:
            return []
        values["subscriber"] = person.subscriber_id
    query = _query_of_past(unit, of_person=person is not None)
    return [_past_call(*row) for row in map(tuple, unit.connection.execute(query, values))]


def _outcomes(connection: Connection, desk: Desk) -> list[OutcomeOnDesk]:
    """Return the calls whose outcomes the agent says, the newest first."""
    found, call = [], desk.call
    drafts = drafts_of(connection, desk.agent_id, None if call is None else call.id)
    if call is not None and (desk.shows_call or drafts.on_desk is not None):
        is_erased = call.number == ERASED
        found.append(OutcomeOnDesk(call.id, "", call.disposed, drafts.on_desk, call.term, call.filled, is_erased))
    for other in drafts.others:
        person = _named(other.full_name, other.number)
        of_call = other.disposed, other.draft, other.term, other.filled
        found.append(OutcomeOnDesk(other.callrequest_id, person, *of_call))
    return found
