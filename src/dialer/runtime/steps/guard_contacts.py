"""The guard's check that no contact rule was broken: the calls of an account are counted again in their rows."""

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, bindparam, func, select

from dialer.domain.calls.contact_rules import DAY_MS, HOUR_MS, FrequencyRule
from dialer.domain.calls.plans import CampaignPlan
from dialer.domain.rules.invariants import BrokenInvariantError, Rule
from dialer.domain.words.contact_words import CALL, ContactKind, PeriodUnit, RuleScope
from dialer.store.tables import CallRequest

_UNITS_MS: Final = {PeriodUnit.HOURS: HOUR_MS, PeriodUnit.DAYS: DAY_MS}
_TOO_OFTEN: Final = (
    select(CallRequest.phone_number)
    .where(CallRequest.phone_number.in_(bindparam("numbers", expanding=True)))
    .where(CallRequest.user_id == bindparam("user"), CallRequest.attempt > 0)
    .where(CallRequest.started_ms > bindparam("since_ms"), CallRequest.started_ms <= bindparam("until_ms"))
    .where(CallRequest.is_simulated.in_(bindparam("simulated", expanding=True)))
    .group_by(CallRequest.phone_number)
    .having(func.count() > bindparam("most"))
    .limit(1)
)


def check_contacts(connection: Connection, plan: CampaignPlan, numbers: Collection[str], now_ms: int) -> None:
    """Check that none of the numbers that a campaign has called in a step was called more often than a rule allows.

    The calls of the period up to `now_ms` are counted, which is the moment of the campaign's last dial; rehearsed ones
    for a rehearsal only. Only rules are checked that hold for everybody and count the calls of the whole account: one
    query each.

    Raises:
        BrokenInvariantError: one was.
    """
    if plan.ruled is None or not numbers:
        return
    simulated = [False] if plan.ruled.is_real else [False, True]
    for rule in plan.ruled.rules:
        if not _is_plain(rule):
            continue
        period_ms = rule.period * _UNITS_MS[rule.unit]
        asked = {"numbers": list(set(numbers)), "user": plan.user_id, "most": rule.limit, "simulated": simulated}
        if connection.scalar(_TOO_OFTEN, {**asked, "since_ms": now_ms - period_ms, "until_ms": now_ms}) is not None:
            what = f"a number was called more often than rule {rule.id} allows"
            raise BrokenInvariantError(Rule.CONTACTS, what, user_id=plan.user_id, campaign_id=plan.id)


def _is_plain(rule: FrequencyRule) -> bool:
    is_for_all = not (rule.purposes or rule.country or rule.from_date or rule.until_date)
    is_cap = rule.after is None and rule.counts is ContactKind.ATTEMPTS and rule.unit in _UNITS_MS
    return is_for_all and is_cap and rule.scope is RuleScope.ACCOUNT and CALL in rule.media
