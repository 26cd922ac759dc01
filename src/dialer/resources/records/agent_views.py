"""The rows that agents see: their own agent record, and the calls that they were given."""

from sqlalchemy import ColumnElement, Select, select

from dialer.store.tables import Agent, CallRecording, CallRequest, Cdr, Subscriber, Transfer, User


def own_agents(me: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that an agent record is the one of the user."""
    return Agent.login_id == me


def own_transfers(me: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that a transfer brought a call to the user."""
    return Transfer.agent_id.in_(select(Agent.id).where(own_agents(me)))


def own_calls(me: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that a call came to the user."""
    return CallRequest.id.in_(_call_ids(me))


def own_cdrs(me: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that a CDR is of a call that came to the user."""
    return Cdr.callrequest_id.in_(_call_ids(me))


def own_recordings(me: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that a recording is of a call that came to the user. The call may be deleted."""
    talked = CallRecording.agent_id.in_(select(Agent.id).where(own_agents(me)))
    return CallRecording.callrequest_id.in_(_call_ids(me)) | talked


def own_subscribers(me: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that a call of a subscriber came to the user."""
    called = select(CallRequest.subscriber_id).where(own_calls(me))
    return Subscriber.id.in_(called)


def oneself(me: ColumnElement[int]) -> ColumnElement[bool]:
    """Return the condition that an account is the one of the user."""
    return User.id == me


def _call_ids(me: ColumnElement[int]) -> Select[int]:
    return select(Transfer.callrequest_id).where(own_transfers(me))
