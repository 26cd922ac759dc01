"""The page of an agent at work: available or on a break, the callee of the present call, and the calls before."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from litestar import Response, get, post
from litestar.di import NamedDependency
from sqlalchemy import false, func, select

from dialer.api.actions.live_calls import order_for_seen_call
from dialer.api.service import ApiRequest
from dialer.app.call_centre.agents_and_queues import change_agent
from dialer.app.call_centre.chosen_people import (
    AlreadyReachedError,
    Chosen,
    LastReached,
    ManualCampaign,
    dial_chosen,
    manual_campaigns,
)
from dialer.app.call_centre.desk import Desk, read_desk
from dialer.app.call_centre.live_calls import (
    NamedTargets,
    TransferTarget,
    hang_up_call,
    hold_call,
    resume_call,
    targets_of,
    transfer_call,
)
from dialer.app.call_centre.previews import PreviewedPerson, call_previewed, read_preview, skip_previewed
from dialer.app.imports.number_rows import NAME_PARTS
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.console.pages.agent_orders import read_status
from dialer.console.pages.dispositions import DispositionForm, form_of, said_in_words, save
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.rendering import render
from dialer.console.parts.zones import zone_of
from dialer.console.serving.errors import messages_of, status_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.live_parts import EVENT_STREAM, answer_live
from dialer.console.serving.services import ConsoleServices, go_to, page
from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.engine.desk_transfers import AGENT, QUEUE
from dialer.domain.words.enums import AmdStatus, LegType
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.visibility import visible
from dialer.resources.records.calls import CDRS
from dialer.resources.records.previews import NUMBER_MAX, rules_of
from dialer.resources.words.errors import RecordNotFoundError
from dialer.store.queries.promised_call_backs import PromisedCallBack, promised_call_backs
from dialer.store.tables import CallDisposition

PLACE: Final = "desk"
DESK: Final = "/console/desk/"
CALLS_MAX: Final = 8
PROMISED_SHOWN: Final = 20
NOT_AN_AGENT: Final = gettext_noop(
    "No agent signs in with your user name. Ask your manager to set it as the agent's login."
)
_cdrs = CDRS.table


class PastCall(NamedTuple):
    """A call that came to the agent, with the words for its disposition."""

    id: int
    starting_ms: int
    number: str
    cause: int
    billsec: int
    said: str
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


@get("/desk", media_type="text/html")
async def show_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Show the desk of the viewer."""
    live = await console.snapshots.get(_key(request), lambda: _make(request))
    return await _show(request, live)


@get("/desk/live", media_type=EVENT_STREAM)
async def stream_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Send the desk of the viewer."""
    return await answer_live(request, console.snapshots, console.sessions, _key(request), lambda: _make(request))


@post("/desk/status", media_type="text/html")
async def change_own_status(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Log the viewer in or out, or send the viewer on a break, with a reason."""
    status, reason = read_status(await read_fields(request))

    def change(unit: Unit) -> None:
        desk = read_desk(unit.connection, unit.actor.id, unit.now_ms)
        if desk is None:
            raise RecordNotFoundError(NOT_AN_AGENT)
        change_agent(unit, desk.agent_id, {"status": status, "break_reason": reason})

    try:
        await request.service.write(request, change)
    except InvalidFieldsError:
        raise RecordNotFoundError("There is no such reason. Reload the page, and choose again.") from None
    console.snapshots.forget(_key(request))
    return go_to(DESK)


@post("/desk/disposition", media_type="text/html")
async def dispose_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Save the outcome of a call that came to the viewer."""
    filled = await read_fields(request)
    refused = await save(request, identity_in(filled.get("call", "")), filled)
    if refused is None:
        console.snapshots.forget(_key(request))
        return go_to(DESK)
    return await _show(request, await _make(request, refused), refused.status)


@post("/desk/hang-up", media_type="text/html")
async def hang_up_on_desk(request: ApiRequest) -> Response[Any]:
    """Hang up the call in which the viewer talks."""
    return await _order(request, hang_up_call)


@post("/desk/hold", media_type="text/html")
async def hold_on_desk(request: ApiRequest) -> Response[Any]:
    """Put the viewer's callee on hold."""
    return await _order(request, hold_call)


@post("/desk/resume", media_type="text/html")
async def resume_on_desk(request: ApiRequest) -> Response[Any]:
    """Connect the viewer with the callee on hold."""
    return await _order(request, resume_call)


@post("/desk/call", media_type="text/html")
async def call_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Call the person that the viewer previews."""
    return await _order_person(request, console, call_previewed)


@post("/desk/skip", media_type="text/html")
async def skip_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Skip the person that the viewer previews, and show another one."""
    return await _order_person(request, console, skip_previewed)


@post("/desk/dial", media_type="text/html")
async def dial_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Call a number of the viewer's own choice, within the rules of a campaign."""
    filled = await read_fields(request)
    number = filled.get("number", "").strip()[:NUMBER_MAX]
    chosen = Chosen(identity_in(filled.get("campaign", "")), number, again="again" in filled)

    def give(unit: Unit) -> None:
        desk = read_desk(unit.connection, unit.actor.id, unit.now_ms)
        if desk is None:
            raise RecordNotFoundError(NOT_AN_AGENT)
        dial_chosen(unit, desk.agent_id, chosen, rules_of(unit))

    try:
        await request.service.write(request, give)
    except AlreadyReachedError as error:
        asked = ReachedPerson(chosen.campaign_id, error.number, error.reached)
        return await _show(request, await _make(request), status_of(error), number=number, reached=asked)
    except (InvalidFieldsError, RefusedError) as error:
        return await _show(request, await _make(request), status_of(error), messages_of(error), number)
    console.snapshots.forget(_key(request))
    return go_to(DESK)


