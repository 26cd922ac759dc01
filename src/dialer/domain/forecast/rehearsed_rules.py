"""The rules for calls that a forecast obeys, or leaves aside because nobody is called."""

from typing import Final, NamedTuple

from dialer.domain.words.enum_descriptions import DescribedText


class RehearsedRule(DescribedText):
    """A rule that limits the calls of a campaign."""

    WINDOW = "window", "The daily window, the weekdays and the dates of the campaign."
    DO_NOT_CALL = "do_not_call", "The do-not-call lists."
    GATEWAY_LIMITS = "gateway_limits", "The channels of the gateway, and its calls or messages a second."
    BALANCE = "balance", "The balance of the owner."
    CALLING_HOURS = "calling_hours", "The calling hours of the service."
    COUNTRY_HOURS = "country_hours", "The calling hours of the countries of the callees."
    CONTACT_RULES = (
        "contact_rules",
        "The contact rules of the account and of law, if any binds the campaign.",
    )
    CONSENTS = "consents", "The consents that the campaign needs, if it needs any. No run asks for them."


class RuleCost(NamedTuple):
    """Cost of a contact rule in a run: the people whom it has held back, and the time for which it did."""

    rule_id: int
    """Negative for a row of law."""
    people: int
    waits: int
    """Waits until a moment that was known when they began."""
    waited_ms: int
    """The time of all waits, up to the end of the campaign."""
    too_late: int
    """Those of the people whose last wait outlasts the campaign."""


OF_SOME: Final = frozenset({RehearsedRule.CONTACT_RULES, RehearsedRule.CONSENTS})
"""The rules that bind few campaigns, and of which others hear nothing."""
_HOURS: Final = frozenset({RehearsedRule.CALLING_HOURS, RehearsedRule.COUNTRY_HOURS})


def rules_obeyed(*, with_hours: bool, with_balance: bool, with_contacts: bool = False) -> tuple[RehearsedRule, ...]:
    """Return the rules of real campaigns that a forecast obeys. No run asks for consents."""
    aside = (frozenset() if with_hours else _HOURS) | (frozenset() if with_balance else {RehearsedRule.BALANCE})
    aside |= OF_SOME - ({RehearsedRule.CONTACT_RULES} if with_contacts else set())
    return tuple(rule for rule in RehearsedRule if rule not in aside)


def rules_left_aside(
    obeyed: tuple[RehearsedRule, ...], *, bound: frozenset[RehearsedRule] = frozenset()
) -> tuple[RehearsedRule, ...]:
    """Return the rules of real campaigns that a forecast does not obey.

    `bound` are those that bind the campaign of the rules that bind few.
    """
    unknown = OF_SOME - bound
    return tuple(rule for rule in RehearsedRule if rule not in obeyed and rule not in unknown)
