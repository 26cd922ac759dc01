"""The actions of agents at their desks: about persons whom they see, calls in which they talk, and numbers."""

import json
from collections.abc import Callable
from typing import Final

from sqlalchemy import RowMapping, select, true

from dialer.app.call_centre.agents_and_queues import change_agent
from dialer.app.call_centre.chosen_people import Chosen, dial_chosen
from dialer.app.call_centre.consultations import change_consultation, consult
from dialer.app.call_centre.dispositions import Disposed, dispose_of_call
from dialer.app.call_centre.drafts import OutcomeDraft, keep_draft
from dialer.app.call_centre.live_calls import TransferTarget, hang_up_call, hold_call, resume_call, transfer_call
from dialer.app.call_centre.presence import leave_desks, note_desks
from dialer.app.call_centre.previews import call_previewed, read_preview, skip_previewed
from dialer.app.call_centre.wrap_ups import end_wrap_up
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.domain.words.enums import AgentDisposition, AgentStatus, CallRequestStatus, ConsultationMode, TransferStatus
from dialer.store.tables import Agent, CallRequest, Campaign, Queue, Transfer
from tests.vopr.action_unit import ActionUnit
from tests.vopr.dice import Dice
from tests.vopr.worlds import number_of


def at_desk(action: ActionUnit) -> str:
    """Let an agent call or skip the person whom they see, or else call anybody of a campaign with previews."""
    looks = [Agent.preview != ""] if action.has(Agent.__table__, Agent.preview != "") else []
    agent = action.one_of(Agent, *looks)
    person = read_preview(action.connection, agent["id"])
    if person is not None and action.dice.happens(85):
        does_skip = not person.is_wanted and action.dice.happens(30)
        (skip_previewed if does_skip else call_previewed)(action.unit, agent["id"], person.subscriber_id)
        return f"agent {agent['id']} {'skips' if does_skip else 'calls'} subscriber {person.subscriber_id}"
    return _dial(action, agent)


def in_talk(action: ActionUnit) -> str:
    """Let an agent who talks give one or two orders about the call. If nobody talks, let an agent come or dial."""
    owed = _owed(action)
    if owed and action.dice.happens(60):
        return _say(action, *owed[action.which % len(owed)])
    query = (
        select(Transfer.callrequest_id, Transfer.agent_id)
        .join(CallRequest, CallRequest.id == Transfer.callrequest_id)
        .where(CallRequest.status == CallRequestStatus.CALLING, Transfer.status == TransferStatus.CONNECTED)
        .where(Transfer.agent_id.is_not(None))
        .order_by(Transfer.id)
    )
    talks = action.connection.execute(query).all()
    if not talks or action.dice.happens(10):
        return (_come if action.dice.happens(40) else at_desk)(action)
    call_id, agent_id = talks[action.which % len(talks)]
    orders = [action.dice.pick(_ORDERS) for _ in range(action.dice.pick((1, 1, 1, 2)))]
    consults = Dice(action.now_ms, f"consultation in {call_id}")
    if consults.happens(30):
        return f"agent {agent_id}, call {call_id}: {_consult(action, call_id, agent_id or 0, consults)}"
    if action.dice.happens(25):
        orders.append(_promise)
    if action.dice.happens(30):
        orders.append(_type)
    if action.dice.happens(8):
        orders.append(_close_desk)
    return f"agent {agent_id}, call {call_id}: " + ", ".join(order(action, call_id, agent_id or 0) for order in orders)


def _owed(action: ActionUnit) -> list[tuple[int, int]]:
    """Return the agents who have to say the outcome of a call before the next one, each with the call."""
    rows = action.connection.execute(select(Agent.id, Agent.figures).where(Agent.figures != "").order_by(Agent.id))
    return [(row.id, call_id) for row in rows if (call_id := json.loads(row.figures).get("outcome_call_id", 0))]


def _say(action: ActionUnit, agent_id: int, call_id: int) -> str:
    """Let an agent say the outcome, or try to go on without it."""
    if action.dice.happens(20):
        end_wrap_up(action.unit, agent_id)
        return f"agent {agent_id} is ready"
    dispose_of_call(action.unit, call_id, Disposed(AgentDisposition.SUCCESS))
    return f"agent {agent_id} says the outcome of call {call_id}"


