"""Rules about previews (I17): nobody is dialled unwanted, or seen by two agents, and callers go before looks."""

import json
from collections.abc import Collection, Iterator
from typing import Final

from sqlalchemy import Connection

from dialer.domain.words.enums import DialMethod, TransferStatus
from tests.vopr.snapshot import Attempt, Snapshot, ask

_ORDERS: Final = frozenset({"call", "dial"})
_PASSED_OVER: Final = """
    SELECT t.id, a.id, a.parameters, a.preview FROM transfer t JOIN queue q ON q.id = t.queue_id
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
    for transfer_id, agent_id, parameters, preview in ask(connection, _PASSED_OVER, int(TransferStatus.WAITING)):
        look = json.loads(preview)
        if _is_at_desk(parameters) and look["call_id"] is None and not look["is_chosen"]:
            yield f"I17: nobody is asked to take transfer {transfer_id}, while agent {agent_id} looks at a person"


def _is_at_desk(parameters: str) -> bool:
    return "at_desk" in parameters or "person" in parameters
