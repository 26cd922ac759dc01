"""The orders of an agent at the desk. A script sends them and stays on the page; without it, the page comes anew."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final

from litestar import Response, post
from litestar.di import NamedDependency

from dialer.api.actions.chosen_people import order_call
from dialer.api.actions.live_calls import order_for_seen_call
from dialer.api.service import ApiRequest
from dialer.app.call_centre.agents_and_queues import change_agent
from dialer.app.call_centre.chosen_people import AlreadyReachedError, Chosen, dial_chosen
from dialer.app.call_centre.consultations import change_consultation, consult
from dialer.app.call_centre.desk import agent_at_desk
from dialer.app.call_centre.drafts import drop_draft, keep_draft, typed_or_saved
from dialer.app.call_centre.live_calls import TransferTarget, hang_up_call, hold_call, resume_call, transfer_call
from dialer.app.call_centre.previews import call_previewed, skip_previewed
from dialer.app.call_centre.wrap_ups import end_wrap_up, lengthen_wrap_up
from dialer.app.work.errors import ErrorCode, InvalidFieldsError, RefusedError
from dialer.console.pages.agent_orders import read_status
from dialer.console.pages.desk import DESK, NOT_AN_AGENT, ReachedPerson, key_of, make, show
from dialer.console.pages.dispositions import draft_in, merged, save
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.zones import zone_of
from dialer.console.serving.errors import messages_of, status_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.orders import answer_obeyed, answer_refused, is_by_script
from dialer.console.serving.services import ConsoleServices
from dialer.domain.engine.desk_transfers import AGENT, QUEUE
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.domain.words.enums import ConsultationMode
from dialer.resources.crud.resource import Unit
from dialer.resources.records.previews import NUMBER_MAX, rules_of
from dialer.resources.words.errors import RecordNotFoundError

NO_SUCH_ORDER: Final = "There is no such order. Reload the page, and choose again."
NO_SUCH_REASON: Final = "There is no such reason. Reload the page, and choose again."


@post("/desk/status", media_type="text/html")
async def change_own_status(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Log the viewer in or out, or send the viewer on a break, with a reason."""
    status, reason = read_status(await read_fields(request))
    values: dict[str, Any] = {"status": status, "break_reason": reason}
    if status in TAKES_CALLS and is_by_script(request):
        values["desk_seen_ms"] = console.presence.now_ms()  # So it is watched, even if it never says that it is open.

    def change(unit: Unit) -> None:
        change_agent(unit, _agent(unit), values, unit.actor.id)

    try:
        await request.service.write(request, change)
    except InvalidFieldsError:
        raise RecordNotFoundError(NO_SUCH_REASON) from None
    return _obeyed(request, console)


@post("/desk/draft", media_type="text/html")
async def keep_draft_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Keep what the viewer has typed about a call so far: all of it, or what is typed in one of several tabs."""
    filled = await read_fields(request)
    identity = identity_in(filled.get("call", ""))
    draft = draft_in(filled, identity, zone_of(request))

    def keep(unit: Unit) -> None:
        agent_id, typed = _agent(unit), draft
        if "partial" in filled:
            typed = merged(draft, filled, identity, typed_or_saved(unit.connection, agent_id, identity))
        keep_draft(unit, agent_id, identity, typed)

    await request.service.write(request, keep)
    return _obeyed(request, console)


@post("/desk/discard", media_type="text/html")
async def discard_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Discard what the viewer has typed about a call and not saved."""
    identity = identity_in((await read_fields(request)).get("call", ""))
    await request.service.write(request, lambda unit: drop_draft(unit, _agent(unit), identity))
    return _obeyed(request, console)


@post("/desk/disposition", media_type="text/html")
async def dispose_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Save the outcome of a call that came to the viewer. If it is refused, it stays as a draft."""
    filled = await read_fields(request)
    identity = identity_in(filled.get("call", ""))
    refused = await save(request, identity, filled, has_draft=True)
    if refused is None:
        return _obeyed(request, console)
    if is_by_script(request):
        return answer_refused(refused.messages, refused.status)
    return await show(request, await make(request, (identity, refused)), refused.status)


@post("/desk/hang-up", media_type="text/html")
async def hang_up_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Hang up the call in which the viewer talks."""
    return await _order(request, console, hang_up_call)


@post("/desk/hold", media_type="text/html")
async def hold_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Put the viewer's callee on hold."""
    return await _order(request, console, hold_call)


@post("/desk/resume", media_type="text/html")
async def resume_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Connect the viewer with the callee on hold."""
    return await _order(request, console, resume_call)


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
    try:
        await order_call(request, lambda unit: dial_chosen(unit, _agent(unit), chosen, rules_of(unit)))
    except AlreadyReachedError as error:
        if is_by_script(request):
            return answer_refused([], status_of(error))  # The page asks, so that the form is sent once more.
        asked = ReachedPerson(chosen.campaign_id, error.number, error.reached)
        return await show(request, await make(request), status_of(error), number=number, reached=asked)
    except (InvalidFieldsError, RefusedError) as error:
        if is_by_script(request):
            return answer_refused(messages_of(error), status_of(error))
        return await show(request, await make(request), status_of(error), messages_of(error), number)
    return _obeyed(request, console)


@post("/desk/ready", media_type="text/html")
async def end_wrap_up_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """End the viewer's time after a call."""
    return await _order_time(request, console, end_wrap_up)


