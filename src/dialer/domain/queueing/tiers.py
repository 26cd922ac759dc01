"""The levels of a queue that may be asked after a given wait."""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import pairwise

from dialer.domain.queueing.callers import Callers
from dialer.domain.queueing.plans import QueuePlan, TierPlan
from dialer.domain.words.moments import NEVER_MS


class Levels:
    """The levels of a queue under the tier rules of FreeSWITCH's mod_callcenter, with one difference.

    Here the lowest level may be asked at once.
    """

    __slots__ = ("_levels", "_plan")

    def __init__(self, plan: QueuePlan, places: Iterable[TierPlan]) -> None:
        """`places` are those of the agents who have the skills of the queue."""
        self._plan = plan
        self._levels = tuple(sorted({tier.level for tier in places}))

    def has(self, level: int) -> bool:
        """Return whether an agent has a place on a level."""
        return level in self._levels

    def top(self, waited_ms: int, staffed: AbstractSet[int]) -> int:
        """Return the highest level that may be asked, together with all lower ones; 0 for a queue without tiers.

        `staffed` are the levels with an agent who is on duty, idle or not.
        """
        if not self._plan.tier_rules_apply or not self._levels:
            return self._levels[-1] if self._levels else 0
        reached = self._levels[0]
        for lower, level in pairwise(self._levels):
            is_at_once = self._plan.tier_rule_no_agent_no_wait and lower not in staffed
            if not is_at_once and waited_ms < self._wait_ms(level):
                break
            reached = level
        return reached

    def next_at_ms(self, callers: Callers, now_ms: int) -> int:
        """Return the next time at which a caller's wait reaches a level; `NEVER_MS` if all have reached them all."""
        if not self._plan.tier_rules_apply:
            return NEVER_MS
        waits_ms = map(self._wait_ms, self._levels[1:])
        joined_ms = ((wait_ms, callers.next_joined_ms(now_ms - wait_ms)) for wait_ms in waits_ms)
        return min((at_ms + wait_ms for wait_ms, at_ms in joined_ms if at_ms is not None), default=NEVER_MS)

    def _wait_ms(self, level: int) -> int:
        return self._plan.tier_rule_wait_ms * (level if self._plan.tier_rule_wait_multiply_level else 1)
