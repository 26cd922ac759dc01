"""Tests of the slices of gateways: never too much, never nothing for long, and nothing idle that somebody wants."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.fleet.gateway_shares import SPARE, TURN_MS, Claim, booked, shares, target_of

LIMIT_MAX = 40
ROUND_MS = 300
ROUNDS_MAX = 200


def claim(worker_id: int, held: int = 0, in_use: int = 0, *, wants: bool = True, campaigns: int = 1) -> Claim:
    """Return the claim of a worker."""
    return Claim(worker_id, held, in_use, wants, campaigns, 0)


@st.composite
def claims(draw: st.DrawFn) -> tuple[int, list[Claim]]:
    """Return a limit, and workers that hold parts of it."""
    limit = draw(st.integers(1, LIMIT_MAX))
    left, found = limit, []
    for worker_id in range(1, draw(st.integers(1, 6)) + 1):
        held = draw(st.integers(0, left))
        left -= held
        campaigns = draw(st.integers(0, 4))
        wants = campaigns > 0 and draw(st.booleans())
        found.append(Claim(worker_id, held, draw(st.integers(0, held)), wants, campaigns, draw(st.integers(0, 5_000))))
    return limit, found


def lend(limit: int, among: Sequence[Claim], place: int, now_ms: int) -> list[Claim]:
    """Return the claims after one worker has given back or taken, by the protocol of the workers."""
    one = among[place]
    wanted = target_of(limit, among, one.worker_id, now_ms)
    free = max(0, limit - booked(among))
    held = max(wanted, one.in_use) if wanted < one.held else min(wanted, one.held + free)
    since_ms = now_ms if one.held == 0 < held else one.since_ms
    return [*among[:place], one._replace(held=held, since_ms=since_ms), *among[place + 1 :]]


@given(claims(), st.integers(0, 10_000))
def test_shares_never_exceed_the_limit_or_the_demand(world: tuple[int, list[Claim]], now_ms: int) -> None:
    limit, among = world
    fair = shares(limit, among, now_ms)
    assert sum(fair.values()) <= limit
    for one in among:
        assert 0 <= fair[one.worker_id] <= (limit if one.wants_more else one.in_use + SPARE)
    if any(one.wants_more for one in among):
        assert sum(fair.values()) == limit


@given(claims(), st.lists(st.integers(0, 5), max_size=30))
def test_slices_never_exceed_the_limit(world: tuple[int, list[Claim]], turns: list[int]) -> None:
    limit, among = world
    for turn, place in enumerate(turns):
        among = lend(limit, among, place % len(among), turn * ROUND_MS)
        assert booked(among) <= limit


@given(claims())
def test_slices_come_to_the_fair_shares(world: tuple[int, list[Claim]]) -> None:
    limit, among = world
    among = [one._replace(in_use=0, since_ms=0) for one in among]
    for turn in range(ROUNDS_MAX):
        # The time stands still: no turn passes on.
        before, among = among, lend(limit, among, turn % len(among), 10 * TURN_MS)
        among = [one._replace(since_ms=0) for one in among]
        if turn > ROUNDS_MAX - len(among):
            assert among == [one._replace(since_ms=0) for one in before]
    fair = shares(limit, among, 10 * TURN_MS)
    assert all(one.held >= fair[one.worker_id] for one in among)


@given(st.integers(1, 3), st.integers(2, 6))
def test_a_small_gateway_goes_round(limit: int, workers: int) -> None:
    """Every worker has a unit again and again, though there are fewer units than workers."""
    among = [claim(one) for one in range(1, workers + 1)]
    had: dict[int, int] = dict.fromkeys(range(1, workers + 1), 0)
    now_ms = 0
    for _ in range(ROUNDS_MAX):
        now_ms += ROUND_MS
        for place in range(workers):
            among = lend(limit, among, place, now_ms)
        for one in among:
            had[one.worker_id] += one.held > 0
    assert min(had.values()) > ROUNDS_MAX // (4 * workers)


def test_what_nobody_wants_goes_to_the_worker_that_wants_it() -> None:
    among = [claim(1, 10, 2, wants=False), claim(2, 10, 10)]
    assert shares(20, among, 0) == {1: 2 + SPARE, 2: 20 - 2 - SPARE}


def test_parts_are_equal_for_each_campaign() -> None:
    among = [claim(1, campaigns=1), claim(2, campaigns=3)]
    assert shares(20, among, 0) == {1: 5, 2: 15}


def test_a_worker_keeps_what_nobody_else_wants() -> None:
    among = [claim(1, 20, 0, wants=False), claim(2, 0, 0, wants=False, campaigns=0)]
    assert target_of(20, among, 1, 0) == among[0].held


def test_a_limit_that_was_lowered_below_the_use_is_given_back() -> None:
    among = [claim(1, 10, 10), claim(2, 10, 10)]
    assert [target_of(6, among, one, 0) for one in (1, 2)] == [3, 3]
