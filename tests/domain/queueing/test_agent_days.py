"""Tests of the days of agents: after any orders, their figures equal a recount moment by moment."""

from collections import Counter
from datetime import date
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dialer.domain.queueing.activity import AgentClock
from dialer.domain.queueing.agent_days import Day, day_of_agent, days_between, occupancy_of
from dialer.domain.queueing.agent_periods import (
    AgentPeriod,
    DutyEnd,
    PeriodEnd,
    WorkState,
    closed_period,
    look_began_ms,
    open_period,
)
from dialer.domain.words.enums import AgentStatus

OUT, ON, BREAK = AgentStatus.LOGGED_OUT, AgentStatus.AVAILABLE, AgentStatus.ON_BREAK
DAYS = [Day(date(2026, 11, 20 + number), 100 * number, 100 * number + 100) for number in range(4)]
ORDERS = ("in", "out", "lunch", "tea", "call", "asked", "over", "left", "ring", "miss", "look", "skip")
EVENTS = st.lists(st.tuples(st.integers(0, 40), st.sampled_from(ORDERS)), max_size=30)
STATUSES = {"in": (ON, ""), "out": (OUT, ""), "lunch": (BREAK, "Lunch"), "tea": (BREAK, "Tea")}
WRAP_UP = 7
NOBODY = AgentClock(status=OUT, break_reason="", is_talking=False, counted_ms=0, wraps_until_ms=0)


class Recount:
    """The state at each moment, told by hand: what is certain at once, and what becomes known at its end."""

    def __init__(self) -> None:
        self.states: list[tuple[WorkState | None, str]] = []
        self.calls: list[tuple[int, str]] = []

    def pass_time(self, clock: AgentClock, until: int) -> None:
        for moment in range(len(self.states), until):
            if clock.is_talking:
                self.states.append((WorkState.TALKING, ""))
            elif clock.status == BREAK:
                self.states.append((WorkState.ON_BREAK, clock.break_reason))
            elif clock.status == OUT:
                self.states.append((None, ""))
            else:
                is_after = moment < clock.wraps_until_ms
                self.states.append((WorkState.WRAPPING_UP if is_after else WorkState.AVAILABLE, ""))

    def was(self, state: WorkState, since: int, begin: int) -> None:
        """Say what the agent did since a moment while they were available, since the last change of their state."""
        for moment in range(max(since, begin), len(self.states)):
            if self.states[moment][0] is WorkState.AVAILABLE:
                self.states[moment] = (state, "")


def play(events: list[tuple[int, str]]) -> tuple[list[AgentPeriod], Recount, AgentClock, int]:
    """Let an agent live through orders. A ring and a look begin at a moment, and are told at their end."""
    periods, recount, clock, now, since, is_asked = [], Recount(), NOBODY, 1, 0, False
    for gap, order in events:
        now += gap
        recount.pass_time(clock, now)
        before, end = clock, PeriodEnd()
        if order in STATUSES:
            status, reason = STATUSES[order]
            clock = replace(clock, status=status, break_reason=reason)
            end = PeriodEnd(DutyEnd.AGENT if status != ON else "")
        elif order in {"ring", "look"}:
            since = now
            continue
        elif order == "call" and (is_asked or (not clock.is_talking and clock.status == ON)):
            # An agent who is consulted may take over the callee: they talk on, and have taken a call.
            clock, end = replace(clock, is_talking=True), PeriodEnd(rings_from_ms=since, is_taken=True)
            recount.was(WorkState.RINGING, since or now, before.counted_ms)
            is_asked = False
            recount.calls.append((now, "taken"))
        elif order == "asked" and not clock.is_talking and clock.status == ON:
            is_asked, clock, end = True, replace(clock, is_talking=True), PeriodEnd(rings_from_ms=since)
            recount.was(WorkState.RINGING, since or now, before.counted_ms)
        elif order == "left" and is_asked:
            is_asked, clock = False, replace(clock, is_talking=False)
        elif order == "over" and clock.is_talking and not is_asked:
            clock = replace(clock, is_talking=False, wraps_until_ms=now + WRAP_UP)
        elif order in {"miss", "skip"} and not clock.is_talking and clock.status == ON:
            is_missed = order == "miss"
            end = PeriodEnd(rings_from_ms=since, is_missed=True) if is_missed else PeriodEnd(looks_from_ms=since)
            recount.was(WorkState.RINGING if is_missed else WorkState.LOOKING, since or now, before.counted_ms)
            recount.calls += [(now, "missed")] if is_missed else []
        else:
            continue
        since = 0
        period = closed_period(before, now, end)
        periods += [] if period is None else [period]
        clock = clock.goes_on_from(before, now, is_same=clock.activity(now) is before.activity(now))
    recount.pass_time(clock, now + 3)
    return periods, recount, clock, now + 3


