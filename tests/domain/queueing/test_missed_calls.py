"""Tests of agents whose telephones do not answer: after several calls in a row they go on a break."""

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.queueing.decisions import AgentOffer
from dialer.domain.words.enums import AgentStatus, QueueStrategy
from dialer.domain.words.reasons import BreakCause
from tests.domain.queueing.hall import QUEUE, Hall, at

AGENT: Final = 7
APART_S: Final = 100
"""The seconds between two calls, each after the rest that follows a missed one."""


def offer(hall: Hall, place: int, *, is_over_line: bool) -> bool:
    """Let a call join the queue, and return whether the agent is asked."""
    now_ms = at(place * APART_S)
    hall.distributor.join(now_ms, place, QUEUE, "", now_ms, is_over_line=is_over_line)
    return hall.distributor.decide(now_ms) == [AgentOffer(place, AGENT)]


@given(
    st.integers(0, 4),
    st.lists(
        st.tuples(st.booleans(), st.sampled_from(["takes", "rings", "refuses", "fails", "is unheard"])), max_size=12
    ),
)
def test_a_break_begins_when_so_many_calls_in_a_row_were_missed_over_lines(
    most: int, calls: list[tuple[bool, str]]
) -> None:
    """A telephone may ring in vain or refuse. Simulated calls and failed lines do not count. A talk begins anew."""
    hall = Hall(QueueStrategy.TOP_DOWN, (AGENT, 1, 1), missed_calls_max=most)
    missed = 0
    for place, (is_over_line, what) in enumerate(calls, start=1):
        assert offer(hall, place, is_over_line=is_over_line)
        if what == "takes":
            hall.distributor.taken(at(place * APART_S + 1), place, AGENT)
            hall.distributor.released(at(place * APART_S + 2), place)
            missed = 0
        elif what in {"refuses", "fails"}:
            hall.distributor.missed(at(place * APART_S + 1), place, AGENT, has_rung=what == "refuses")
        else:
            hall.distributor.decide(at(place * APART_S + 20), {place} if what == "is unheard" else frozenset())
        missed += is_over_line and what in {"rings", "refuses"}
        hall.distributor.leave(at(place * APART_S + 21), place)
        changes = hall.distributor.changed()
        is_due = 0 < most <= missed
        assert changes.statuses == ({AGENT: AgentStatus.ON_BREAK} if is_due else {})
        assert what == "takes" or changes.agents[AGENT].has_rung == (what in {"rings", "refuses"})
        assert changes.break_causes == ({AGENT: BreakCause.MISSED_CALLS} if is_due else {})
        if is_due:
            assert not offer(hall, place + 1, is_over_line=True)
            return
