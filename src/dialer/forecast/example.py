"""An example of a forecast, for documentation."""

from collections import Counter
from typing import Any, Final

import msgspec

from dialer.domain.figures.digest import cdr_digest
from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.survey.survey import Prompt, Section, Survey
from dialer.domain.words.enums import SectionType
from dialer.forecast.parameters import Order
from dialer.forecast.run_store import Counters, Stop
from dialer.forecast.seed_run import HourCounters, SeedRun
from dialer.forecast.summary import summarise

_MOMENT_MS: Final = 1_795_000_000_000
_SURVEY: Final = Survey((Section(1, SectionType.MULTI_CHOICE, "Will you come on Monday?", Prompt()),))
_OUTCOME: Final = SeedRun(
    seed=0,
    stop=Stop(_MOMENT_MS, "completed"),
    subscribers=2,
    counters=Counters(calls=2, answered=2, completed=1, cost=4_000, live_answered=0, abandoned=0, machine_answered=1),
    calls_in_progress_peak=1,
    digest=cdr_digest([]),
    answers=Counter({(1, "yes"): 1}),
    answered_sections=Counter({1: 1}),
    hours=[HourCounters(_MOMENT_MS // HOUR_MS, calls=2, cost=4_000)],
)
FORECAST: Final[Any] = msgspec.json.decode(
    msgspec.json.encode(summarise(Order(1, _MOMENT_MS, "UTC", seeds=1), [_OUTCOME], _SURVEY, obeys_hours=False))
)
"""A forecast with one seed, as JSON values."""
