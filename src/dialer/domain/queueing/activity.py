"""The time that an agent spends in each activity, from the moments at which something changes."""

from collections.abc import Iterator
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.domain.words.enums import AgentActivity, AgentStatus

HOURS_MAX: Final = 100_000
"""Hours of one span that are counted, eleven years: nothing may last for ever."""
SECOND_MS: Final = 1_000


class ActivitySpan(NamedTuple):
    """A time that an agent spent in one activity."""

    activity: AgentActivity
    reason: str
    from_ms: int
    to_ms: int

    def hours(self) -> Iterator[tuple[int, int]]:
        """Yield each hour that the span touches, with the milliseconds in it."""
        from_ms = self.from_ms
        for _ in range(HOURS_MAX):
            if from_ms >= self.to_ms:
                return
            hour = from_ms // HOUR_MS
            until_ms = min(self.to_ms, (hour + 1) * HOUR_MS)
            yield hour, until_ms - from_ms
            from_ms = until_ms

    def within_ms(self, from_ms: int, to_ms: int) -> int:
        """Return the milliseconds of the span that lie between two moments."""
        return max(0, min(self.to_ms, to_ms) - max(self.from_ms, from_ms))


class AgentClock(msgspec.Struct, frozen=True):
    """An agent's state since `counted_ms`, up to which the activities are counted."""

    status: int
    break_reason: str
    is_talking: bool
    counted_ms: int
    wraps_until_ms: int
    began_ms: int = 0
    """The time at which the activity of `counted_ms` began; 0 if it began then."""

    def spans(self, now_ms: int) -> Iterator[ActivitySpan]:
        """Yield the time since `counted_ms`, in order, without the time while logged out.

        A talk counts whatever the status, because an agent who talks keeps talking. Wrap-up time counts on duty only.
        """
        from_ms = self.counted_ms
        if self.is_talking:
            yield ActivitySpan(AgentActivity.TALKING, "", from_ms, now_ms)
        elif self.status == AgentStatus.ON_BREAK:
            yield ActivitySpan(AgentActivity.ON_BREAK, self.break_reason, from_ms, now_ms)
        elif self.status in TAKES_CALLS:
            wrapped_ms = min(max(from_ms, self.wraps_until_ms), now_ms)
            yield ActivitySpan(AgentActivity.WRAPPING_UP, "", from_ms, wrapped_ms)
            yield ActivitySpan(AgentActivity.AVAILABLE, "", wrapped_ms, now_ms)

    def activity(self, now_ms: int) -> AgentActivity:
        """Return the agent's activity now."""
        if self.is_talking:
            return AgentActivity.TALKING
        if self.status in TAKES_CALLS:
            return AgentActivity.WRAPPING_UP if self.wraps_until_ms > now_ms else AgentActivity.AVAILABLE
        return AgentActivity.ON_BREAK if self.status == AgentStatus.ON_BREAK else AgentActivity.LOGGED_OUT

    def after_call(self) -> AgentActivity | None:
        """Return the activity that was ordered during a call, and begins when it is over; None without an order."""
        if not self.is_talking or self.status in TAKES_CALLS:
            return None
        return AgentActivity.ON_BREAK if self.status == AgentStatus.ON_BREAK else AgentActivity.LOGGED_OUT

    def since_ms(self, now_ms: int) -> int:
        """Return the time at which the activity of now began: a break of one reason, or any other one."""
        began_ms = self.began_ms or self.counted_ms
        return max(began_ms, self.wraps_until_ms) if self.activity(now_ms) is AgentActivity.AVAILABLE else began_ms

    def goes_on_from(self, before: "AgentClock", now_ms: int, *, is_same: bool) -> "AgentClock":
        """Return the clock with the time until now counted, and the begin of what goes on as before.

        `is_same` says that both have the same activity now. Breaks of different reasons are different all the same. A
        clock that was set back counts no time twice.
        """
        counted_ms = max(now_ms, self.counted_ms)
        is_on_break = self.status == AgentStatus.ON_BREAK and not self.is_talking
        goes_on = is_same and (self.break_reason == before.break_reason or not is_on_break)
        return replace(self, counted_ms=counted_ms, began_ms=before.since_ms(now_ms) if goes_on else counted_ms)

    def break_exceeded_ms(self, limit_s: int, now_ms: int) -> int:
        """Return the time by which the present break exceeds a limit in seconds; 0 if none does, or without a limit."""
        if not limit_s or self.activity(now_ms) is not AgentActivity.ON_BREAK:
            return 0
        return max(0, now_ms - self.since_ms(now_ms) - limit_s * SECOND_MS)
