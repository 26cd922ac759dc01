"""The words of the console for states and reasons, and the meaning of a figure."""

from collections.abc import Mapping
from enum import Enum
from typing import Final, Protocol

from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.calls.plans import FREESWITCH, HTTP, KANNEL, SIMULATED, SIP, SMPP
from dialer.domain.engine.call_results import CallResult
from dialer.domain.survey.sections.table import SECTION_TYPES
from dialer.domain.words.enums import (
    AgentActivity,
    AgentDisposition,
    AgentStatus,
    CampaignStatus,
    Cause,
    MessageStatus,
    SectionType,
    SubscriberStatus,
)
from dialer.domain.words.languages import LANGUAGES
from dialer.domain.words.proof import WishSource
from dialer.domain.words.reasons import CAMPAIGN_REASONS, SubscriberReason, WaitsFor
from dialer.domain.words.reports import ScheduledReport, SentAs, SentWhen, SharedReport

ABANDONED_MEANING: Final = gettext_noop(
    "A call is abandoned if a person answered it and no agent took it within two seconds of joining a queue, even if"
    " one took it later. The share is that of all calls that people answered, in campaigns with queues."
)
WORDS: Final[Mapping[type[Enum], Mapping[Enum, str]]] = {
    CampaignStatus: {
        CampaignStatus.NEW: gettext_noop("Not started"),
        CampaignStatus.START: gettext_noop("Started"),
        CampaignStatus.PAUSE: gettext_noop("Paused"),
        CampaignStatus.ABORT: gettext_noop("Aborted"),
        CampaignStatus.END: gettext_noop("Ended"),
    },
    SubscriberStatus: {
        SubscriberStatus.PENDING: gettext_noop("Waiting"),
        SubscriberStatus.PAUSE: gettext_noop("Paused"),
        SubscriberStatus.ABORT: gettext_noop("Called off"),
        SubscriberStatus.FAIL: gettext_noop("Not reached"),
        SubscriberStatus.SENT: gettext_noop("Reached"),
        SubscriberStatus.IN_PROCESS: gettext_noop("In a call"),
        SubscriberStatus.NOT_AUTHORIZED: gettext_noop("Refused"),
    },
    AgentDisposition: {
        AgentDisposition.DO_NOT_CALL: gettext_noop("Do not call again"),
        AgentDisposition.OTHER: gettext_noop("Something else"),
    },
    AgentActivity: {AgentActivity.ON_BREAK: gettext_noop("On a break")},
    AgentStatus: {AgentStatus.ON_BREAK: gettext_noop("On a break")},
    SectionType: {definition.type: definition.appearance.name for definition in SECTION_TYPES.values()},
    Cause: {
        Cause.UNALLOCATED_NUMBER: gettext_noop("Number does not exist"),
        Cause.NORMAL_CLEARING: gettext_noop("Answered"),
        Cause.USER_BUSY: gettext_noop("Busy"),
        Cause.NO_USER_RESPONDING: gettext_noop("No response"),
        Cause.CALL_REJECTED: gettext_noop("Rejected"),
        Cause.INVALID_NUMBER_FORMAT: gettext_noop("Invalid number"),
        Cause.NO_CIRCUIT: gettext_noop("No free circuit"),
        Cause.TIMER_EXPIRY: gettext_noop("Timer expired"),
    },
    MessageStatus: {
        MessageStatus.UNSENT: gettext_noop("On its way"),
        MessageStatus.UNAUTHORIZED: gettext_noop("Not allowed"),
    },
}
"""The words for states whose names do not do, by enumeration, because members of two enumerations may be equal."""
PROTOCOL_WORDS: Final[Mapping[str, str]] = {
    SIMULATED: gettext_noop("Simulated"),
    SIP: "SIP",
    FREESWITCH: "FreeSWITCH",
    SMPP: "SMPP",
    KANNEL: "Kannel",
    HTTP: "HTTP",
}
RESULT_WORDS: Final[Mapping[CallResult, str]] = {
    CallResult.PERSON: gettext_noop("A person answered"),
    CallResult.MACHINE: gettext_noop("An answering machine answered"),
    CallResult.BUSY: gettext_noop("Busy"),
    CallResult.NO_ANSWER: gettext_noop("Nobody answered"),
    CallResult.REJECTED: gettext_noop("Rejected"),
    CallResult.INVALID_NUMBER: gettext_noop("Number does not exist"),
    CallResult.NUMBER_CHANGED: gettext_noop("The number has changed"),
    CallResult.CARRIER_FAILURE: gettext_noop("The carrier could not place the call"),
    CallResult.HUNG_UP: gettext_noop("Ended before anybody answered"),
}
"""The words for what came of calls."""
_BY_REASON: Final[Mapping[tuple[SubscriberStatus, str], str]] = {
    (SubscriberStatus.FAIL, SubscriberReason.MACHINE): gettext_noop("Answering machine"),
    (SubscriberStatus.SENT, SubscriberReason.MESSAGE_LEFT): gettext_noop("Message left on a machine"),
    (SubscriberStatus.SENT, SubscriberReason.NO_RECEIPT): gettext_noop("Sent"),
    (SubscriberStatus.FAIL, SubscriberReason.ABANDONED): gettext_noop("No agent came in time"),
}
"""The words for states of which the status alone does not say enough."""
WITHOUT_AN_ANSWER: Final = gettext_noop("Completed, without an answer")
"""The words for people who came to the end of the survey and answered none of its questions."""
NO_ANSWER_GIVEN: Final = gettext_noop("Took the call, gave no answer")
"""The words for people who left before they had answered any question."""
_SUBSCRIBER_STATUSES: Final = frozenset(SubscriberStatus)
SOURCE_WORDS: Final[Mapping[str, str]] = {
    WishSource.KEY: gettext_noop("A key in a call"),
    WishSource.AGENT: gettext_noop("An agent"),
    WishSource.TEXT: gettext_noop("A text message"),
    WishSource.CALLER: gettext_noop("A call that came in"),
    WishSource.IMPORT: gettext_noop("An import"),
    WishSource.API: gettext_noop("A program"),
    WishSource.CONSOLE: gettext_noop("The console"),
}
TEXT_WORDS: Final[Mapping[str, str]] = {
    "stop": gettext_noop("A wish not to be called"),
    "perhaps": gettext_noop("Perhaps a wish: look at it"),
    "other": gettext_noop("Something else"),
    "do_not_call": gettext_noop("Not to be called"),
    "nothing": gettext_noop("Nothing to do"),
    WaitsFor.GATEWAY_FULL: gettext_noop("Carrier full"),
}
"""The words for what a text message was understood to mean, for the decision about it, and for a wait."""
REPORT_WORDS: Final[Mapping[str, str]] = {
    SharedReport.ANSWERS: gettext_noop("Answers in words"),
    SharedReport.PEOPLE: gettext_noop("People, a row each"),
    ScheduledReport.AGENT_OUTCOMES: gettext_noop("Agent and outcome"),
    ScheduledReport.AGENT_HOURS: gettext_noop("Agent and hour of the day"),
    ScheduledReport.AGENT_DAYS: gettext_noop("Days of agents"),
    SentAs.WORDS: gettext_noop("In the mail, as a table"),
    SentAs.CSV: gettext_noop("CSV file"),
    SentAs.XLSX: gettext_noop("Excel file"),
    SentAs.PDF: gettext_noop("PDF file"),
    SentAs.LINK: gettext_noop("Link that expires"),
    SentWhen.DAILY: gettext_noop("On days of the week"),
    SentWhen.END: gettext_noop("When the campaign has ended"),
    "waits": gettext_noop("Waits for the end of the campaign"),
    "sends": gettext_noop("Is sent"),
    "not_sent": gettext_noop("Not sent"),
}
"""The words for reports that are shared or sent, their forms and moments, and for what becomes of them."""
_CHOICES: Final = {**PROTOCOL_WORDS, **SOURCE_WORDS, **TEXT_WORDS, **REPORT_WORDS}
_CAUSES: Final = frozenset(Cause)
_USUAL_OUTCOMES: Final = frozenset(AgentDisposition)
_MESSAGE_STATUSES: Final = frozenset(MessageStatus)
_CAMPAIGN_STATUSES: Final = frozenset(CampaignStatus)


