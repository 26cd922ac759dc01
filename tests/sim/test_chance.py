"""Tests of seeded chance, which must never change: each seed gives its recorded values."""

from hypothesis import given
from hypothesis import strategies as st

from dialer.sim.chance import CERTAIN, Chance, threshold

names = st.tuples(*[st.integers(0, 2**63 - 1)] * 4)


def test_a_seed_gives_what_it_has_always_given() -> None:
    chance = Chance(1, 2, 3, 4)
    assert [chance.draw() for _ in range(9)] == [
        6411879898467620669,
        7586612355031380283,
        9743899365569210914,
        5010404162973843011,
        10870119240754728040,
        17145502038362583152,
        10235689375928989696,
        7190917787318980228,
        1363268205928682821,
    ]


@given(names)
def test_an_equal_name_draws_equal_values(name: tuple[int, int, int, int]) -> None:
    one, other = Chance(*name), Chance(*name)
    assert [one.draw() for _ in range(20)] == [other.draw() for _ in range(20)]


@given(names, st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_number_between_two_is_between_them(name: tuple[int, int, int, int], one: int, other: int) -> None:
    least, most = sorted((one, other))
    assert least <= Chance(*name).between(least, most) <= most


def test_attempts_subscribers_campaigns_and_seeds_draw_differently() -> None:
    neighbours = [(1, 1, 1, 1), (2, 1, 1, 1), (1, 2, 1, 1), (1, 1, 2, 1), (1, 1, 1, 2), (11, 1, 1, 1), (1, 11, 1, 1)]
    assert len({Chance(*name).draw() for name in neighbours}) == len(neighbours)


def test_a_chance_comes_about_as_often_as_it_says() -> None:
    """Of 10,000 draws with a chance of 0.3, 3,000 are expected, with a standard deviation of 46."""
    happened = sum(Chance(0, 0, subscriber, 1).draw() < threshold(0.3) for subscriber in range(10_000))
    assert abs(happened - 3_000) < 5 * 46


def test_a_certain_event_always_happens_and_an_impossible_one_never() -> None:
    assert (threshold(1), threshold(0)) == (CERTAIN, 0)
