"""Rules about previews (I17), callers who go before looks, and agents who are kept for calls (I21)."""

import json
from collections.abc import Collection, Iterator
from typing import Final

from sqlalchemy import Connection

from dialer.domain.words.enums import DialMethod, TransferStatus
from tests.vopr.skills import is_able
from tests.vopr.snapshot import Attempt, Snapshot, ask

_ORDERS: Final = frozenset({"call", "dial"})
_PASSED_OVER: Final = """
    SELECT t.id, a.id, a.parameters, a.preview, a.skills, q.skills, q.skill_field, s.additional_vars
    FROM transfer t JOIN queue q ON q.id = t.queue_id
    JOIN tier ON tier.queue_id = q.id JOIN agent a ON a.id = tier.agent_id
    JOIN callrequest r ON r.id = t.callrequest_id LEFT JOIN subscriber s ON s.id = r.subscriber_id
    WHERE t.status = ? AND t.ended_ms IS NULL AND t.score_from_ms > 0 AND t.offers = '{}' AND t.for_agent_id IS NULL
    AND s.promised_agent_id IS NULL AND NOT q.tier_rules_apply
    AND a.status IN (2, 3) AND a.preview <> '' AND a.preview_order = ''"""
"""Callers whom nobody is asked to take, with the agents of their queues who look at a person."""


def previews(before: Snapshot, after: Snapshot, new: Collection[Attempt]) -> Iterator[str]:
    """Yield what is wrong with the previews of agents, and the new attempts that nobody has ordered."""
    seen = [json.loads(desk.preview)["subscriber_id"] for desk in after.desks if desk.preview]
    for subscriber_id in sorted({one for one in seen if seen.count(one) > 1}):
        yield f"I17: several agents see subscriber {subscriber_id}"
    if not all(_is_at_desk(desk.parameters) for desk in (*before.desks, *after.desks)):
        return  # Agents who are simulated decide within a unit of work.
    orders = [json.loads(desk.preview_order) for desk in before.desks if desk.preview_order]
    wanted = {order["subscriber_id"] for order in orders if order["action"] in _ORDERS}
    looks = [json.loads(desk.preview) for desk in before.desks if desk.preview]
    wanted |= {look["subscriber_id"] for look in looks if look["is_chosen"]}
    for one in new:
        campaign = before.campaigns.get(one.campaign_id)
        is_previewed = campaign is not None and campaign["dial_method"] == DialMethod.PREVIEW
        if campaign is not None and is_previewed and not campaign["preview_calls"]:
            if one.subscriber_id not in wanted:
                yield f"I17: attempt {one.id} to subscriber {one.subscriber_id}, whom no agent wanted to call"
            wanted.discard(one.subscriber_id)


def passed_over(connection: Connection) -> Iterator[str]:
    """Yield the callers who wait beside an agent who looks at a person, after the worker has worked."""
    found = ask(connection, _PASSED_OVER, int(TransferStatus.WAITING))
    for transfer_id, agent_id, parameters, preview, *skills in found:
        look = json.loads(preview)
        if _is_at_desk(parameters) and look["call_id"] is None and not look["is_chosen"] and is_able(*skills):
            yield f"I17: nobody is asked to take transfer {transfer_id}, while agent {agent_id} looks at a person"


def kept(before: Snapshot, after: Snapshot, new: Collection[Attempt]) -> Iterator[str]:
    """Yield calls without a kept agent to people who were abandoned, and kept agents who are given other calls."""
    looks = [(desk, json.loads(desk.preview)) for desk in after.desks if desk.preview]
    agents = {look["call_id"]: desk for desk, look in looks if look["call_id"] is not None}
    reached = {leg.call_id for leg in after.legs}
    # It is not known what a call came to that ended in this step. An agent may have taken it, or promised another call.
    in_call = {one.subscriber_id for one in before.calls if one.ended_ms is None}
    for one in new:
        person = before.people.get(one.subscriber_id)
        is_under_way = one.attempt > 0 and one.ended_ms is None and one.id not in reached
        needs_agent = person is not None and person.abandoned and person.promised_agent_id is None
        if is_under_way and needs_agent and one.subscriber_id not in in_call and one.id not in agents:
            yield f"I21: no agent is kept for call {one.id} to subscriber {one.subscriber_id}, who was abandoned"
    for call_id, desk in agents.items():
        for leg in after.legs:
            is_theirs = leg.agent_id == desk.agent_id or f"{desk.agent_id}" in json.loads(leg.offers)
            if is_theirs and leg.ended_ms is None and leg.call_id != call_id:
                yield f"I21: agent {desk.agent_id} is kept for call {call_id}, and has call {leg.call_id}"


def _is_at_desk(parameters: str) -> bool:
    return "at_desk" in parameters or "person" in parameters
