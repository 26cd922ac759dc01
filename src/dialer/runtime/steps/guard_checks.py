"""Checks of the guard that need nothing but its books."""

from typing import Final, NoReturn

from dialer.domain.calls.call_effects import Dial
from dialer.domain.calls.disposition import Disposition
from dialer.domain.calls.plans import Call, CampaignPlan, GatewayPlan
from dialer.domain.engine.credit import is_forbidden
from dialer.domain.engine.retry import CUT_OFF_MAX
from dialer.domain.numbers.prefixes import numbers_meant
from dialer.domain.rules.invariants import BrokenInvariantError, Rule
from dialer.domain.words.reasons import AFTER_ANSWER, SubscriberReason
from dialer.runtime.steps.guard_books import AccountBooks, CampaignBooks

MICROSECONDS_PER_MILLISECOND: Final = 1_000


def check_destination(call: Call, number: str, account: AccountBooks, gateway: GatewayPlan) -> None:
    """Check that the account of a call may call or text a number in normal form."""
    meant = numbers_meant(number, addprefix=gateway.addprefix, removeprefix=gateway.removeprefix)
    if any(is_forbidden(possible_number, account.destinations, account.card) for possible_number in meant):
        broken(Rule.DESTINATION, call, "its account may not call the number")


def check_pace(campaign: CampaignBooks, effect: Dial, now_ms: int) -> None:
    """Check that dials are at least the spacing apart, so no minute holds more than `frequency` dials."""
    due_us, next_us = campaign.next_dial_us, effect.next_dial_us
    if due_us > now_ms * MICROSECONDS_PER_MILLISECOND or next_us < due_us + campaign.spacing_us:
        broken(Rule.LIMITS, effect.call, "it exceeds frequency")
    campaign.next_dial_us = next_us


def check_retry(call: Call, after: Disposition, plan: CampaignPlan) -> None:
    """Check that a retry is within the campaign's limits, and that the reason of the last attempt allows a retry.

    A call-back that an agent has promised in the call has no limit.
    """
    if call.call_back is not None and after.due_ms == call.call_back.at_ms:
        return
    counted = after.failures + after.completions + after.abandoned
    is_too_often = after.failures > plan.maxretry
    if after.reason is SubscriberReason.CARRIER_FAILURE and counted < call.attempt:
        is_too_often = is_too_often and call.attempt - counted > max(CUT_OFF_MAX, plan.carrier_maxretry)
    if after.reason in AFTER_ANSWER:
        is_too_often = after.completions > plan.completion_maxretry
    elif after.reason is SubscriberReason.ABANDONED:
        is_too_often = after.abandoned > plan.abandoned_maxretry
    if is_too_often or counted > call.attempt:
        broken(Rule.ATTEMPTS, call, "its subscriber has no retries left for another call")


def broken(rule: Rule, call: Call, what: str) -> NoReturn:
    """Raise the error that a call breaks a rule."""
    plan = call.plan
    what = f"call {call.id}, attempt {call.attempt} of subscriber {call.subscriber.id}: {what}"
    raise BrokenInvariantError(rule, what, user_id=plan.user_id, campaign_id=plan.id, call_id=call.id)