@post("/desk/longer", media_type="text/html")
async def lengthen_wrap_up_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Make the viewer's time after a call longer, once."""
    return await _order_time(request, console, lengthen_wrap_up)


async def _order_time(
    request: ApiRequest, console: ConsoleServices, order: Callable[[Unit, int], None]
) -> Response[Any]:
    """Give an order about the viewer's time after a call. One that is over meanwhile is no mistake of the viewer."""
    await read_fields(request)
    with suppress(RefusedError):
        await request.service.write(request, lambda unit: order(unit, _agent(unit)))
    return _obeyed(request, console)


@post("/desk/transfer", media_type="text/html")
async def transfer_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Transfer the viewer's callee."""
    filled = await read_fields(request)
    identity, to = identity_in(filled.get("call", "")), _target(filled)
    try:
        await request.service.write(
            request, lambda unit: order_for_seen_call(unit, identity, lambda unit, call: transfer_call(unit, call, to))
        )
    except (InvalidFieldsError, RefusedError) as error:
        return await _refused(request, messages_of(error), status_of(error))
    return _obeyed(request, console)


@post("/desk/consult", media_type="text/html")
async def consult_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Let the viewer talk with a third person while the callee waits."""
    filled = await read_fields(request)
    identity, to = identity_in(filled.get("call", "")), _target(filled)
    try:
        await request.service.write(
            request, lambda unit: order_for_seen_call(unit, identity, lambda unit, call: consult(unit, call, to))
        )
    except (InvalidFieldsError, RefusedError) as error:
        return await _refused(request, messages_of(error), status_of(error))
    return _obeyed(request, console)


@post("/desk/consultation", media_type="text/html")
async def change_consultation_on_desk(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Change who talks with the viewer, hand the callee over, or end the consultation."""
    filled = await read_fields(request)
    identity, wanted = identity_in(filled.get("call", "")), filled.get("mode", "")
    if wanted not in set(ConsultationMode):
        raise RecordNotFoundError(NO_SUCH_ORDER)
    mode = ConsultationMode(wanted)
    try:
        await request.service.write(
            request,
            lambda unit: order_for_seen_call(unit, identity, lambda unit, call: change_consultation(unit, call, mode)),
        )
    except RefusedError as error:
        if error.code is not ErrorCode.NO_AGENT_TALKS:  # A call that is over meanwhile is no mistake of the viewer.
            return await _refused(request, messages_of(error), status_of(error))
    return _obeyed(request, console)


def _target(filled: Mapping[str, str]) -> TransferTarget:
    chosen = filled.get("to", "")
    if chosen.startswith(QUEUE):
        return TransferTarget(queue_id=identity_in(chosen.removeprefix(QUEUE)))
    if chosen.startswith(AGENT):
        return TransferTarget(agent_id=identity_in(chosen.removeprefix(AGENT)))
    return TransferTarget(filled.get("phone_number", "").strip())


async def _order(request: ApiRequest, console: ConsoleServices, order: Callable[[Unit, int], None]) -> Response[Any]:
    """Give an order about a call of the viewer. A call that has ended meanwhile is no mistake of the viewer."""
    identity = identity_in((await read_fields(request)).get("call", ""))
    with suppress(RefusedError):
        await request.service.write(request, lambda unit: order_for_seen_call(unit, identity, order))
    return _obeyed(request, console)


async def _order_person(
    request: ApiRequest, console: ConsoleServices, order: Callable[[Unit, int, int], None]
) -> Response[Any]:
    """Give an order about a person whom the viewer sees. If they see somebody else by now, it does nothing."""
    identity = identity_in((await read_fields(request)).get("person", ""))
    with suppress(RefusedError):
        await request.service.write(request, lambda unit: order(unit, _agent(unit), identity))
    return _obeyed(request, console)


def _agent(unit: Unit) -> int:
    """Return the agent of the viewer.

    Raises:
        RecordNotFoundError: the viewer is no agent.
    """
    agent_id = agent_at_desk(unit.connection, unit.actor.id)
    if agent_id is None:
        raise RecordNotFoundError(NOT_AN_AGENT)
    return agent_id


def _obeyed(request: ApiRequest, console: ConsoleServices) -> Response[Any]:
    console.snapshots.forget(key_of(request))
    return answer_obeyed(request, DESK)


async def _refused(request: ApiRequest, messages: Sequence[str], status: HTTPStatus) -> Response[Any]:
    """Answer an order that was refused: to a script with the messages, and else with the desk below them."""
    if is_by_script(request):
        return answer_refused(messages, status)
    return await show(request, await make(request), status, messages)
