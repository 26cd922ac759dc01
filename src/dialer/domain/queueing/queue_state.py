"""One queue: its settings, the time limits of its callers, and the places of those who left early."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from dialer.domain.queueing.agents import AGENT_RING_MS_MAX
from dialer.domain.queueing.callers import Callers
from dialer.domain.queueing.plans import LeftEarly, QueuePlan, Waiting
from dialer.domain.queueing.strategies import asks_again_at_ms
from dialer.domain.queueing.tiers import Levels
from dialer.domain.words.moments import NEVER_MS
from dialer.domain.words.reasons import TransferReason

LEFT_EARLY_MAX: Final = 1_000
"""Number of places that a queue keeps for callers who left; a newer place replaces the oldest one."""


class QueueState:
    """The state of one queue: its settings, its waiting calls and its agents."""

    __slots__ = (
        "_left_early",
        "_may_serve",
        "_tiers",
        "callers",
        "last_agent_id",
        "levels",
        "no_agent_from_ms",
        "places",
        "plan",
    )

    def __init__(self, plan: QueuePlan) -> None:
        self._left_early: dict[str, LeftEarly] = {}
        self.callers: Final = Callers()
        self.last_agent_id = 0
        self.no_agent_from_ms = 0
        """The time since which there has been no agent on duty; 0 if there is one, or if no caller has waited since."""
        self.renew(plan)

    def renew(self, plan: QueuePlan, may_serve: Callable[[int], bool] | None = None) -> None:
        """Replace the settings of the queue. `may_serve` says whether an agent has the skills that it needs."""
        self.plan = plan
        self._may_serve = may_serve
        self._tiers = {} if may_serve is None else {tier.agent_id: tier for tier in plan.tiers}
        self.places = {tier.agent_id: tier for tier in plan.tiers if may_serve is None or may_serve(tier.agent_id)}
        self.levels = Levels(plan, self.places.values())

    def seat(self, agent_id: int) -> bool:
        """Give an agent whose skills have changed their place, or take it away. Return whether either was done."""
        tier = self._tiers.get(agent_id)
        if tier is None or self._may_serve is None or self._may_serve(agent_id) == (agent_id in self.places):
            return False
        if self.places.pop(agent_id, None) is None:
            self.places[agent_id] = tier
        if agent_id not in self.places or not self.levels.has(tier.level):
            self.levels = Levels(self.plan, self.places.values())
        return True

    def enter(self, now_ms: int, call_id: int, number: str, answered_ms: int) -> Waiting:
        """Return a new caller's place: at the end of the line, or the one that they left early."""
        score_from_ms = answered_ms if self.plan.scores_from_answer else now_ms
        left = self._left_early.pop(number, None)
        if left and self.plan.abandoned_resume_allowed and not self._is_discarded(now_ms, left):
            score_from_ms = left.score_from_ms
        return Waiting(call_id, self.plan.id, number, now_ms, score_from_ms)

    def keep_places(self, left: Iterable[LeftEarly]) -> None:
        """Keep the places of callers who left early, given in any order."""
        for caller in sorted(left, key=lambda caller: (caller.left_ms, caller.score_from_ms, caller.number)):
            self.keep_place(caller)

    def keep_place(self, left: LeftEarly) -> None:
        """Keep the place of a caller who just left. A caller without a number cannot be recognised again."""
        if not left.number:
            return
        self._left_early.pop(left.number, None)
        self._left_early[left.number] = left
        if len(self._left_early) > LEFT_EARLY_MAX:
            del self._left_early[next(iter(self._left_early))]

    def gives_up(self, waiting: Waiting) -> tuple[int, TransferReason]:
        """Return the time at which a call must leave the queue, and the reason; `NEVER_MS` without a limit.

        As in mod_callcenter, the limit without agents belongs to the queue. When it is reached, all callers leave who
        have waited for at least `max_wait_with_no_agent_time_reached_ms`. Unlike there, the limit begins when a caller
        first waited without an agent on duty.
        """
        plan = self.plan
        max_wait_ms = waiting.joined_ms + plan.max_wait_ms if plan.max_wait_ms else NEVER_MS
        no_agent_ms = NEVER_MS
        limit_ms = plan.max_wait_with_no_agent_ms
        if limit_ms and self.no_agent_from_ms:
            least_ms = min(plan.max_wait_with_no_agent_time_reached_ms, limit_ms)
            no_agent_ms = max(self.no_agent_from_ms + limit_ms, waiting.joined_ms + least_ms)
        return (
            (max_wait_ms, TransferReason.MAX_WAIT)
            if max_wait_ms <= no_agent_ms
            else (no_agent_ms, TransferReason.NO_AGENT)
        )

    def gives_up_unskilled(self, waiting: Waiting) -> int:
        """Return the time at which a call must leave for which no agent on duty has the skills; `NEVER_MS` if never."""
        limit_ms = self.plan.max_wait_with_no_agent_ms
        return waiting.joined_ms + limit_ms if limit_ms and waiting.skills else NEVER_MS

    def top(self, now_ms: int, waiting: Waiting, on_duty: AbstractSet[int]) -> int:
        """Return the highest level of agents who may be asked for a call; `on_duty` are the agents on duty."""
        staffed: AbstractSet[int] = frozenset()
        if self.plan.tier_rules_apply and self.plan.tier_rule_no_agent_no_wait:
            staffed = {tier.level for tier in self.places.values() if tier.agent_id in on_duty}
        return self.levels.top(now_ms - waiting.joined_ms, staffed)

    def watch_staff(self, now_ms: int, on_duty: AbstractSet[int]) -> bool:
        """Note the time since which callers wait without an agent on duty. Return whether it has changed."""
        is_staffed = not on_duty.isdisjoint(self.places)
        is_missed = bool(self.no_agent_from_ms)
        has_changed = is_staffed == is_missed and bool(is_missed or self.callers.in_line)
        if has_changed:
            self.no_agent_from_ms = 0 if is_staffed else now_ms
        return has_changed

    def overdue(self, now_ms: int, calls: Mapping[int, Waiting]) -> Iterator[Waiting]:
        """Yield the calls on which the queue gives up now: those who joined first, as its limits are the same for all.

        `calls` are those that wait in any queue, by their ids.
        """
        for call_id in self.callers.by_joining():
            if self.gives_up(calls[call_id])[0] > now_ms:
                return
            yield calls[call_id]

    def may_ask(
        self, now_ms: int, calls: Mapping[int, Waiting], idle: AbstractSet[int], on_duty: AbstractSet[int]
    ) -> bool:
        """Return whether an idle agent may be asked for a call, by the longest wait of a call."""
        of_queue = idle & self.places.keys()
        if not (of_queue and self.plan.tier_rules_apply) or self.callers.picky:
            return bool(of_queue)
        waits = (calls[call_id] for call_id in self.callers.by_joining())
        longest = next((call for call in waits if asks_again_at_ms(self.plan.strategy, call) <= now_ms), None)
        if longest is None:
            return False
        return min(self.places[agent_id].level for agent_id in of_queue) <= self.top(now_ms, longest, on_duty)

    def next_ms(self, now_ms: int, calls: Mapping[int, Waiting], promises_end_ms: Iterable[int]) -> int:
        """Return the next time at which a decision about a call may be due; `NEVER_MS` if there is none."""
        moments = [self.levels.next_at_ms(self.callers, now_ms), *promises_end_ms]
        if self.callers.picky:
            moments += [self.gives_up_unskilled(calls[call_id]) for call_id in self.callers.picky]
        first = next(self.callers.by_joining(), None)
        if first is not None:
            moments.append(self.gives_up(calls[first])[0])
        for call_id in self.callers.asked:
            moments.append(asks_again_at_ms(self.plan.strategy, calls[call_id]))
            moments += [since_ms + AGENT_RING_MS_MAX for since_ms in calls[call_id].offers.values()]
        return min((moment for moment in moments if moment > now_ms), default=NEVER_MS)

    def _is_discarded(self, now_ms: int, left: LeftEarly) -> bool:
        return now_ms - left.left_ms > self.plan.discard_abandoned_after_ms
