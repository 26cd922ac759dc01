"""The words of contact rules: what they count, after what they let people rest, and how far they reach."""

from typing import Final

from dialer.domain.words.enum_descriptions import DescribedText

CALL: Final = "call"
TEXT: Final = "text"
ON: Final = "on"
"""The value of `DIALER_CONTACT_RULES` with which rows of law hold on simulated gateways, too."""
OFF: Final = "off"
"""The one with which they hold nowhere."""
NUMBER: Final = "number"
"""The value of `per` of a rule that counts the contacts with each number."""


class ContactMedium(DescribedText):
    """A way of contact: what a rule counts, and what waits for it."""

    CALL = CALL, "Calls."
    TEXT = TEXT, "Text messages."


class ContactKind(DescribedText):
    """The contacts that a rule counts."""

    ATTEMPTS = "attempts", "Every call that was dialled and every text message that was sent, whatever became of it."
    ANSWERS = "answers", "Calls that a person answered."
    CONVERSATIONS = "conversations", "Calls of a person that lasted `seconds` or longer, and those that came in."
    ABANDONED = "abandoned", "Calls that a person answered, and that no agent took in time."


class RestAfter(DescribedText):
    """The kinds of calls after which people rest."""

    CONVERSATION = "conversation", "A call of a person that lasted `seconds` or longer, or one that came in."
    REFUSAL = "refusal", "A call whose agent noted `not_interested`."
    ABANDONED = "abandoned", "A call that no agent took in time."
    MACHINE = "machine", "A call that was taken for that of a machine, and hung up."


class PeriodUnit(DescribedText):
    """The unit of the time in which a rule counts."""

    HOURS = "hours", "3,600 seconds each."
    DAYS = "days", "86,400 seconds each."
    CALENDAR_DAYS = "calendar_days", "Days of the callee's own calendar, of which the day of the contact is the first."


class RuleScope(DescribedText):
    """The campaigns whose contacts a rule counts together."""

    CAMPAIGN = "campaign", "Each campaign for itself."
    ACCOUNT = "account", "All campaigns of the account."
    SELLER = "seller", "All campaigns of the account with the same `seller`."
