"""Queries of call-backs that agents have promised and that have not come yet."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Select, bindparam, select

from dialer.domain.messages.templates import name_of
from dialer.domain.words.enums import SubscriberStatus
from dialer.store.backends.expressions import without_index
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
    """The name of the person, which their list may have in two columns."""
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


@cache
def _promise(*, is_before: bool) -> Select[Any]:
    spoke = select(Agent.name).join(Transfer, Transfer.agent_id == Agent.id)
    spoke = spoke.where(Transfer.callrequest_id == CallRequest.id, Transfer.answered_ms.is_not(None))
    agent = spoke.order_by(Transfer.place.desc()).limit(1).correlate(CallRequest).scalar_subquery()
    query = (
        select(CallDisposition.call_back_ms, agent, CallDisposition.note)
        .join(CallRequest, CallRequest.id == CallDisposition.callrequest_id)
        .where(CallRequest.subscriber_id == bindparam("subscriber"))
        .order_by(CallRequest.id.desc())
        .limit(1)
    )
    return query.where(CallRequest.id < bindparam("before")) if is_before else query


def promise_to(connection: Connection, subscriber_id: int | None, before_call_id: int | None) -> PromiseToPerson | None:
    """Return the call-back that a person was promised in the last call before one, or at all; None without one."""
    values = {"subscriber": subscriber_id} | ({} if before_call_id is None else {"before": before_call_id})
    row = connection.execute(_promise(is_before=before_call_id is not None), values).first()
    return None if row is None or row[0] is None else PromiseToPerson(row[0], row[1] or "", row[2])


_talk = select(Transfer.callrequest_id, Transfer.agent_id, Transfer.place)
_talk = _talk.where(Transfer.answered_ms.is_not(None), Transfer.agent_id.is_not(None))
_TALK: Final = _talk.subquery()
_LATER: Final = _talk.subquery()
_IS_LAST: Final = ~(
    select(_LATER.c.place)
    .where(_LATER.c.callrequest_id == CallRequest.id, _LATER.c.place > _TALK.c.place)
    .correlate(CallRequest, _TALK)
    .exists()
)
_COLUMNS: Final = (
    CallRequest.id,
    CallDisposition.call_back_ms,
    Subscriber.number,
    Subscriber.full_name,
    Subscriber.additional_vars,
    CallDisposition.note,
    Campaign.id,
    Campaign.name,
    Agent.id,
    Agent.name,
    CallDisposition.same_agent,
)


def _promised(query: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    return (
        query.where(CallDisposition.call_back_ms.is_not(None))
        .where(Subscriber.status == SubscriberStatus.PENDING, Subscriber.due_ms == CallDisposition.call_back_ms)
        .order_by(CallDisposition.call_back_ms, CallDisposition.id)
        .limit(bindparam("most"))
    )


_OF_ALL: Final = _promised(
    select(*_COLUMNS)
    .select_from(CallDisposition)
    .join(CallRequest, CallRequest.id == CallDisposition.callrequest_id)
    .join(Subscriber, Subscriber.id == CallRequest.subscriber_id)
    .join(Campaign, Campaign.id == CallRequest.campaign_id)
    .outerjoin(_TALK, (_TALK.c.callrequest_id == CallRequest.id) & _IS_LAST)
    .outerjoin(Agent, Agent.id == _TALK.c.agent_id)
)
_OF_ACCOUNT: Final = _OF_ALL.where(CallDisposition.user_id == bindparam("user"))
_OF_AGENT: Final = _promised(
    select(*_COLUMNS)
    .select_from(_TALK)
    .join(CallRequest, CallRequest.id == _TALK.c.callrequest_id)
    .join(CallDisposition, CallDisposition.callrequest_id == CallRequest.id)
    .join(Subscriber, Subscriber.id == CallRequest.subscriber_id)
    .join(Campaign, Campaign.id == CallRequest.campaign_id)
    .join(Agent, Agent.id == _TALK.c.agent_id)
    .where(_TALK.c.agent_id == bindparam("agent"), _IS_LAST)
    # Those of the agent are fewer than those of the account.
    .where(without_index(CallDisposition.user_id) == bindparam("user"))
)


def promised_call_backs(
    connection: Connection, user_id: int | None, limit: int = PROMISED_MAX
) -> list[PromisedCallBack]:
    """Return the call-backs of an account, or of all. The next one comes first.

    The time of the call-back is that for which the subscriber waits. So one that has come, or that another outcome took
    back, is none any more.
    """
    query, values = (_OF_ALL, {"most": limit}) if user_id is None else (_OF_ACCOUNT, {"most": limit, "user": user_id})
    return _call_backs(connection.execute(query, values))


def promised_by_agent(connection: Connection, user_id: int, agent_id: int, limit: int) -> list[PromisedCallBack]:
    """Return the call-backs that an agent of an account has promised, the next one first."""
    rows = connection.execute(_OF_AGENT, {"most": limit, "user": user_id, "agent": agent_id})
    return _call_backs(rows)


def _call_backs(rows: Iterable[Sequence[Any]]) -> list[PromisedCallBack]:
    # Desks read them every second: most people have their name in one column, and cost no call of a function more.
    return [
        PromisedCallBack(call, at_ms, number, full_name or name_of(full_name, variables), *others)
        for call, at_ms, number, full_name, variables, *others in rows
    ]