def _come(action: ActionUnit) -> str:
    agent = action.one_of(Agent, Agent.status.not_in(sorted(TAKES_CALLS)))
    change_agent(action.unit, agent["id"], {"status": AgentStatus.AVAILABLE})
    return f"agent {agent['id']} comes"


def _dial(action: ActionUnit, agent: RowMapping) -> str:
    campaign = action.one_of(Campaign, Campaign.manual_dialling == true(), Campaign.user_id == agent["user_id"])
    chosen = Chosen(campaign["id"], number_of(action.dice), again=True)
    dialled = dial_chosen(action.unit, agent["id"], chosen, action.rules)
    return f"agent {agent['id']} dials subscriber {dialled}"


def _to_number(action: ActionUnit, call_id: int, _agent_id: int) -> str:
    number = action.dice.pick(("+33199000002", "+12025550111", "+12025550112", number_of(action.dice)))
    transfer_call(action.unit, call_id, TransferTarget(phone_number=number))
    return f"to {number}"


def _to_queue(action: ActionUnit, call_id: int, _agent_id: int) -> str:
    queue = action.one_of(Queue)
    transfer_call(action.unit, call_id, TransferTarget(queue_id=queue["id"]))
    return f"to queue {queue['id']}"


def _to_agent(action: ActionUnit, call_id: int, agent_id: int) -> str:
    other = action.one_of(Agent, Agent.id != agent_id)
    transfer_call(action.unit, call_id, TransferTarget(agent_id=other["id"]))
    return f"to agent {other['id']}"


def _consult(action: ActionUnit, call_id: int, agent_id: int, dice: Dice) -> str:
    """Begin a consultation, or change one, with dice of their own."""
    wanted = action.connection.scalar(select(Agent.consulted_call_id).where(Agent.id == agent_id))
    if wanted == call_id and dice.happens(80):
        mode = dice.pick(list(ConsultationMode))
        change_consultation(action.unit, call_id, mode)
        return f"consultation: {mode}"
    number = dice.pick(("+33199000002", "+12025550111", "+12025550112", "+33199000003"))
    to = TransferTarget(phone_number=number)
    if dice.happens(40):
        to = TransferTarget(agent_id=action.one_of(Agent, Agent.id != agent_id, Agent.contact != "")["id"])
    consult(action.unit, call_id, to)
    return f"consults {to}"


def _hold(action: ActionUnit, call_id: int, _agent_id: int) -> str:
    hold_call(action.unit, call_id)
    return "hold"


def _resume(action: ActionUnit, call_id: int, _agent_id: int) -> str:
    resume_call(action.unit, call_id)
    return "resume"


def _hang_up(action: ActionUnit, call_id: int, _agent_id: int) -> str:
    hang_up_call(action.unit, call_id)
    return "hang up"


def _promise(action: ActionUnit, call_id: int, _agent_id: int) -> str:
    """Promise a call-back in the call, or take back what was promised."""
    after_s = action.dice.pick((0, 5, 60, 900))
    at_ms = action.now_ms + after_s * 1_000
    said = Disposed(AgentDisposition.CALL_BACK, call_back_ms=at_ms) if after_s else Disposed(AgentDisposition.SUCCESS)
    dispose_of_call(action.unit, call_id, said)
    return f"call-back after {after_s} s"


def _type(action: ActionUnit, call_id: int, agent_id: int) -> str:
    keep_draft(action.unit, agent_id, call_id, OutcomeDraft(note=f"typed at {action.now_ms}"))
    return "type"


def _close_desk(action: ActionUnit, _call_id: int, agent_id: int) -> str:
    """Close the desk of the agent, which was open, if the agent is on duty."""
    note_desks(action.unit, [agent_id], action.now_ms)
    return f"agents {leave_desks(action.unit, {agent_id: action.now_ms})} leave their desks"


def _leave(action: ActionUnit, _call_id: int, agent_id: int) -> str:
    status = action.dice.pick(list(AgentStatus))
    change_agent(action.unit, agent_id, {"status": status})
    return status.name


_TRANSFERS: Final = (_to_number, _to_queue, _to_agent)
_ORDERS: Final[tuple[Callable[[ActionUnit, int, int], str], ...]] = (
    *(_TRANSFERS * 3),
    *(_hold, _hold, _hold, _resume, _resume, _hang_up, _hang_up, _leave),
)
