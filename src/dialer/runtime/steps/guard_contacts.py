"""The guard's check that no contact rule was broken: the calls of an account are counted again in their rows."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from sqlalchemy import BindParameter, Connection, bindparam, func, select

from dialer.domain.calls.contact_rules import DAY_MS, HOUR_MS, FrequencyRule, RuledCampaign
from dialer.domain.calls.plans import CampaignPlan
from dialer.domain.places.area_code_states import states_of_area
from dialer.domain.rules.invariants import BrokenInvariantError, Rule
from dialer.domain.words.contact_words import CALL, ContactKind, PeriodUnit, RuleScope
from dialer.domain.words.purposes import Purpose
from dialer.store.tables import CallRequest, Campaign

_UNITS_MS: Final = {PeriodUnit.HOURS: HOUR_MS, PeriodUnit.DAYS: DAY_MS, PeriodUnit.CALENDAR_DAYS: DAY_MS}
_SHORTER_MS: Final = DAY_MS + HOUR_MS
"""The most by which calendar days are shorter than so many times 24 hours: the first may have begun long ago."""
_DAY: Final = timedelta(days=1)
_numbers: BindParameter[Any] = bindparam("numbers", expanding=True)
_OWN: Final = (
    select(CallRequest.phone_number.label("number"), func.max(CallRequest.started_ms).label("last_ms"))
    .where(CallRequest.phone_number.in_(_numbers))
    .where(CallRequest.campaign_id == bindparam("campaign"), CallRequest.attempt > 0)
    .group_by(CallRequest.phone_number)
    .subquery()
)
"""The campaign's own last call of each number. Later calls of others are no fault of the campaign."""
_TOO_OFTEN: Final = (
    select(CallRequest.phone_number)
    .join(Campaign, Campaign.id == CallRequest.campaign_id)
    .join(_OWN, _OWN.c.number == CallRequest.phone_number)
    .where(CallRequest.phone_number.in_(_numbers))
    .where(CallRequest.user_id == bindparam("user"), CallRequest.attempt > 0)
    .where(CallRequest.started_ms > _OWN.c.last_ms - bindparam("period_ms"))
    .where(CallRequest.started_ms <= _OWN.c.last_ms)
    .where(CallRequest.is_simulated.in_(bindparam("simulated", expanding=True)))
    .where(Campaign.trial_of_id.is_(None))  # No rule binds trials.
    .where(Campaign.purpose.in_(bindparam("purposes", expanding=True)))
    .group_by(CallRequest.phone_number)
    .having(func.count() > bindparam("most"))
    .limit(1)
)
_TOO_OFTEN_FOR_ONE: Final = _TOO_OFTEN.where(Campaign.seller == bindparam("seller"))
_ANY_PURPOSE: Final = ("", *(purpose.value for purpose in Purpose))


def check_contacts(connection: Connection, plan: CampaignPlan, numbers: Collection[str], now_ms: int) -> None:
    """Check that none of the numbers that a campaign has called in a step was called more often than a rule allows.

    The calls of the period up to its last call of the number are counted; rehearsed ones for a rehearsal only, so a
    later one over a real line breaks nothing. Limits of attempts are checked, of the account and of law, one query
    each, where it is certain that they hold for a number: by its area code, and not on the days around the first and
    the last one of a rule. `now_ms` is the moment of the campaign's last dial.

    Raises:
        BrokenInvariantError: one was.
    """
    if plan.ruled is None or not numbers:
        return
    theirs = [number for number in set(numbers) if plan.ruled.may_hold(number)]
    for rule in plan.ruled.rules if theirs else ():
        held = [number for number in theirs if _is_certain(rule, number)] if _is_checked(rule, now_ms) else []
        if held and _is_broken(connection, plan.ruled, rule, held):
            what = f"a number was called more often than {rule.row or f'rule {rule.id}'} allows"
            raise BrokenInvariantError(Rule.CONTACTS, what, user_id=plan.user_id, campaign_id=plan.id)


def _is_broken(connection: Connection, campaign: RuledCampaign, rule: FrequencyRule, numbers: Sequence[str]) -> bool:
    period_ms = rule.period * _UNITS_MS[rule.unit]
    if rule.unit is PeriodUnit.CALENDAR_DAYS:
        period_ms -= _SHORTER_MS
    asked = {"numbers": numbers, "user": campaign.user_id, "most": rule.limit}
    asked |= {"campaign": campaign.id, "period_ms": period_ms}
    asked |= {"simulated": [False] if campaign.is_real else [False, True]}
    asked |= {"purposes": ["", *rule.purposes] if rule.purposes else _ANY_PURPOSE}
    if rule.scope is RuleScope.SELLER:
        return connection.scalar(_TOO_OFTEN_FOR_ONE, {**asked, "seller": campaign.seller}) is not None
    return connection.scalar(_TOO_OFTEN, asked) is not None


def _is_checked(rule: FrequencyRule, now_ms: int) -> bool:
    is_cap = rule.after is None and rule.counts is ContactKind.ATTEMPTS
    today = datetime.fromtimestamp(now_ms / 1_000, UTC).date()
    has_begun = rule.from_date is None or rule.from_date < today - _DAY
    has_ended = rule.until_date is not None and rule.until_date <= today + _DAY
    return is_cap and has_begun and not has_ended and rule.scope is not RuleScope.CAMPAIGN and CALL in rule.media


def _is_certain(rule: FrequencyRule, number: str) -> bool:
    """Return whether a rule holds for a number whatever the columns of its contact say."""
    return rule.is_for(number, "") and (not rule.state or bool(states_of_area(number)))