@given(EVENTS)
def test_a_day_equals_a_recount_of_its_moments(events: list[tuple[int, str]]) -> None:
    periods, recount, clock, now = play(events)
    last = open_period(clock, 0, now)
    is_here = recount.states[-1][0] is not None
    states = [*recount.states, (None, "")]
    for day in DAYS:
        found = day_of_agent([*periods, *([] if last is None else [last])], day, now if is_here else 0)
        moments = [one for span in found.spans for one in [(span.state, span.reason)] * (span.to_ms - span.from_ms)]
        there = [one for one in states[day.from_ms : day.to_ms] if one[0] is not None]
        assert moments == there
        ends = [(one.from_ms, one.to_ms) for one in found.spans]
        assert all(first < end <= second for (first, end), (second, _) in pairwise(ends))
        assert (found.spent, found.spent.total()) == (Counter(state for state, _ in there), len(there))
        assert found.breaks == Counter(reason for state, reason in there if state is WorkState.ON_BREAK)
        ins, outs = turns(states)
        assert found.first_log_in_ms == next((one for one in ins if day.from_ms <= one < day.to_ms), None)
        left = [one for one in outs if day.from_ms < one <= day.to_ms and not (is_here and one == now)]
        assert found.last_log_out_ms == (left[-1] if left else None)
        at_its_end = min(now, day.to_ms)
        was_there = day.from_ms < at_its_end and states[at_its_end - 1][0] is not None
        assert found.goes_on is (was_there and (is_here if at_its_end == now else states[at_its_end][0] is not None))
        assert found.is_from_before is (
            all(one[0] is not None for one in states[day.from_ms - 1 : day.from_ms + 1]) and 0 < day.from_ms < now
        )
        came = Counter(what for at, what in recount.calls if day.from_ms <= at < day.to_ms)
        assert (found.taken, found.missed) == (came["taken"], came["missed"])
        assert 0 <= (occupancy_of(found.spent) or 0) <= 100


def turns(states: list[tuple[WorkState | None, str]]) -> tuple[list[int], list[int]]:
    """Return the moments at which an agent came and went."""
    there = [state is not None for state, _ in states]
    changes = [moment for moment in range(1, len(there)) if there[moment] is not there[moment - 1]]
    return [one for one in changes if there[one]], [one for one in changes if not there[one]]


def period(begin: int, end: int, status: AgentStatus, cause: str = "", **other: object) -> AgentPeriod:
    clock = replace(NOBODY, status=status, counted_ms=begin)
    found = closed_period(replace(clock, **other), end, PeriodEnd(cause))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("periods", "here_until_ms", "ended_by", "begun_by"),
    [
        ([period(10, 20, ON, DutyEnd.AGENT)], 0, "agent", []),
        ([period(10, 20, ON, DutyEnd.DESK_CLOSED), period(20, 30, BREAK)], 30, "desk_closed", ["desk_closed"]),
        (
            [period(10, 20, ON, DutyEnd.MISSED_CALLS), period(20, 30, BREAK, DutyEnd.OTHERS)],
            0,
            "others",
            ["missed_calls"],
        ),
        ([period(10, 20, ON, DutyEnd.AGENT), period(20, 30, OUT, is_talking=True)], 0, "agent", []),
        ([period(10, 20, BREAK), period(20, 30, ON)], 30, "", [""]),
        ([period(10, 20, ON, DutyEnd.AGENT), period(30, 40, BREAK)], 40, "", [""]),
    ],
)
def test_a_duty_ends_by_the_order_that_ended_it(
    periods: list[AgentPeriod], here_until_ms: int, ended_by: str, begun_by: list[str]
) -> None:
    """An order that waited for the end of a call counts; one before a return to work, or a log-in, does not."""
    found = day_of_agent(periods, DAYS[0], here_until_ms)
    breaks = [span.cause for span in found.spans if span.state is WorkState.ON_BREAK]
    assert (found.ended_by, breaks) == (ended_by, begun_by)


def test_days_go_from_midnight_to_midnight_when_clocks_change() -> None:
    days = days_between(date(2026, 10, 24), date(2026, 10, 26), ZoneInfo("Europe/Berlin"))
    assert [(one.to_ms - one.from_ms) // 3_600_000 for one in days] == [24, 25, 24]
    assert [one.date.day for one in days] == [24, 25, 26]


def test_a_look_begins_as_its_preview_says_and_an_unreadable_one_is_none() -> None:
    looks = ['{"campaign_id": 1, "subscriber_id": 2, "from_ms": 9, "until_ms": 20}', "", "{"]
    assert [look_began_ms(one) for one in looks] == [9, 0, 0]
