"""Use cases of agents who consult a third person during a call. The worker reads a wish with the row of its agent."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, select, update
from sqlalchemy.orm import aliased

from dialer.app.call_centre.live_calls import TransferTarget, agent_in_call
from dialer.app.call_centre.numbers_by_hand import allowed_number
from dialer.app.work.errors import ErrorCode, InvalidFieldsError, RefusedError
from dialer.app.work.events import AppEvent, CallConsulted, CallHandedOver, ConsultationChanged, ConsultationEnded
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calls.plans import FREESWITCH
from dialer.domain.engine.desk_transfers import AGENT
from dialer.domain.numbers.agent_contacts import telephone_of
from dialer.domain.numbers.emergency import is_emergency_contact
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.domain.words.enums import AgentTelephone, ConsultationMode, Consulted, TransferStatus
from dialer.store.database.touched import Touched
from dialer.store.queries.regions import region_of
from dialer.store.tables import Agent, CallRequest, Gateway, LiveLeg, Tier, Transfer

_IS_ASKED: Final = (Transfer.consulted == Consulted.ASKED) & (Transfer.status != TransferStatus.OVER)

_PROTOCOL: Final = (
    select(Gateway.protocol)
    .join(LiveLeg, (Gateway.id == LiveLeg.gateway_id) & (Gateway.medium == LiveLeg.medium))
    .where(LiveLeg.call_id == bindparam("call"), LiveLeg.place == 0)
)
_NOBODY: Final = "No third person is in the call. The agent talks with the callee."
_UNANSWERED: Final = "No third person has answered. Wait for the answer, or end the consultation."
_OTHER: Final = aliased(Agent)
_LAST_THIRD: Final = (
    select(
        *(Transfer.status, Transfer.phone_number, Transfer.answered_ms, Transfer.on_hold_from_ms, Transfer.reason),
        *(Agent.consultation_mode, _OTHER.name),
    )
    .join(Agent, Agent.id == Transfer.from_agent_id)
    .outerjoin(_OTHER, _OTHER.id == Transfer.for_agent_id)
    .where(Transfer.callrequest_id == bindparam("call"), Agent.id == bindparam("agent"))
    .where(Transfer.consulted == Consulted.ASKED)
    .order_by(Transfer.place.desc())
    .limit(1)
)


class ThirdPerson(NamedTuple):
    """The third person whom an agent consults, or consulted last in a call."""

    name: str
    """The name of the agent who is the third person, else the number."""
    mode: ConsultationMode | None
    """The people who talk with the agent, now or in a moment; None once the consultation is over."""
    answered_ms: int | None
    on_hold_from_ms: int | None
    """The time since which the third person is on hold; None if not."""
    reason: str
    """The `TransferReason` why they were not reached, or got no callee; empty if they were, or still may be."""


def consult(unit: UnitOfWork, callrequest_id: int, to: TransferTarget) -> None:
    """Call a third person while the callee of an agent waits on hold. The agent then talks with the third person.

    The row of the agent keeps the wish, so it outlives the process. A repeated one does nothing more.

    Raises:
        RefusedError: no agent talks in the call, its gateway cannot do it, or the agent consults somebody already.
        InvalidFieldsError: the target is missing, unknown, not free, or not allowed for the account.
    """
    connection = unit.connection
    agent_id = agent_in_call(connection, callrequest_id)
    if not can_consult(connection, callrequest_id):
        wrong = "Nobody can be consulted over FreeSWITCH. That is possible over SIP."
        raise RefusedError(wrong, code=ErrorCode.PROTOCOL)
    columns = (Agent.consulted_call_id, Agent.consultation_turn, Agent.consultation_to)
    wanted, turn, before = connection.execute(select(*columns).where(Agent.id == agent_id)).one()
    user_id = connection.scalar(select(CallRequest.user_id).where(CallRequest.id == callrequest_id)) or 0
    third = _third(connection, callrequest_id, user_id, agent_id, to)
    if (wanted, before) == (callrequest_id, third):
        return
    if wanted == callrequest_id or _asked(connection, callrequest_id) is not None:
        raise RefusedError("A third person is in the call already.", code=ErrorCode.LIMIT_REACHED)
    begun = {
        "consulted_call_id": callrequest_id,
        "consultation_turn": turn + 1,
        "consultation_mode": str(ConsultationMode.THIRD),
        "consultation_to": third,
        "hold_call_id": None,
    }
    connection.execute(update(Agent).where(Agent.id == agent_id).values(begun))
    _note(unit, agent_id, CallConsulted(agent_id, callrequest_id))


def change_consultation(unit: UnitOfWork, callrequest_id: int, mode: ConsultationMode) -> None:
    """Let an agent talk with the third person, the callee, or both, or hand the callee over to the third person.

    A repeated order does nothing more. Nor does the end of a consultation that there is not.

    Raises:
        RefusedError: no agent talks in the call, or no third person has answered.
    """
    if mode is ConsultationMode.END:
        _end_consultation(unit, callrequest_id)
        return
    agent_id = agent_in_call(unit.connection, callrequest_id)
    has_answered = _asked(unit.connection, callrequest_id)
    if not has_answered:
        raise RefusedError(_NOBODY if has_answered is None else _UNANSWERED, code=ErrorCode.NOTHING_TO_DO)
    agent = update(Agent).where(Agent.id == agent_id, Agent.consulted_call_id == callrequest_id)
    agent = agent.where(Agent.consultation_mode.not_in([mode, ConsultationMode.HAND_OVER]))
    if unit.connection.execute(agent.values(consultation_mode=str(mode))).rowcount:
        is_last = mode is ConsultationMode.HAND_OVER
        event = (CallHandedOver if is_last else ConsultationChanged)(agent_id, callrequest_id)
        _note(unit, agent_id, event)


def _end_consultation(unit: UnitOfWork, callrequest_id: int) -> None:
    agent_id = agent_in_call(unit.connection, callrequest_id)
    agent = update(Agent).where(Agent.id == agent_id, Agent.consulted_call_id == callrequest_id)
    if unit.connection.execute(agent.values(consulted_call_id=None)).rowcount:
        _note(unit, agent_id, ConsultationEnded(agent_id, callrequest_id))


def can_consult(connection: Connection, callrequest_id: int) -> bool:
    """Return whether the carrier of a call can connect a third person: a simulated one, or SIP."""
    return connection.scalar(_PROTOCOL, {"call": callrequest_id}) != FREESWITCH


def third_person(connection: Connection, callrequest_id: int, agent_id: int) -> ThirdPerson | None:
    """Return the third person whom an agent consults in a call, or consulted last; None if they consulted nobody."""
    row = connection.execute(_LAST_THIRD, {"call": callrequest_id, "agent": agent_id}).first()
    if row is None:
        return None
    mode = None if row.status == TransferStatus.OVER else ConsultationMode(row.consultation_mode)
    return ThirdPerson(row.name or row.phone_number, mode, row.answered_ms, row.on_hold_from_ms, row.reason)


def _asked(connection: Connection, callrequest_id: int) -> bool | None:
    """Return whether the third person of a call has answered; None without a third person."""
    query = select(Transfer.answered_ms.is_not(None)).where(Transfer.callrequest_id == callrequest_id, _IS_ASKED)
    return connection.scalar(query)


def _third(connection: Connection, callrequest_id: int, user_id: int, agent_id: int, to: TransferTarget) -> str:
    """Return whom an agent consults, as the row of the agent has it."""
    if to.queue_id is not None or bool(to.phone_number) == bool(to.agent_id):
        raise InvalidFieldsError({"phone_number": ["Give a phone number or an agent: one of the two."]})
    if to.agent_id is None:
        return allowed_number(connection, callrequest_id, to.phone_number)
    others = select(Agent.contact, Agent.telephone, Agent.status, Agent.is_talking).where(Agent.id == to.agent_id)
    others = others.where(Agent.user_id == user_id, Agent.id != agent_id, Agent.id.in_(select(Tier.agent_id)))
    other = connection.execute(others).first()
    if other is None:
        raise InvalidFieldsError({"agent": ["No other agent of this account who serves a queue has this id."]})
    is_browser = other.telephone == AgentTelephone.BROWSER
    contact = "" if is_browser else other.contact
    may_ring = is_browser or bool(telephone_of(contact)) or _is_simulated(connection, callrequest_id)
    if not may_ring or is_emergency_contact(contact, region_of(connection, user_id)):
        raise InvalidFieldsError({"agent": ["The agent has no telephone that can be called."]})
    if other.is_talking or other.status not in TAKES_CALLS:
        raise InvalidFieldsError({"agent": ["The agent is not free. Choose another one, or wait."]})
    return f"{AGENT}{to.agent_id}"


def _is_simulated(connection: Connection, callrequest_id: int) -> bool:
    """Return whether no telephone rings for a call, so that agents need none."""
    return bool(connection.scalar(select(CallRequest.is_simulated).where(CallRequest.id == callrequest_id)))


def _note(unit: UnitOfWork, agent_id: int, event: AppEvent) -> None:
    unit.note(Touched(agents=frozenset({agent_id})), event)
