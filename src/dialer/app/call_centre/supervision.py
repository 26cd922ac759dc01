"""Use cases of supervisors, who hear calls in which agents talk. The worker reads a wish with the row of its agent."""

from typing import Final

from sqlalchemy import Connection, select, update

from dialer.app.call_centre.live_calls import agent_in_call
from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.app.work.events import AppEvent, CallJoined, CallLeft, CallListened, CallWhispered
from dialer.app.work.unit import UnitOfWork
from dialer.domain.calls.plans import FREESWITCH
from dialer.domain.numbers.agent_contacts import is_extension, telephone_of
from dialer.domain.numbers.emergency import is_emergency_contact
from dialer.domain.numbers.prefixes import Prefixes
from dialer.domain.words.enums import SupervisionMode
from dialer.store.database.touched import Touched
from dialer.store.queries.destinations import is_forbidden_for, read_destinations
from dialer.store.queries.regions import region_of
from dialer.store.tables import Agent, CallRequest, Gateway, LiveLeg, Transfer, User

_EVENTS: Final[dict[SupervisionMode, type[CallListened | CallWhispered | CallJoined]]] = {
    SupervisionMode.LISTEN: CallListened,
    SupervisionMode.WHISPER: CallWhispered,
    SupervisionMode.JOIN: CallJoined,
}


def supervise_call(unit: UnitOfWork, callrequest_id: int, supervisor_id: int, mode: SupervisionMode) -> None:
    """Call the telephone of a supervisor, who hears a call in which an agent talks; or change who hears them.

    The row of the agent keeps the wish. A repeated one does nothing more.

    Raises:
        RefusedError: no agent talks in the call, its gateway cannot do it, the supervisor has no telephone that may be
            called, or another telephone hears the call.
    """
    connection = unit.connection
    agent_id = agent_in_call(connection, callrequest_id)
    contact = _telephone(connection, callrequest_id, supervisor_id)
    columns = (Agent.supervised_call_id, Agent.supervision_mode, Agent.supervision_contact)
    supervised, before, theirs = connection.execute(select(*columns).where(Agent.id == agent_id)).one()
    is_under_way = supervised == callrequest_id
    if is_under_way and theirs != contact:
        raise RefusedError("Another supervisor hears the call.", code=ErrorCode.LIMIT_REACHED)
    if is_under_way and before == mode:
        return
    begun = {
        "supervised_call_id": callrequest_id,
        "supervision_contact": contact,
        "supervisor_id": supervisor_id,
    }
    turn = Agent.supervision_turn if is_under_way else Agent.supervision_turn + 1
    wish = update(Agent).where(Agent.id == agent_id)
    connection.execute(wish.values(**begun, supervision_mode=str(mode), supervision_turn=turn))
    _note(unit, agent_id, _EVENTS[mode](agent_id, callrequest_id))


def stop_supervising(unit: UnitOfWork, callrequest_id: int) -> None:
    """Hang up the telephone of the supervisor who hears a call. Without one, it does nothing.

    Raises:
        RefusedError: no agent talks in the call.
    """
    agent_id = agent_in_call(unit.connection, callrequest_id)
    agent = update(Agent).where(Agent.id == agent_id, Agent.supervised_call_id == callrequest_id)
    if unit.connection.execute(agent.values(supervised_call_id=None)).rowcount:
        _note(unit, agent_id, CallLeft(agent_id, callrequest_id))


def mode_of(connection: Connection, callrequest_id: int) -> SupervisionMode | None:
    """Return the mode in which a supervisor hears a call, now or in a moment; None without a supervisor."""
    query = select(Agent.supervision_mode).join(Transfer, Transfer.agent_id == Agent.id)
    mode = connection.scalar(
        query.where(Transfer.callrequest_id == callrequest_id, Agent.supervised_call_id == callrequest_id)
    )
    return None if mode is None else SupervisionMode(mode)


def _note(unit: UnitOfWork, agent_id: int, event: AppEvent) -> None:
    unit.note(Touched(agents=frozenset({agent_id})), event)


def _telephone(connection: Connection, callrequest_id: int, supervisor_id: int) -> str:
    """Return the telephone of a supervisor, which is called over the gateway of a call and for its account."""
    at_gateway = (Gateway.id == LiveLeg.gateway_id) & (Gateway.medium == LiveLeg.medium)
    query = select(CallRequest.user_id, Gateway.protocol, Gateway.addprefix, Gateway.removeprefix)
    query = query.join(LiveLeg, LiveLeg.call_id == CallRequest.id).join(Gateway, at_gateway)
    found = connection.execute(query.where(CallRequest.id == callrequest_id, LiveLeg.place == 0)).first()
    if found is None:
        raise RefusedError("The call is simulated, so there is nothing to hear.", code=ErrorCode.PROTOCOL)
    account_id, protocol, add, remove = found
    if protocol == FREESWITCH:
        raise RefusedError(
            "Nobody can listen to a call over FreeSWITCH. That is possible over SIP.", code=ErrorCode.PROTOCOL
        )
    telephone = telephone_of(connection.scalar(select(User.telephone).where(User.id == supervisor_id)) or "")
    if not telephone or is_emergency_contact(telephone, region_of(connection, account_id)):
        raise RefusedError("You have no telephone. An admin enters it at your user.", code=ErrorCode.NO_TELEPHONE)
    allowed = read_destinations(connection, account_id)
    if not is_extension(telephone) and is_forbidden_for(
        connection, account_id, allowed, telephone, Prefixes(add, remove)
    ):
        raise RefusedError("The account of the call may not call your telephone.", code=ErrorCode.NO_TELEPHONE)
    return telephone
