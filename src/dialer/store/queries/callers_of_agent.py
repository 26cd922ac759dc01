"""The calls that wait for an agent: those in the agent's queues, and the one for which the agent's telephone rings."""

import json
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, case, select

from dialer.domain.messages.templates import name_of
from dialer.domain.queueing.skills import needed_by, skills_of
from dialer.domain.words.enums import TransferStatus
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.wall_board import NUMBER
from dialer.store.tables import Agent, CallRequest, Campaign, Queue, Subscriber, Tier, Transfer

CALLERS_MAX: Final = 200
"""Calls that are looked at, those that wait longest first."""
_SKILLS: Final = (Agent.skills, Queue.skills, Queue.skill_field)
_SKILL: Final = case((Queue.skill_field != "", Subscriber.additional_vars), else_="")
"""The values of the contact, if one of them may name a skill."""
_OTHER_NAMES: Final = case((Subscriber.full_name == "", Subscriber.additional_vars), else_="")
"""The values of the contact, if its name may be among them."""
_WAITING: Final = (
    select(NUMBER, Subscriber.full_name, Campaign.name, CallRequest.subscriber_id, Transfer.joined_ms, Transfer.offers)
    .add_columns(_OTHER_NAMES, *_SKILLS, _SKILL)
    .join_from(CallRequest, Transfer, CallRequest.id == Transfer.callrequest_id)
    .join(Campaign, Campaign.id == CallRequest.campaign_id)
    .join(Queue, Queue.id == Transfer.queue_id)
    .join(Tier, Tier.queue_id == Queue.id)
    .join(Agent, Agent.id == Tier.agent_id)
    .outerjoin(Subscriber, Subscriber.id == CallRequest.subscriber_id)
    .where(IS_CALLING, Transfer.status == TransferStatus.WAITING, Tier.agent_id == bindparam("agent"))
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
    """The calls that the agent may take and that do not ring; those beyond `CALLERS_MAX` are not counted."""
    since_ms: int
    """The time since which the first of them waits; 0 if none does."""
    ringing: RingingCall | None


def callers_of_agent(connection: Connection, agent_id: int) -> WaitingCallers:
    """Return the calls that wait in the queues of an agent, but not those whose skills the agent lacks."""
    ringing, others_ms = None, []
    for number, name, campaign, subscriber_id, joined_ms, offers, values, *skills in connection.execute(
        _WAITING, {"agent": agent_id}
    ):
        since_ms = offers_in(offers).get(agent_id)
        if since_ms is not None:
            ringing = RingingCall(number, name_of(name or "", values or ""), campaign, subscriber_id, since_ms)
        elif _may_take(*skills):
            others_ms.append(joined_ms)
    return WaitingCallers(len(others_ms), others_ms[0] if others_ms else 0, ringing)


def _may_take(of_agent: str, of_queue: str, skill_field: str, additional_vars: str | None) -> bool:
    if not of_queue and not skill_field:
        return True
    return skills_of(of_queue) | needed_by(additional_vars or "", skill_field) <= skills_of(of_agent)


def offers_in(document: str) -> dict[int, int]:
    """Return the agents whose telephones ring for a call, and since when, from the `offers` of a transfer."""
    return {int(agent_id): since_ms for agent_id, since_ms in json.loads(document or "{}").items()}
