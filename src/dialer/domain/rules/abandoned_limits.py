"""The rules of countries on abandoned calls: which share is allowed, and over which time it is counted."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Final, NamedTuple

from dialer.domain.figures.statistics import unrounded_percent
from dialer.domain.pacing.inputs import ABANDON_RATE_MAX_DEFAULT

LEGAL_PERCENT: Final = ABANDON_RATE_MAX_DEFAULT
"""The share that the strictest rules allow."""
JUDGED_FROM: Final = 20
"""Calls for agents from which a share means something."""
UNITED_STATES: Final = "US"
UNITED_KINGDOM: Final = "GB"
CANADA: Final = "CA"


class Period(StrEnum):
    """The times over which shares of abandoned calls are counted."""

    DAY = "24_hours"
    MONTH = "30_days"
    CAMPAIGN = "campaign"


PERIOD_HOURS: Final[Mapping[Period, int]] = {Period.DAY: 24, Period.MONTH: 30 * 24}
"""The hours of the periods that end now."""


class AbandonedRule(NamedTuple):
    """The highest share of abandoned calls, in per cent, that a country allows a campaign, and the period it counts."""

    country: str
    """ISO 3166 code; empty for the rule of countries without a known one."""
    most: float
    period: Period


ELSEWHERE: Final = AbandonedRule("", LEGAL_PERCENT, Period.CAMPAIGN)
RULES: Final = (
    # CRTC Unsolicited Telecommunications Rules: 5 per cent in a calendar month, which the last 30 days come nearest to.
    AbandonedRule(CANADA, 5, Period.MONTH),
    # Ofcom until 2017. Since then any abandoned call can be misuse, so its former limit is the most that is usual.
    AbandonedRule(UNITED_KINGDOM, 3, Period.DAY),
    # 47 CFR 64.1200(a)(7) and 16 CFR 310.4(b)(4): for each campaign, over 30 days.
    AbandonedRule(UNITED_STATES, 3, Period.MONTH),
)
"""The known rules, in the order of the codes."""


class AbandonedCount(NamedTuple):
    """The abandoned calls among the calls for agents."""

    abandoned: int = 0
    of: int = 0

    @property
    def share(self) -> float | None:
        """Return the share of abandoned calls in per cent, not rounded, as limits need it; None without calls."""
        return unrounded_percent(self.abandoned, self.of)


NO_CALLS: Final = AbandonedCount()
AbandonedCounts = Mapping[Period, AbandonedCount]
"""The counts of a campaign over each period."""


class JudgedShare(NamedTuple):
    """The share that a rule counts, in per cent, and the limit that it must keep."""

    rule: AbandonedRule
    counted: AbandonedCount
    limit: float

    @property
    def is_exceeded(self) -> bool:
        """Return whether the share is above the limit, and of enough calls."""
        share = self.counted.share
        return share is not None and self.counted.of >= JUDGED_FROM and share > self.limit


def rules_of(countries: Collection[str]) -> tuple[AbandonedRule, ...]:
    """Return the rules of the countries that are called; of countries without a known one, a rule for all calls."""
    return tuple(rule for rule in RULES if rule.country in countries) or (ELSEWHERE,)


def legal_percent(countries: Collection[str]) -> float:
    """Return the share in per cent that all rules of these countries allow."""
    return min(rule.most for rule in rules_of(countries))


def judge(counts: AbandonedCounts, countries: Collection[str], own_limit: float) -> tuple[JudgedShare, ...]:
    """Return the shares of abandoned calls that these countries limit, each with the lower of its and the own limit."""
    return tuple(
        JudgedShare(rule, counts.get(rule.period, NO_CALLS), min(own_limit, rule.most)) for rule in rules_of(countries)
    )


def may_exceed(counts: AbandonedCounts, own_limit: float) -> bool:
    """Return whether any rule could be broken, so that it matters which countries are called."""
    lowest = min(own_limit, LEGAL_PERCENT)
    return any(JudgedShare(ELSEWHERE, count, lowest).is_exceeded for count in counts.values())
