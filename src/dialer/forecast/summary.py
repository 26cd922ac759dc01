"""The forecast as it is shown: percentiles over the runs of all seeds."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

import msgspec

from dialer.domain.billing.money import format_money
from dialer.domain.survey.survey import Survey
from dialer.forecast.order import Order
from dialer.forecast.seed_run import Counters, SeedRun
from dialer.sim.report import ReportRow, show_date

ANSWERS_MAX: Final = 50
"""Different answers to one section that are listed, most frequent first. The others are counted together."""
OTHERS: Final = "(others)"
PERCENTS: Final = (10, 50, 90)
PERCENT_PLACES: Final = 5

_Value = TypeVar("_Value", int, float)


class DateSpread(msgspec.Struct, frozen=True):
    """Percentiles of a timestamp."""

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
    """Percentiles of a percentage."""

    p10: float
    p50: float
    p90: float


class AnswerForecast(msgspec.Struct, frozen=True):
    """An answer to a section, and how often it is likely to be given."""

    answer: str
    count: CountSpread


class SectionForecast(msgspec.Struct, frozen=True):
    """The likely answers to one section, most frequent first."""

    section_id: int
    question: str
    answers: tuple[AnswerForecast, ...]


class SeedForecast(msgspec.Struct, frozen=True):
    """The outcome of the campaign under one seed."""

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
    """SHA-256 digest of the call detail records to come, in the order of their ids (`dialer.domain.digest`)."""


class Forecast(msgspec.Struct, frozen=True):
    """The likely outcome of a campaign from now on. Calls that are already over are not counted.

    Percentiles are nearest-rank, each figure by itself: of N sorted values, P10 is the one at place N x 10 / 100,
    rounded up. So each percentile is a value that some seed gave.
    """

    campaign_id: int
    now: str
    seeds: int
    first_seed: int
    subscribers: int
    stop_reasons: tuple[ReportRow, ...]
    """Reasons of the stop, with their numbers of seeds: `completed`, `expired`, `no_credit`, `unreadable`."""
    finish_date: DateSpread
    """The moment at which the campaign stops dialling. Calls in progress may end a little later."""
    cost: MoneySpread
    calls: CountSpread
    """Calls to subscribers, or text messages, that end from now on."""
    answered: CountSpread
    completed: CountSpread
    abandoned_percent: PercentSpread
    """Percentage of calls answered by a person that found no agent in time; 0 if the survey has no queue."""
    calls_in_progress_peak: CountSpread
    sections: tuple[SectionForecast, ...]
    per_seed: tuple[SeedForecast, ...]


def nearest_rank(values: Sequence[_Value], percent: int) -> _Value:
    """Return the nearest-rank percentile: the least value that `percent` per cent of `values` do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-percent * len(ordered) // 100) - 1)]


def summarise(order: Order, runs: Sequence[SeedRun], survey: Survey) -> Forecast:
    """Return the forecast, from the runs under all seeds."""
    reasons = Counter(run.stop.reason for run in runs)
    counters = [run.counters for run in runs]
    return Forecast(
        campaign_id=order.campaign_id,
        now=show_date(order.now_ms),
        seeds=order.seeds,
        first_seed=order.first_seed,
        subscribers=runs[0].subscribers,
        stop_reasons=tuple(ReportRow(reason, count) for reason, count in reasons.most_common()),
        finish_date=DateSpread(*map(show_date, _spread([run.stop.at_ms for run in runs]))),
        cost=MoneySpread(*map(format_money, _spread([each.cost for each in counters]))),
        calls=_counts([each.calls for each in counters]),
        answered=_counts([each.answered for each in counters]),
        completed=_counts([each.completed for each in counters]),
        abandoned_percent=PercentSpread(*_spread([_abandoned_percent(each) for each in counters])),
        calls_in_progress_peak=_counts([run.calls_in_progress_peak for run in runs]),
        sections=tuple(_sections(survey, runs)),
        per_seed=tuple(map(_shown, runs)),
    )


def _spread(values: Sequence[_Value]) -> tuple[_Value, _Value, _Value]:
    p10, p50, p90 = (nearest_rank(values, percent) for percent in PERCENTS)
    return p10, p50, p90


def _counts(values: Sequence[int]) -> CountSpread:
    return CountSpread(*_spread(values))


def _abandoned_percent(counters: Counters) -> float:
    return round(100 * counters.abandoned / (counters.live_answered or 1), PERCENT_PLACES)


def _sections(survey: Survey, runs: Sequence[SeedRun]) -> Iterator[SectionForecast]:
    """Yield the sections that were answered under any seed, in the order of the survey."""
    for section in survey.sections:
        if any(run.answered_sections[section.id] for run in runs):
            yield SectionForecast(section.id, section.question, tuple(_answers(section.id, runs)))


def _answers(section_id: int, runs: Sequence[SeedRun]) -> Iterator[AnswerForecast]:
    total: Counter[str] = Counter()
    for run in runs:
        for (answered_id, answer), count in run.answers.items():
            total[answer] += count * (answered_id == section_id)
    kept = sorted(+total, key=lambda answer: (-total[answer], answer))[:ANSWERS_MAX]
    for answer in kept:
        yield AnswerForecast(answer, _counts([run.answers[section_id, answer] for run in runs]))
    rest = [run.answered_sections[section_id] - sum(run.answers[section_id, answer] for answer in kept) for run in runs]
    if any(rest):
        yield AnswerForecast(OTHERS, _counts(rest))


def _shown(run: SeedRun) -> SeedForecast:
    counters = run.counters
    return SeedForecast(
        seed=run.seed,
        finish_date=show_date(run.stop.at_ms),
        stop_reason=run.stop.reason,
        cost=format_money(counters.cost),
        calls=counters.calls,
        answered=counters.answered,
        completed=counters.completed,
        abandoned_percent=_abandoned_percent(counters),
        calls_in_progress_peak=run.calls_in_progress_peak,
        digest=run.digest,
    )
