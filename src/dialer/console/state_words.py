"""The words of the console for states and reasons."""

from collections.abc import Mapping
from enum import Enum
from typing import Final

from dialer.domain.enums import (
    AgentActivity,
    AgentDisposition,
    AgentStatus,
    CampaignStatus,
    Cause,
    MessageStatus,
    SectionType,
    SubscriberStatus,
)
from dialer.domain.plans import FREESWITCH, HTTP, KANNEL, SIMULATED, SIP, SMPP
from dialer.domain.reasons import CAMPAIGN_REASONS

WORDS: Final[Mapping[type[Enum], Mapping[Enum, str]]] = {
    CampaignStatus: {
        CampaignStatus.NEW: "Not started",
        CampaignStatus.START: "Dialling",
        CampaignStatus.PAUSE: "Paused",
        CampaignStatus.ABORT: "Aborted",
        CampaignStatus.END: "Ended",
    },
    SubscriberStatus: {
        SubscriberStatus.PENDING: "Waiting",
        SubscriberStatus.PAUSE: "Paused",
        SubscriberStatus.ABORT: "Called off",
        SubscriberStatus.FAIL: "Not reached",
        SubscriberStatus.SENT: "Reached",
        SubscriberStatus.IN_PROCESS: "In a call",
        SubscriberStatus.NOT_AUTHORIZED: "Refused",
    },
    AgentDisposition: {
        AgentDisposition.DO_NOT_CALL: "Do not call again",
        AgentDisposition.OTHER: "Something else",
    },
    AgentActivity: {AgentActivity.ON_BREAK: "On a break"},
    AgentStatus: {AgentStatus.ON_BREAK: "On a break"},
    SectionType: {
        SectionType.PLAY_MESSAGE: "Message",
        SectionType.MULTI_CHOICE: "Choice",
        SectionType.CAPTURE_DIGITS: "Digits",
        SectionType.RECORD_MESSAGE: "Recording",
        SectionType.CALL_TRANSFER: "Transfer",
        SectionType.DNC: "Do not call",
        SectionType.SMS: "Text message",
    },
    Cause: {
        Cause.UNALLOCATED_NUMBER: "Number does not exist",
        Cause.NORMAL_CLEARING: "Answered",
        Cause.USER_BUSY: "Busy",
        Cause.NO_USER_RESPONDING: "No response",
        Cause.CALL_REJECTED: "Rejected",
        Cause.INVALID_NUMBER_FORMAT: "Invalid number",
        Cause.NO_CIRCUIT: "No free circuit",
        Cause.TIMER_EXPIRY: "Timer expired",
    },
    MessageStatus: {MessageStatus.UNSENT: "On its way", MessageStatus.UNAUTHORIZED: "Not allowed"},
}
"""The words for states whose names do not do, by enumeration, because members of two enumerations may be equal."""
PROTOCOL_WORDS: Final[Mapping[str, str]] = {
    SIMULATED: "Simulated",
    SIP: "SIP",
    FREESWITCH: "FreeSWITCH",
    SMPP: "SMPP",
    KANNEL: "Kannel",
    HTTP: "HTTP",
}


def words_of(value: Enum) -> str:
    """Return the word for a member of any enumeration: that of `WORDS`, or else its name with blanks."""
    return WORDS.get(type(value), {}).get(value) or capitalised(value.name.replace("_", " ").lower())


def word_of_choice(value: str) -> str:
    """Return the words for a string of a few: a protocol's name, or else the string with a capital and blanks."""
    return PROTOCOL_WORDS.get(value) or capitalised(value.replace("_", " "))


def capitalised(text: str) -> str:
    """Return a text whose first letter is a capital, and the rest as it is."""
    return text[:1].upper() + text[1:]


def campaign_state(status: int) -> CampaignStatus | None:
    """Return the status of a campaign; None if this version does not know it."""
    return CampaignStatus(status) if status in set(CampaignStatus) else None


def reason_of_campaign(reason: str) -> str:
    """Return a campaign's reason in words; empty if there is none."""
    return CAMPAIGN_REASONS.get(reason, reason)


def outcome_words(member: str) -> str:
    """Return the words for the outcome of calls: a Q.850 cause, or the status of a text message."""
    if member.isdecimal():
        code = int(member)
        return f"{words_of(Cause(code))} ({code})" if code in set(Cause) else f"Cause {code}"
    return words_of(MessageStatus(member)) if member in set(MessageStatus) else member
