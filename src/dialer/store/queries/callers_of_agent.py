"""The calls that wait for an agent: those in the agent's queues, and the one for which the agent's telephone rings."""

import json
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, select

from dialer.domain.words.enums import TransferStatus
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.wall_board import NUMBER
from dialer.store.tables import CallRequest, Campaign, Subscriber, Tier, Transfer

CALLERS_MAX: Final = 200
"""Calls that are looked at, those that wait longest first."""
_WAITING: Final = (
    select(NUMBER, Subscriber.full_name, Campaign.name, CallRequest.subscriber_id, Transfer.joined_ms, Transfer.offers)
    .join_from(CallRequest, Transfer, CallRequest.id == Transfer.callrequest_id)
    .join(Campaign, Campaign.id == CallRequest.campaign_id)
    .outerjoin(Subscriber, Subscriber.id == CallRequest.subscriber_id)
    .where(IS_CALLING, Transfer.status == TransferStatus.WAITING)
    .where(Transfer.queue_id.in_(select(Tier.queue_id).where(Tier.agent_id == bindparam("agent"))))
    .order_by(Transfer.joined_ms, Transfer.id)
    .limit(CALLERS_MAX)
)


class RingingCall(NamedTuple):
    """A call for which the telephone of an agent rings."""

    number: str
    full_name: str
    campaign: str
    subscriber_id: int | None
    since_ms: int


class WaitingCallers(NamedTuple):
    """The calls that wait in the queues of an agent."""

    waiting: int
    """The calls for which the agent's telephone does not ring; those beyond `CALLERS_MAX` are not counted."""
    since_ms: int
    """The time since which the first of them waits; 0 if none does."""
    ringing: RingingCall | None


def callers_of_agent(connection: Connection, agent_id: int) -> WaitingCallers:
    """Return the calls that wait in the queues of an agent."""
    ringing, others_ms = None, []
    for number, name, campaign, subscriber_id, joined_ms, offers in connection.execute(_WAITING, {"agent": agent_id}):
        since_ms = offers_in(offers).get(agent_id)
        if since_ms is None:
            others_ms.append(joined_ms)
        else:
            ringing = RingingCall(number, name or "", campaign, subscriber_id, since_ms)
    return WaitingCallers(len(others_ms), others_ms[0] if others_ms else 0, ringing)


def offers_in(document: str) -> dict[int, int]:
    """Return the agents whose telephones ring for a call, and since when, from the `offers` of a transfer."""
    return {int(agent_id): since_ms for agent_id, since_ms in json.loads(document or "{}").items()}
