"""The rows that agents see: their own agent record, and the calls that they were given."""

from sqlalchemy import ColumnElement, Select, select

from dialer.store.tables import Agent, CallRequest, Cdr, Subscriber, Transfer, User

_agents = Agent.__table__
_transfers = Transfer.__table__
_calls = CallRequest.__table__


def own_agents(me: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that an agent record is the one of the user."""
    return _agents.c.login_id == me


def own_transfers(me: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that a transfer brought a call to the user."""
    return _transfers.c.agent_id.in_(select(_agents.c.id).where(own_agents(me)))


def own_calls(me: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that a call came to the user."""
    return _calls.c.id.in_(_call_ids(me))


def own_cdrs(me: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that a CDR is of a call that came to the user."""
    return Cdr.__table__.c.callrequest_id.in_(_call_ids(me))


def own_subscribers(me: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that a call of a subscriber came to the user."""
    called = select(_calls.c.subscriber_id).where(own_calls(me))
    return Subscriber.__table__.c.id.in_(called)


def oneself(me: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that an account is the one of the user."""
    return User.__table__.c.id == me


def _call_ids(me: ColumnElement[int]) -> Select[tuple[int]]:
    query: Select[tuple[int]] = select(_transfers.c.callrequest_id).where(own_transfers(me))
    return query
