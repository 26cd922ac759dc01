"""Supervisors whose rights have changed: they hear only calls that they may hear."""

from typing import NamedTuple

from sqlalchemy import Connection, select, update

from dialer.app.work.events import CallLeft
from dialer.app.work.unit import UnitOfWork
from dialer.domain.numbers.agent_contacts import telephone_of
from dialer.domain.words.roles import Permission, Role
from dialer.store.database.touched import Touched
from dialer.store.tables import Agent, CallRequest, User


class _Supervised(NamedTuple):
    """A call that a supervisor hears."""

    agent_id: int
    call_id: int
    account_id: int
    telephone: str


def end_refused_supervisions(unit: UnitOfWork, user_id: int) -> None:
    """Hang up the telephone of a user in each call that the user may not hear any more.

    A supervisor hears a call while the user is enabled, may change campaigns, sees the call, and still has the
    telephone that was called.
    """
    for supervised in _supervised_by(unit.connection, user_id):
        if not _may_hear(unit.connection, user_id, supervised):
            _hang_up(unit, supervised)


def end_supervisions(unit: UnitOfWork, user_id: int) -> None:
    """Hang up the telephone of a user, who is about to be deleted, in each call that the user hears."""
    for supervised in _supervised_by(unit.connection, user_id):
        _hang_up(unit, supervised)


def _hang_up(unit: UnitOfWork, supervised: _Supervised) -> None:
    agent_id = supervised.agent_id
    unit.connection.execute(update(Agent).where(Agent.id == agent_id).values(supervised_call_id=None))
    unit.note(Touched(agents=frozenset({agent_id})), CallLeft(agent_id, supervised.call_id))


def _supervised_by(connection: Connection, user_id: int) -> list[_Supervised]:
    query = select(Agent.id, CallRequest.id, CallRequest.user_id, Agent.supervision_contact)
    query = query.join(CallRequest, CallRequest.id == Agent.supervised_call_id)
    rows = connection.execute(query.where(Agent.supervisor_id == user_id).order_by(Agent.id))
    return [_Supervised._make(row) for row in map(tuple, rows)]


def _may_hear(connection: Connection, user_id: int, supervised: _Supervised) -> bool:
    user = connection.execute(select(User.enabled, User.role, User.telephone).where(User.id == user_id)).one()
    role = Role(user.role)
    sees = role is Role.ADMIN or supervised.account_id == user_id
    has_telephone = telephone_of(user.telephone) == supervised.telephone
    return bool(user.enabled and Permission.CAMPAIGNS.is_given(role, None) and sees and has_telephone)
