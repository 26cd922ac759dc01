"""The findings of a forecast: the campaign expires too early, rules are too strict for it, or the balance runs out."""

from collections.abc import Iterator
from typing import Final

from dialer.domain.billing.money import MoneyAmount, parse_money
from dialer.domain.survey.findings import Finding, FindingCode, FindingLevel
from dialer.domain.words.reasons import CampaignReason
from dialer.domain.words.sentences import FieldName, Sentence
from dialer.forecast.summary import Forecast

HALF: Final = 2


def findings_of_forecast(forecast: Forecast, free_balance: int) -> Iterator[Finding]:
    """Yield warnings about a campaign from its forecast with an unlimited balance.

    `free_balance` is an integer of 1e-5: the owner's balance without what calls in progress hold.
    """
    expired = sum(
        stop_reason.count for stop_reason in forecast.stop_reasons if stop_reason.name == CampaignReason.EXPIRED
    )
    if expired * HALF >= forecast.seeds:
        message = Sentence(
            "In %(expired)s of %(forecasts)s forecasts the campaign expires before everybody is called as often as"
            " it allows. Set a later %(end)s or a higher %(pace)s.",
            end=FieldName("expirationdate"),
            pace=FieldName("frequency"),
            expired=expired,
            forecasts=forecast.seeds,
        )
        yield _warning(FindingCode.EXPIRES_TOO_EARLY, "expirationdate", message)
    for one in forecast.held:
        yield from finding_of_rule(one.name, one.too_late.p50, forecast.subscribers)
    yield from finding_of_cost(parse_money(forecast.cost.p50), free_balance, forecast.currency)


def finding_of_rule(name: str, too_late: int, people: int) -> Iterator[Finding]:
    """Yield a warning if a contact rule holds some of the people back past the end of the campaign."""
    if too_late:
        message = Sentence(
            "%(count)s of %(people)s people are called less often than the campaign allows: the contact rule"
            " “%(rule)s” holds them back past its end (P50 of the forecast). Set a later %(end)s.",
            count=too_late,
            people=people,
            rule=name,
            end=FieldName("expirationdate"),
        )
        yield _warning(FindingCode.RULES_TOO_STRICT, "expirationdate", message)


def finding_of_cost(cost: int, free_balance: int, currency: str = "") -> Iterator[Finding]:
    """Yield a warning if the median cost of a forecast is above the free balance, both in integers of 1e-5."""
    if cost > free_balance:
        message = Sentence(
            "The campaign is likely to cost %(cost)s (P50 of the forecast), but the free balance is %(balance)s."
            " It pauses when that is used up.",
            cost=MoneyAmount(cost, currency),
            balance=MoneyAmount(free_balance, currency),
        )
        yield _warning(FindingCode.LOW_BALANCE, "user", message)


def finding_of_texts(cost: int, free_balance: int) -> Iterator[Finding]:
    """Yield a warning if the texts of a campaign cost more than the free balance, before any forecast."""
    if cost > free_balance:
        message = Sentence(
            "The texts cost about %(cost)s, but the free balance is %(balance)s. The campaign pauses when that is"
            " used up.",
            cost=MoneyAmount(cost),
            balance=MoneyAmount(free_balance),
        )
        yield _warning(FindingCode.LOW_BALANCE, "user", message)


def _warning(code: FindingCode, field: str, message: str) -> Finding:
    return Finding(FindingLevel.WARNING, code, None, message, field=field)