def words_of(value: Enum) -> str:
    """Return the word for a member of any enumeration in the viewer's language."""
    return gettext(english_words_of(value))


def said_in_words(disposition: str, word: str) -> str:
    """Return an outcome in the campaign's own word, or in the usual one of the viewer's language."""
    return word or (words_of(AgentDisposition(disposition)) if disposition in _USUAL_OUTCOMES else disposition)


def english_words_of(value: Enum) -> str:
    """Return the English word for a member of any enumeration: that of `WORDS`, or else its name with blanks."""
    return WORDS.get(type(value), {}).get(value) or capitalised(value.name.replace("_", " ").lower())


def word_of_choice(value: str) -> str:
    """Return the words for a string of a few: the name of a protocol or a language, or else the string with blanks."""
    return LANGUAGES.get(value) or gettext(_CHOICES.get(value) or capitalised(value.replace("_", " ")))


def capitalised(text: str) -> str:
    """Return a text whose first letter is a capital, and the rest as it is."""
    return text[:1].upper() + text[1:]


def campaign_state(status: int) -> CampaignStatus | None:
    """Return the status of a campaign; None if this version does not know it."""
    return CampaignStatus(status) if status in _CAMPAIGN_STATUSES else None


def reason_of_campaign(reason: str) -> str:
    """Return a campaign's reason in words; empty if there is none."""
    return gettext(CAMPAIGN_REASONS.get(reason, reason))


def result_words(result: CallResult) -> str:
    """Return the words for the result of a call."""
    return gettext(RESULT_WORDS[result])


class ShownCall(Protocol):
    """The fields of a leg from which its words on a page follow."""

    @property
    def cause(self) -> int:
        """The Q.850 cause of the leg's end."""

    @property
    def is_machine(self) -> bool:
        """True if an answering machine answered the leg."""


def call_words(call: ShownCall) -> str:
    """Return the words for the outcome of one call: an answering machine has words of its own."""
    return result_words(CallResult.MACHINE) if call.is_machine else outcome_words(str(call.cause))


def person_words(status: int, reason: str) -> str:
    """Return the words for what a campaign has come to with a person."""
    if status not in _SUBSCRIBER_STATUSES:
        return gettext("Unknown")
    by_reason = _BY_REASON.get((SubscriberStatus(status), reason))
    return words_of(SubscriberStatus(status)) if by_reason is None else gettext(by_reason)


def outcome_words(member: str) -> str:
    """Return the words for the outcome of calls: a Q.850 cause, or the status of a text message."""
    if member.isdecimal():
        code = int(member)
        return words_of(Cause(code)) if code in _CAUSES else gettext("Cause %(code)s") % {"code": code}
    return words_of(MessageStatus(member)) if member in _MESSAGE_STATUSES else member
