"""What is likely: the outcomes of some seeds, put in order."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

import msgspec

from dialer.domain.billing.money import format_money
from dialer.domain.survey.survey import Survey
from dialer.forecast.order import Order
from dialer.forecast.rehearsal import Counters, RehearsalOutcome
from dialer.sim.report import Tally, show_date

ANSWERS_MAX: Final = 50
"""Different answers to one section that are told apart, the most frequent ones; the rest are summed up."""
OTHERS: Final = "(others)"
PERCENTS: Final = (10, 50, 90)
PERCENT_PLACES: Final = 5

_Value = TypeVar("_Value", int, float)


class DateSpread(msgspec.Struct, frozen=True):
    """Percentiles of a moment, as the API writes moments."""

    p10: str
    p50: str
    p90: str


class MoneySpread(msgspec.Struct, frozen=True):
    """Percentiles of an amount, as decimal text."""

    p10: str
    p50: str
    p90: str


class CountSpread(msgspec.Struct, frozen=True):
    """Percentiles of a count."""

    p10: int
    p50: int
    p90: int


class PercentSpread(msgspec.Struct, frozen=True):
    """Percentiles of a share in per cent."""

    p10: float
    p50: float
    p90: float


class AnswerForecast(msgspec.Struct, frozen=True):
    """How often one section is likely to be answered so."""

    answer: str
    count: CountSpread


class SectionForecast(msgspec.Struct, frozen=True):
    """What is likely to be answered to one section, most frequent first."""

    section_id: int
    question: str
    answers: tuple[AnswerForecast, ...]


class SeedForecast(msgspec.Struct, frozen=True):
    """What comes of the campaign under one seed."""

    seed: int
    finish_date: str
    stop_reason: str
    cost: str
    calls: int
    answered: int
    completed: int
    abandoned_percent: float
    calls_in_progress_peak: int
    digest: str
    """Of the call detail records to come, in the order of their ids (`dialer.domain.digest`)."""


class Forecast(msgspec.Struct, frozen=True):
    """What is likely to come of a campaign from now on; what came of it until now is not counted.

    The percentiles are nearest-rank ones, each by itself: of N values in order, P10 is the one at place N x 10 / 100,
    rounded up. So each is a value that some seed gave.
    """

    campaign_id: int
    now: str
    seeds: int
    first_seed: int
    subscribers: int
    stop_reasons: tuple[Tally, ...]
    """Why the campaign stops, and under how many of the seeds: `completed`, `expired`, `no_credit`, `unreadable`."""
    finish_date: DateSpread
    """When it stops dialling; calls may be in progress for a little longer."""
    cost: MoneySpread
    calls: CountSpread
    """Calls to subscribers, or text messages, that will be over."""
    answered: CountSpread
    completed: CountSpread
    abandoned_percent: PercentSpread
    """Of the calls that persons answered, those that found no agent in time; 0 where no queue is led to."""
    calls_in_progress_peak: CountSpread
    sections: tuple[SectionForecast, ...]
    per_seed: tuple[SeedForecast, ...]


def nearest_rank(values: Sequence[_Value], percent: int) -> _Value:
    """The nearest-rank percentile: the least of the values that at least `percent` per cent of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-percent * len(ordered) // 100) - 1)]


def summarise(order: Order, outcomes: Sequence[RehearsalOutcome], survey: Survey) -> Forecast:
    """The forecast, from what came of the campaign under each seed."""
    reasons = Counter(outcome.stop.reason for outcome in outcomes)
    counters = [outcome.counters for outcome in outcomes]
    return Forecast(
        campaign_id=order.campaign_id,
        now=show_date(order.now_ms),
        seeds=order.seeds,
        first_seed=order.first_seed,
        subscribers=outcomes[0].subscribers,
        stop_reasons=tuple(Tally(reason, count) for reason, count in reasons.most_common()),
        finish_date=DateSpread(*map(show_date, _spread([outcome.stop.at_ms for outcome in outcomes]))),
        cost=MoneySpread(*map(format_money, _spread([each.cost for each in counters]))),
        calls=_counts([each.calls for each in counters]),
        answered=_counts([each.answered for each in counters]),
        completed=_counts([each.completed for each in counters]),
        abandoned_percent=PercentSpread(*_spread([_abandoned_percent(each) for each in counters])),
        calls_in_progress_peak=_counts([outcome.calls_in_progress_peak for outcome in outcomes]),
        sections=tuple(_sections(survey, outcomes)),
        per_seed=tuple(map(_shown, outcomes)),
    )


def _spread(values: Sequence[_Value]) -> tuple[_Value, _Value, _Value]:
    p10, p50, p90 = (nearest_rank(values, percent) for percent in PERCENTS)
    return p10, p50, p90


def _counts(values: Sequence[int]) -> CountSpread:
    return CountSpread(*_spread(values))


def _abandoned_percent(counters: Counters) -> float:
    return round(100 * counters.abandoned / (counters.live_answered or 1), PERCENT_PLACES)


def _sections(survey: Survey, outcomes: Sequence[RehearsalOutcome]) -> Iterator[SectionForecast]:
    """The sections that were answered under any seed, in the order of the survey."""
    for section in survey.sections:
        if any(outcome.answered_sections[section.id] for outcome in outcomes):
            yield SectionForecast(section.id, section.question, tuple(_answers(section.id, outcomes)))


def _answers(section_id: int, outcomes: Sequence[RehearsalOutcome]) -> Iterator[AnswerForecast]:
    total: Counter[str] = Counter()
    for outcome in outcomes:
        for (answered_id, answer), count in outcome.answers.items():
            total[answer] += count * (answered_id == section_id)
    kept = sorted(+total, key=lambda answer: (-total[answer], answer))[:ANSWERS_MAX]
    for answer in kept:
        yield AnswerForecast(answer, _counts([outcome.answers[section_id, answer] for outcome in outcomes]))
    rest = [
        outcome.answered_sections[section_id] - sum(outcome.answers[section_id, answer] for answer in kept)
        for outcome in outcomes
    ]
    if any(rest):
        yield AnswerForecast(OTHERS, _counts(rest))


def _shown(outcome: RehearsalOutcome) -> SeedForecast:
    counters = outcome.counters
    return SeedForecast(
        seed=outcome.seed,
        finish_date=show_date(outcome.stop.at_ms),
        stop_reason=outcome.stop.reason,
        cost=format_money(counters.cost),
        calls=counters.calls,
        answered=counters.answered,
        completed=counters.completed,
        abandoned_percent=_abandoned_percent(counters),
        calls_in_progress_peak=outcome.calls_in_progress_peak,
        digest=outcome.digest,
    )
