"""Rules about previews: nobody is dialled whom no agent wants to call, and no two agents see the same person (I17)."""

import json
from collections.abc import Collection, Iterator
from typing import Final

from dialer.domain.words.enums import DialMethod
from tests.vopr.snapshot import Attempt, Snapshot

_ORDERS: Final = frozenset({"call", "dial"})


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


def _is_at_desk(parameters: str) -> bool:
    return "at_desk" in parameters or "person" in parameters
