"""Comparisons of settings: a campaign is forecast as it is and under other settings, with the same seeds.

A person has the same fate under all settings with the same seed ("common random numbers"). So the difference of two
settings under one seed comes from the settings, and few seeds tell much.
"""

from collections.abc import Callable, Sequence
from functools import partial
from math import sqrt
from statistics import fmean, stdev
from typing import Annotated, Final

import msgspec

from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.survey.survey import Survey
from dialer.domain.words.described import described
from dialer.forecast.changed_copy import stage_of_setting
from dialer.forecast.forecast import (
    ignore_progress,
    rules_that_bind,
    run_seeds,
    sharing_campaigns,
    started_copy,
)
from dialer.forecast.parameters import Order, TriedSetting
from dialer.forecast.processes import Progress
from dialer.forecast.seed_run import SeedRun
from dialer.forecast.stage import ForecastStage, read_stage
from dialer.forecast.summary import Forecast, abandoned_percent, summarise
from dialer.sim.student import quantile_within
from dialer.store.database.database import Database

LEVEL: Final = 0.95
"""The chance that all margins of a comparison hold together."""
JUDGED_SEEDS_MIN: Final = 5
"""Seeds from which on a difference is judged: with fewer, equal differences are easily a coincidence."""
_S: Final = 1_000
_PLACES: Final = 5

FIGURES: Final[dict[str, Callable[[SeedRun, int], float]]] = {
    "seconds_to_finish": lambda run, now_ms: (run.stop.at_ms - now_ms) / _S,
    "cost": lambda run, _: run.counters.cost / MONEY_SCALE,
    "calls": lambda run, _: run.counters.calls,
    "answered": lambda run, _: run.counters.answered,
    "machine_answered": lambda run, _: run.counters.machine_answered,
    "completed": lambda run, _: run.counters.completed,
    "abandoned_percent": lambda run, _: abandoned_percent(run.counters),
    "calls_in_progress_peak": lambda run, _: run.calls_in_progress_peak,
}
"""The figures that are compared, each from the run of one seed and the moment of the forecast."""


class FigureDifference(msgspec.Struct, frozen=True):
    """A figure under the present setting and under another one: means over the same seeds, and their difference."""

    figure: Annotated[str, described("The name of the figure, as in a forecast.", "calls")]
    present: Annotated[float, described("The mean over the seeds under the present setting.", 640.2)]
    changed: Annotated[float, described("The mean over the seeds under the changed setting.", 655.4)]
    difference: Annotated[float, described("`changed` less `present`.", 15.2)]
    margin: Annotated[
        float | None,
        described(
            "Half the width of the confidence interval of the difference. All intervals of a comparison hold together"
            " with 95 %. Null with a single seed.",
            6.1,
        ),
    ]
    is_more_than_chance: Annotated[
        bool | None,
        described("True if the difference is larger than its margin. Null with fewer than 5 seeds.", example=True),
    ]


class SettingForecast(msgspec.Struct, frozen=True):
    """The forecast of a changed setting, and its differences from the present one."""

    changes: Annotated[dict[str, str], described("What is changed, as text, by name.", {"frequency": "40"})]
    forecast: Annotated[Forecast, described("The forecast under this setting.")]
    differences: Annotated[tuple[FigureDifference, ...], described("The differences, figure by figure.")]


class WhatIf(msgspec.Struct, frozen=True):
    """The forecasts of a campaign as it is and under other settings, with the same seeds."""

    present: Annotated[Forecast, described("The forecast under the present setting.")]
    settings: Annotated[tuple[SettingForecast, ...], described("The other settings, in the order of the request.")]


class NamedSetting(msgspec.Struct, frozen=True):
    """A setting to try, and its changes as people read them."""

    changes: dict[str, str]
    setting: TriedSetting


