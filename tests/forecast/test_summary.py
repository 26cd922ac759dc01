"""Tests of percentiles, and of the summary of several seeds."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import SectionType
from dialer.forecast.parameters import Order
from dialer.forecast.run_store import Counters, Stop
from dialer.forecast.seed_run import HourCounters, SeedRun
from dialer.forecast.spreads import CountSpread, nearest_rank
from dialer.forecast.summary import ANSWERS_MAX, OTHERS, Forecast, summarise


@pytest.mark.parametrize(
    ("percent", "value"),
    [(5, 15), (10, 15), (20, 15), (30, 20), (40, 20), (50, 35), (60, 35), (90, 50), (100, 50)],
)
def test_the_percentile_of_five_values(percent: int, value: int) -> None:
    """Worked out by hand: place ceil(p x 5 / 100) of 15, 20, 35, 40, 50."""
    assert nearest_rank([50, 15, 40, 20, 35], percent) == value


@given(st.lists(st.integers(), min_size=1, max_size=101), st.integers(1, 100))
def test_it_is_the_least_value_that_so_many_do_not_exceed(values: list[int], percent: int) -> None:
    found = nearest_rank(values, percent)
    assert found in values
    assert 100 * sum(value <= found for value in values) >= percent * len(values)
    assert 100 * sum(value < found for value in values) < percent * len(values)


def outcome(seed: int, reason: str = "completed", **answers: int) -> SeedRun:
    counters = Counters(
        calls=10 * seed, answered=5, completed=1, cost=seed, live_answered=3, abandoned=seed % 3
    )._replace(machine_answered=5 - seed)
    keyed = Counter({(7, answer): count for answer, count in answers.items()})
    total = Counter({7: keyed.total()}) if keyed else Counter[int]()
    hours = [HourCounters(9 + seed, seed, seed)]
    return SeedRun(seed, Stop(1_000 * seed, reason), 99, counters, 4, "digest", keyed, total, hours)


def summary(*outcomes: SeedRun) -> Forecast:
    sections = (
        Section(8, SectionType.PLAY_MESSAGE, "Hello", Prompt()),
        Section(7, SectionType.RATING, "How?", Prompt()),
    )
    return summarise(Order(1, 0, "UTC", len(outcomes), 1), outcomes, Survey(sections), obeys_hours=True)


def test_each_figure_is_put_in_order_by_itself() -> None:
    found = summary(outcome(1, yes=2), outcome(2, "no_credit", no=1, yes=2), outcome(3, yes=9))
    assert (found.finish_date.p10, found.finish_date.p90) == ("1970-01-01T00:00:01Z", "1970-01-01T00:00:03Z")
    assert (found.cost.p50, found.calls, found.subscribers) == ("0.00002", CountSpread(10, 20, 30), 99)
    assert found.machine_answered == CountSpread(2, 3, 4)
    assert (found.abandoned_percent.p10, found.abandoned_percent.p90) == (0.0, 66.66667)
    assert [(tally.name, tally.count) for tally in found.stop_reasons] == [("completed", 2), ("no_credit", 1)]
    (section,) = found.sections
    assert (section.section_id, section.question) == (7, "How?")
    assert [(each.answer, each.count) for each in section.answers] == [
        ("yes", CountSpread(2, 2, 9)),
        ("no", CountSpread(0, 0, 1)),
    ]
    assert [(each.seed, each.stop_reason, each.calls) for each in found.per_seed] == [
        (1, "completed", 10),
        (2, "no_credit", 20),
        (3, "completed", 30),
    ]


def test_rare_answers_are_summed_up() -> None:
    rare = {f"a{place:03d}": 1 for place in range(ANSWERS_MAX + 1)}
    (section,) = summary(outcome(1, "expired", often=5, **rare)).sections
    assert len(section.answers) == ANSWERS_MAX + 1
    assert (section.answers[0].answer, section.answers[-1].answer) == ("often", OTHERS)
    assert section.answers[-1].count == CountSpread(2, 2, 2)


def test_the_price_grows_from_hour_to_hour() -> None:
    found = summary(outcome(1), outcome(2), outcome(3)).per_hour
    assert [(one.hour, one.calls, one.cost.p10, one.cost.p50, one.cost.p90) for one in found] == [
        ("1970-01-01T10:00:00Z", CountSpread(0, 0, 1), "0.00000", "0.00000", "0.00001"),
        ("1970-01-01T11:00:00Z", CountSpread(0, 0, 2), "0.00000", "0.00001", "0.00002"),
        ("1970-01-01T12:00:00Z", CountSpread(0, 0, 3), "0.00001", "0.00002", "0.00003"),
    ]
