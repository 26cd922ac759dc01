"""An agent's day: when they logged in and out, the time in each state, and how much of it calls took."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from operator import attrgetter
from typing import Final, NamedTuple

from dialer.domain.figures.statistics import unrounded_percent
from dialer.domain.queueing.agent_periods import AgentPeriod, PeriodCall, WorkSpan, WorkState
from dialer.domain.queueing.agents import TAKES_CALLS

_S: Final = 1_000
BUSY: Final = (WorkState.LOOKING, WorkState.TALKING, WorkState.WRAPPING_UP)
"""The states in which an agent works for a call: before, during and after it."""
_begin_of: Final = attrgetter("from_ms")


class Day(NamedTuple):
    """A day in a time zone: from midnight to midnight, mostly 24 hours."""

    date: date
    from_ms: int
    to_ms: int


class WorkDay(NamedTuple):
    """The figures of an agent on one day. Times are in milliseconds."""

    first_log_in_ms: int | None
    """None if the agent did not log in on this day: they were not there, or were logged in since before."""
    last_log_out_ms: int | None
    """None if the agent did not log out on this day."""
    is_from_before: bool
    """True if the agent was logged in as the day began."""
    goes_on: bool
    """True if the agent was logged in as the day ended, or is now."""
    ended_by: str
    """The `DutyEnd` of the last log-out, or of the break that lasts."""
    taken: int
    missed: int
    spans: list[WorkSpan]
    """The times in one state, in their order. Two that follow each other have another state or reason."""

    @property
    def spent(self) -> Counter[WorkState]:
        """Return the time in each state."""
        spent = Counter[WorkState]()
        for span in self.spans:
            spent[span.state] += span.to_ms - span.from_ms
        return spent

    @property
    def breaks(self) -> Counter[str]:
        """Return the time on breaks by reason."""
        breaks = Counter[str]()
        for span in self.spans:
            if span.state is WorkState.ON_BREAK:
                breaks[span.reason] += span.to_ms - span.from_ms
        return breaks


class _Presence(NamedTuple):
    """A time for which an agent was logged in, and the cause of its end, as far as it is known."""

    spans: list[WorkSpan]
    cause: str


def occupancy_of(spent: Counter[WorkState]) -> float | None:
    """Return the share of the time without breaks that calls took, in per cent, not rounded; None without it."""
    return unrounded_percent(sum(spent[state] for state in BUSY), spent.total() - spent[WorkState.ON_BREAK])


def days_between(first: date, last: date, zone: tzinfo) -> list[Day]:
    """Return the days from `first` to `last` in a time zone."""
    dates = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    midnights = [datetime.combine(one, time(), zone) for one in (*dates, last + timedelta(days=1))]
    moments = [int(one.timestamp()) * _S for one in midnights]
    return [Day(*one) for one in zip(dates, moments, moments[1:], strict=False)]


def day_of_agent(periods: Sequence[AgentPeriod], day: Day, here_until_ms: int = 0) -> WorkDay:
    """Return a day of an agent.

    `periods` are in their order. Besides those that touch the day, the one before and the one that follows at its end
    must be among them. `here_until_ms` is the present if the agent is logged in now.
    """
    first = max(0, bisect_left(periods, day.from_ms, key=_begin_of) - 1)
    touching = periods[first : bisect_right(periods, day.to_ms, key=_begin_of)]
    log_in_ms, log_out_ms, is_from_before, goes_on, ended_by = None, None, False, False, ""
    spans: list[WorkSpan] = []
    for one in _presences(touching):
        begin_ms, end_ms = one.spans[0].from_ms, one.spans[-1].to_ms
        if log_in_ms is None and day.from_ms <= begin_ms < day.to_ms:
            log_in_ms = begin_ms
        is_from_before |= begin_ms < day.from_ms < end_ms
        inside = [span for span in (_inside(span, day) for span in one.spans) if span.from_ms < span.to_ms]
        if inside:
            goes_on = end_ms > day.to_ms or end_ms == here_until_ms
            log_out_ms = log_out_ms if goes_on else end_ms
            ended_by = inside[-1].cause if goes_on else one.cause
            spans += inside
    calls = Counter(period.call for period in touching if day.from_ms <= period.until_ms < day.to_ms)
    taken, missed = calls[PeriodCall.TAKEN], calls[PeriodCall.MISSED]
    return WorkDay(log_in_ms, log_out_ms, is_from_before, goes_on, ended_by, taken, missed, spans)


def _inside(span: WorkSpan, day: Day) -> WorkSpan:
    return span._replace(from_ms=max(span.from_ms, day.from_ms), to_ms=min(span.to_ms, day.to_ms))


def _presences(periods: Iterable[AgentPeriod]) -> Iterator[_Presence]:
    """Yield the times without a gap, with neighbours of one state joined."""
    spans: list[WorkSpan] = []
    cause = ""
    for period in periods:
        for span in period.spans():
            caused = span._replace(cause=cause) if span.state is WorkState.ON_BREAK else span
            last = spans[-1] if spans else caused
            if last.to_ms < span.from_ms:
                yield _Presence(spans, cause)
                spans, cause = [caused._replace(cause="")], ""
            elif spans and (last.state, last.reason) == (span.state, span.reason):
                spans[-1] = last._replace(to_ms=span.to_ms)
            else:
                spans.append(caused)
        cause = period.cause if period.status in TAKES_CALLS else period.cause or cause
    if spans:
        yield _Presence(spans, cause)