class Comparison(msgspec.Struct, frozen=True):
    """A comparison to compute: the forecast of the present setting, and the others."""

    order: Order
    named: tuple[NamedSetting, ...]

    @property
    def runs(self) -> int:
        """The number of runs of all settings."""
        return self.order.seeds * (len(self.named) + 1)


async def compare_settings(
    database: Database, order: Order, named: Sequence[NamedSetting], progress: Progress = ignore_progress
) -> WhatIf:
    """Forecast a campaign of `database`, which is only read, as it is and under each setting, with the same seeds.

    After each run, `progress` is called with the number of runs that are done. The errors are those of
    `dialer.forecast.forecast.forecast_campaign`, and `InvalidFieldsError` for a setting that the campaign may not have.
    """
    stages, survey = staged_settings(database, order, [each.setting for each in named])
    seeds = range(order.first_seed, order.first_seed + order.seeds)
    sharing, bound = sharing_campaigns(database, order), rules_that_bind(database, order)
    present, *others = run_seeds(stages, seeds, order.processes, progress)
    comparisons = len(others) * len(FIGURES)

    def shown(runs: Sequence[SeedRun], stage: ForecastStage) -> Forecast:
        hours, ruled = stage.obeys_hours, stage.ruled
        return summarise(order, runs, survey, obeys_hours=hours, ruled=ruled, bound=bound, sharing=sharing)

    return WhatIf(
        present=shown(present, stages[0]),
        settings=tuple(
            SettingForecast(
                changes=each.changes,
                forecast=shown(runs, stage),
                differences=differences(present, runs, stages[0].now_ms, comparisons),
            )
            for each, runs, stage in zip(named, others, stages[1:], strict=True)
        ),
    )


def staged_settings(
    database: Database, order: Order, settings: Sequence[TriedSetting]
) -> tuple[list[ForecastStage], Survey]:
    """Return the stage of a campaign's copy as it is and under each setting, which share its people, and its survey."""
    copy, survey, history = started_copy(database, order)
    try:
        stage = copy.write_now(partial(read_stage, order=order, history=history))
        changed = [
            copy.write_now(partial(stage_of_setting, order=order, stage=stage, setting=setting)) for setting in settings
        ]
    finally:
        copy.close()
    return [stage, *changed], survey


def differences(
    present: Sequence[SeedRun], changed: Sequence[SeedRun], now_ms: int, comparisons: int
) -> tuple[FigureDifference, ...]:
    """Compare two settings under the same seeds, figure by figure; `comparisons` is the number in the whole table.

    With the differences d of n seeds, the interval is mean(d) ± t · s(d) / √n: the paired-t confidence interval (Law,
    Simulation Modeling and Analysis, 5th ed., 10.2.1), narrow because both settings have common random numbers (11.2).
    By Bonferroni's inequality (10.3), all intervals hold together with 95 % if each of them holds with
    1 - 0.05 / `comparisons`, so t is that quantile of Student's distribution with n - 1 degrees of freedom.
    """
    found = []
    for name, figure in FIGURES.items():
        before = [figure(run, now_ms) for run in present]
        after = [figure(run, now_ms) for run in changed]
        mean, margin = _interval([new - old for old, new in zip(before, after, strict=True)], comparisons)
        is_judged = margin is not None and len(present) >= JUDGED_SEEDS_MIN
        found.append(
            FigureDifference(
                figure=name,
                present=round(fmean(before), _PLACES),
                changed=round(fmean(after), _PLACES),
                difference=round(mean, _PLACES),
                margin=None if margin is None else round(margin, _PLACES),
                is_more_than_chance=abs(mean) > (margin or 0) if is_judged else None,
            )
        )
    return tuple(found)


def _interval(values: Sequence[float], comparisons: int) -> tuple[float, float | None]:
    """Return the mean of differences, and half the width of its confidence interval; None for a single one."""
    mean = fmean(values)
    if len(values) == 1:
        return mean, None
    t = quantile_within(1 - (1 - LEVEL) / comparisons, len(values) - 1)
    return mean, t * stdev(values) / sqrt(len(values))
