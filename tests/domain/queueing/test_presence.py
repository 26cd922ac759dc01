"""Tests of presence: who has an open desk is never sent on a break, and who has closed it always is, after a while."""

from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.queueing.presence import DESK_CLOSED_MS, DeskWatch, Sight

AGENT = 1
LOOK_S, SEEN_S = 5, 11
OUTAGES = st.builds(lambda start, length: range(start, start + length), st.integers(0, 100), st.integers(0, 120))


def left_at(
    skew_ms: int, phases: tuple[int, int], outage: range, closed_s: int, until_s: int, frozen: range = range(0)
) -> int | None:
    """Return the second at which a process sends an agent on a break whose desk another process serves and notes.

    The database is away during the outage. The watching process stands still while it is frozen.
    """
    note_ms, watch, is_said = 1, DeskWatch(), False
    for second in range(until_s):
        is_said = is_said or (second < closed_s and second % SEEN_S == 0)
        if second % LOOK_S == phases[0] and second not in outage and is_said:
            note_ms, is_said = second * 1_000, False
        if second % LOOK_S != phases[1] or second in frozen:
            continue
        if second in outage:
            watch = DeskWatch()
            continue
        watch = watch.after({AGENT: note_ms}, second * 1_000 + skew_ms)
        if AGENT in watch.silent_for(DESK_CLOSED_MS):
            return second
    return None


PHASES = st.tuples(st.integers(0, LOOK_S - 1), st.integers(0, LOOK_S - 1))
SKEWS = st.integers(-3_600_000, 3_600_000)


@given(SKEWS, PHASES, OUTAGES, OUTAGES)
def test_nobody_leaves_an_open_desk_whatever_the_database_the_process_and_the_clocks_do(
    skew_ms: int, phases: tuple[int, int], outage: range, frozen: range
) -> None:
    assert left_at(skew_ms, phases, outage, closed_s=400, until_s=300, frozen=frozen) is None


@given(SKEWS, PHASES, OUTAGES, st.integers(1, 250))
def test_who_closes_the_desk_leaves_it_in_a_minute_of_quiet(
    skew_ms: int, phases: tuple[int, int], outage: range, closed_s: int
) -> None:
    at_s = left_at(skew_ms, phases, outage, closed_s, until_s=400)
    assert at_s is not None
    assert closed_s < at_s <= max(closed_s, outage.stop) + 60


def test_a_watch_begins_anew_after_a_gap_and_when_the_clock_goes_back() -> None:
    watch = DeskWatch().after({AGENT: 7, 2: 8}, 1_000)
    assert watch.after({AGENT: 7, 3: 9}, 11_000) == DeskWatch(11_000, {AGENT: Sight(7, 1_000), 3: Sight(9, 11_000)})
    assert watch.after({AGENT: 6, 2: 8}, 6_000).silent_for(5_000) == {2: 8}
    for again_ms in (11_001, 999):
        assert watch.after({AGENT: 7}, again_ms) == DeskWatch(again_ms, {AGENT: Sight(7, again_ms)})
