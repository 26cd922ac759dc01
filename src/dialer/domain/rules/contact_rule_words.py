"""A contact rule in a sentence."""

from collections.abc import Mapping
from typing import Final

from dialer.domain.calls.contact_rules import FrequencyRule
from dialer.domain.words.contact_words import CALL, TEXT, ContactKind, PeriodUnit, RestAfter, RuleScope

_COUNTED: Final[Mapping[ContactKind, str]] = {
    ContactKind.ATTEMPTS: "",
    ContactKind.ANSWERS: " that a person answered",
    ContactKind.CONVERSATIONS: " with a conversation",
    ContactKind.ABANDONED: " that no agent took in time",
}
_AFTER: Final[Mapping[RestAfter, str]] = {
    RestAfter.CONVERSATION: "a conversation",
    RestAfter.REFUSAL: "a refusal",
    RestAfter.ABANDONED: "a call that no agent took in time",
    RestAfter.MACHINE: "a call that was hung up on a supposed machine",
}
_SCOPES: Final[Mapping[RuleScope, str]] = {
    RuleScope.CAMPAIGN: "in each campaign",
    RuleScope.ACCOUNT: "over all campaigns of the account",
    RuleScope.SELLER: "over all campaigns with the same seller",
}
_UNITS: Final[Mapping[PeriodUnit, str]] = {
    PeriodUnit.HOURS: "hour",
    PeriodUnit.DAYS: "day",
    PeriodUnit.CALENDAR_DAYS: "calendar day",
}


def in_words(rule: FrequencyRule) -> str:
    """Return a rule in a sentence, such as "At most 2 calls in 7 days to a number, in each campaign"."""
    period = f"{rule.period} {_UNITS[rule.unit]}{'' if rule.period == 1 else 's'}"
    what = f"{_contacts(rule)}{_COUNTED[rule.counts]}"
    if rule.after is not None:
        most = f"No {what}" if not rule.limit else f"At most {rule.limit} {what}"
        sentence = f"{most} within {period} after {_AFTER[rule.after]}"
    else:
        sentence = f"At most {rule.limit} {what} in {period}"
    where = f" in {'-'.join(filter(None, (rule.country, rule.state)))}" if rule.country else ""
    purposes = f", for {', '.join(sorted(rule.purposes))}" if rule.purposes else ""
    return f"{sentence} to a number{where}, {_SCOPES[rule.scope]}{purposes}."


def _contacts(rule: FrequencyRule) -> str:
    is_one = rule.limit == 1
    words = {CALL: "call" if is_one else "calls", TEXT: "text message" if is_one else "text messages"}
    return " or ".join(word for medium, word in words.items() if medium in rule.media)
