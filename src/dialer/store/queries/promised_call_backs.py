"""Queries of call-backs that agents have promised and that have not come yet."""

from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from dialer.domain.words.enums import SubscriberStatus
from dialer.store.queries.selection import is_of
from dialer.store.tables import Agent, CallDisposition, CallRequest, Campaign, Subscriber, Transfer

PROMISED_MAX: Final = 200
"""Call-backs of a list: the next ones."""


class PromisedCallBack(NamedTuple):
    """A call-back, the person who waits for it, and the agent who promised it."""

    callrequest_id: int
    """The call in which it was promised."""
    at_ms: int
    number: str
    full_name: str
    note: str
    campaign_id: int
    campaign: str
    agent_id: int | None
    agent: str | None
    """None: the agent was deleted, or somebody else promised it."""
    same_agent: bool
    """True if that agent takes it themselves."""


class PromiseToPerson(NamedTuple):
    """A call-back that a person was promised in their last call."""

    at_ms: int
    agent: str
    """The agent who promised it; empty if the agent was deleted, or somebody else promised it."""
    note: str


def promise_to(connection: Connection, subscriber_id: int | None, before_call_id: int | None) -> PromiseToPerson | None:
    """Return the call-back that a person was promised in the last call before one, or at all; None without one."""
    spoke = select(Agent.name).join(Transfer, Transfer.agent_id == Agent.id)
    spoke = spoke.where(Transfer.callrequest_id == CallRequest.id, Transfer.answered_ms.is_not(None))
    agent = spoke.order_by(Transfer.place.desc()).limit(1).correlate(CallRequest).scalar_subquery()
    query = (
        select(CallDisposition.call_back_ms, agent, CallDisposition.note)
        .join(CallRequest, CallRequest.id == CallDisposition.callrequest_id)
        .where(CallRequest.subscriber_id == subscriber_id)
        .order_by(CallRequest.id.desc())
        .limit(1)
    )
    if before_call_id is not None:
        query = query.where(CallRequest.id < before_call_id)
    row = connection.execute(query).first()
    return None if row is None or row[0] is None else PromiseToPerson(row[0], row[1] or "", row[2])


def promised_call_backs(
    connection: Connection, user_id: int | None, agent_id: int | None = None, limit: int = PROMISED_MAX
) -> list[PromisedCallBack]:
    """Return the call-backs of an account, or of all; with `agent_id`, those of one agent. The next one comes first.

    The time of the call-back is that for which the subscriber waits. So one that has come, or that another outcome took
    back, is none any more.
    """
    spoke = select(Transfer.callrequest_id, Transfer.agent_id, Transfer.place)
    spoke = spoke.where(Transfer.answered_ms.is_not(None), Transfer.agent_id.is_not(None))
    talk = spoke.subquery()
    later = spoke.subquery()
    is_last = (
        ~select(later.c.place).where(later.c.callrequest_id == CallRequest.id, later.c.place > talk.c.place).exists()
    )
    query = (
        select(
            CallRequest.id,
            CallDisposition.call_back_ms,
            Subscriber.number,
            Subscriber.full_name,
            CallDisposition.note,
            Campaign.id,
            Campaign.name,
            Agent.id,
            Agent.name,
            CallDisposition.same_agent,
        )
        .select_from(CallDisposition)
        .join(CallRequest, CallRequest.id == CallDisposition.callrequest_id)
        .join(Subscriber, Subscriber.id == CallRequest.subscriber_id)
        .join(Campaign, Campaign.id == CallRequest.campaign_id)
        .outerjoin(talk, (talk.c.callrequest_id == CallRequest.id) & is_last)
        .outerjoin(Agent, Agent.id == talk.c.agent_id)
        .where(is_of(CallDisposition.user_id, user_id), CallDisposition.call_back_ms.is_not(None))
        .where(Subscriber.status == SubscriberStatus.PENDING, Subscriber.due_ms == CallDisposition.call_back_ms)
        .order_by(CallDisposition.call_back_ms, CallDisposition.id)
        .limit(limit)
    )
    if agent_id is not None:
        query = query.where(Agent.id == agent_id)
    return [PromisedCallBack._make(row) for row in connection.execute(query)]
