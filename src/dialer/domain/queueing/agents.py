"""One agent: idle, asked for a call, talking, in wrap-up time or resting, and the agent's figures so far."""

from typing import Final, NamedTuple

from msgspec.structs import replace

from dialer.domain.queueing.plans import AgentFigures, AgentPlan
from dialer.domain.words.enums import AgentStatus
from dialer.domain.words.moments import NEVER_MS

AGENT_RING_MS_MAX: Final = 20_000
"""The time for which an agent is asked to take a call, in milliseconds. After that the offer ends."""
NO_ANSWER_REST_MS: Final = 10_000
"""The time for which an agent who missed a call is not asked again, in milliseconds."""
PREVIEWS: Final = 0
"""The `kept_for` of an agent who looks at a person before the call."""
TAKES_CALLS: Final = frozenset({AgentStatus.AVAILABLE, AgentStatus.AVAILABLE_ON_DEMAND})


class AgentTalk(NamedTuple):
    """The call in which an agent talks, and the time it was taken."""

    call_id: int
    since_ms: int


class AgentState:
    """The state of one agent. Its figures are replaced, never changed, so that holders of an older value keep it."""

    __slots__ = ("asked_call_id", "consulted_in", "figures", "kept_for", "plan", "reserved_until_ms", "talk")

    def __init__(self, plan: AgentPlan) -> None:
        self.plan = plan
        self.figures = AgentFigures()
        self.asked_call_id: int | None = None
        self.talk: AgentTalk | None = None
        self.kept_for: int | None = None
        """The call that the agent has placed, or `PREVIEWS` while the agent looks at a person; None while neither."""
        self.consulted_in: int | None = None
        """The call in which another agent consults this one, from the dial on."""
        self.reserved_until_ms = 0
        """Until then, the agent waits for a call-back that they have promised, unless its call ends before."""

    @property
    def is_on_duty(self) -> bool:
        """Return whether the agent takes calls, now or later."""
        return self.plan.status in TAKES_CALLS

    def is_free(self, now_ms: int) -> bool:
        """Return whether the agent is on duty, owes no outcome, does not talk, and has no wrap-up time or rest."""
        figures = self.figures
        return self.is_on_duty and self.talk is None and figures.free_at_ms <= now_ms and not figures.outcome_call_id

    def is_idle(self, now_ms: int) -> bool:
        """Return whether the agent can be asked for a call now."""
        is_kept = self.kept_for is not None or self.reserved_until_ms > now_ms
        return self.asked_call_id is None and not is_kept and self.is_free(now_ms)

    @property
    def may_dial(self) -> bool:
        """Return whether the agent is on duty, has no call, not even as a consulted one, and owes no outcome."""
        has_call = self.talk is not None or self.asked_call_id is not None or self.consulted_in is not None
        is_busy = has_call or self.kept_for
        return self.is_on_duty and not is_busy and not self.figures.outcome_call_id

    def next_ms(self, now_ms: int) -> int:
        """Return the next time at which the agent may become idle by itself; `NEVER_MS` if there is none."""
        if not self.is_on_duty or self.figures.outcome_call_id:
            return NEVER_MS
        first_ms, last_ms = sorted((self.figures.free_at_ms, self.reserved_until_ms))
        return first_ms if first_ms > now_ms else last_ms if last_ms > now_ms else NEVER_MS

    def ask(self, now_ms: int, call_id: int) -> None:
        """Ask the agent to take a call."""
        self.asked_call_id = call_id
        self.figures = replace(self.figures, last_offered_ms=now_ms)

    def let_ring(self, now_ms: int, *, is_over_line: bool = False, has_rung: bool = True) -> None:
        """Note that the agent did not answer an offer in time, and rests. Without `has_rung`, they may not know it."""
        self.asked_call_id = None
        self.figures = replace(
            self.figures,
            free_at_ms=now_ms + NO_ANSWER_REST_MS,
            let_ring_ms=now_ms,
            has_rung=has_rung,
            missed_calls=self.figures.missed_calls + (is_over_line and has_rung),
        )

    def take(self, now_ms: int, call_id: int) -> None:
        """Connect the agent with a call."""
        self.asked_call_id = None
        self.talk = AgentTalk(call_id, now_ms)

    def hang_up(self, now_ms: int, rest_ms: int | None = None, *, owes_outcome: bool = False) -> bool:
        """End the talk and begin the wrap-up time, or a rest of another length.

        With `owes_outcome`, the agent gets no call before the outcome of this one is said. Return True if the agent
        took one call on demand, and is now on break.
        """
        done = self.figures
        talked_ms = now_ms - self.talk.since_ms if self.talk else 0
        owed_id = self.talk.call_id if self.talk and owes_outcome else done.outcome_call_id
        self.talk = None
        self.figures = replace(
            done,
            last_bridge_end_ms=now_ms,
            talk_ms=done.talk_ms + talked_ms,
            calls_answered=done.calls_answered + 1,
            free_at_ms=now_ms + (self.plan.wrap_up_ms if rest_ms is None else rest_ms),
            let_ring_ms=0,
            outcome_call_id=owed_id,
            is_wrap_up_longer=False,
            missed_calls=0,
        )
        is_break_due = self.plan.status is AgentStatus.AVAILABLE_ON_DEMAND
        if is_break_due:
            self.plan = replace(self.plan, status=AgentStatus.ON_BREAK)
        return is_break_due