async def _show(
    request: ApiRequest,
    live: str,
    status: HTTPStatus = HTTPStatus.OK,
    messages: Sequence[str] = (),
    number: str = "",
    reached: ReachedPerson | None = None,
) -> Response[Any]:
    """Show the desk, and the form of an agent who may dial by hand."""

    def read(unit: Unit) -> list[ManualCampaign]:
        desk = read_desk(unit.connection, unit.actor.id, unit.now_ms)
        return [] if desk is None else manual_campaigns(unit.connection, desk.agent_id)

    return page(
        request,
        "desk.html",
        PLACE,
        status,
        live=live,
        campaigns=await request.service.read(request, read),
        messages=messages,
        number=number,
        reached=reached,
    )


async def _order_person(
    request: ApiRequest, console: ConsoleServices, order: Callable[[Unit, int, int], None]
) -> Response[Any]:
    """Give an order about a person whom the viewer sees. If they see somebody else by now, it does nothing."""
    identity = identity_in((await read_fields(request)).get("person", ""))

    def give(unit: Unit) -> None:
        desk = read_desk(unit.connection, unit.actor.id, unit.now_ms)
        if desk is None:
            raise RecordNotFoundError(NOT_AN_AGENT)
        order(unit, desk.agent_id, identity)

    with suppress(RefusedError):
        await request.service.write(request, give)
    console.snapshots.forget(_key(request))
    return go_to(DESK)


@post("/desk/transfer", media_type="text/html")
async def transfer_on_desk(request: ApiRequest) -> Response[Any]:
    """Transfer the viewer's callee."""
    filled = await read_fields(request)
    identity, to = identity_in(filled.get("call", "")), _target(filled)
    try:
        with suppress(RefusedError):
            await request.service.write(
                request,
                lambda unit: order_for_seen_call(unit, identity, lambda unit, call: transfer_call(unit, call, to)),
            )
    except InvalidFieldsError as error:
        live = await _make(request, wrong=messages_of(error))
        return await _show(request, live, HTTPStatus.BAD_REQUEST)
    return go_to(DESK)


def _target(filled: Mapping[str, str]) -> TransferTarget:
    chosen = filled.get("to", "")
    if chosen.startswith(QUEUE):
        return TransferTarget(queue_id=identity_in(chosen.removeprefix(QUEUE)))
    if chosen.startswith(AGENT):
        return TransferTarget(agent_id=identity_in(chosen.removeprefix(AGENT)))
    return TransferTarget(filled.get("phone_number", "").strip())


async def _order(request: ApiRequest, order: Callable[[Unit, int], None]) -> Response[Any]:
    """Give an order about a call of the viewer. A call that has ended meanwhile is no mistake of the viewer."""
    identity = identity_in((await read_fields(request)).get("call", ""))
    with suppress(RefusedError):
        await request.service.write(request, lambda unit: order_for_seen_call(unit, identity, order))
    return go_to(DESK)


def _key(request: ApiRequest) -> tuple[object, ...]:
    return (PLACE, request.user.id, zone_of(request).key)


async def _make(request: ApiRequest, refused: DispositionForm | None = None, wrong: Sequence[str] = ()) -> str:
    found = await request.service.read(request, _read)
    zone = zone_of(request)
    call = None if found.desk is None else found.desk.call
    return render(
        "desk_live.html",
        **found._asdict(),
        wrong=wrong,
        form=(refused or form_of(call and call.disposed, zone)).until(call and call.term, zone),
        parts_of_name=NAME_PARTS,
        now_ms=request.service.worker.clock.now_ms(),
        zone=zone,
        not_an_agent=gettext(NOT_AN_AGENT),
    )


def _past_call(*row: Any) -> PastCall:  # noqa: ANN401 - the columns of `_read`
    *facts, billsec, amd_status, disposition, word = row
    is_machine = billsec > 0 and amd_status == AmdStatus.MACHINE
    return PastCall._make((*facts, billsec, said_in_words(disposition, word), is_machine))


def _read(unit: Unit) -> _Read:
    desk = read_desk(unit.connection, unit.actor.id, unit.now_ms)
    if desk is None:
        return _Read(None, [], [], None, NamedTargets([], []))
    names = ("id", "starting_date", "phone_number", "hangup_cause_q850", "billsec", "amd_status")
    said = [func.coalesce(column, "") for column in (CallDisposition.disposition, CallDisposition.word)]
    query = select(*(_cdrs.c[name] for name in names), *said).where(visible(CDRS, unit.actor, unit.resources))
    query = query.where(_cdrs.c.leg_type == LegType.A_LEG)  # The other leg is that to the agent, of the same call.
    query = query.outerjoin_from(_cdrs, CallDisposition, CallDisposition.callrequest_id == _cdrs.c.callrequest_id)
    if desk.is_talking and desk.call is not None:
        of_caller = _cdrs.c.subscriber_id == desk.call.subscriber_id
        query = query.where(of_caller if desk.call.subscriber_id is not None else false())
    rows = unit.connection.execute(query.order_by(_cdrs.c.id.desc()).limit(CALLS_MAX), {"actor_id": unit.actor.sees_as})
    past = [_past_call(*row) for row in map(tuple, rows)]
    promised = promised_call_backs(unit.connection, desk.user_id, desk.agent_id, PROMISED_SHOWN)
    targets = targets_of(unit.connection, desk.agent_id) if desk.is_talking else NamedTargets([], [])
    return _Read(desk, past, promised, read_preview(unit.connection, desk.agent_id), targets)
