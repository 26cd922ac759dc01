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
from dialer.domain.roles import Role

WORDS: Final[Mapping[type[Enum], Mapping[Enum, str]]] = {
    CampaignStatus: {
        CampaignStatus.NEW: "Not started",
        CampaignStatus.START: "Dialling",
        CampaignStatus.PAUSE: "Paused",
        CampaignStatus.ABORD: "Aborted",
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
        SubscriberStatus.COMPLETED: "Completed",
    },
    AgentDisposition: {
        AgentDisposition.CALL_BACK: "Call back",
        AgentDisposition.DO_NOT_CALL: "Do not call again",
        AgentDisposition.OTHER: "Something else",
    },
    AgentActivity: {
        AgentActivity.LOGGED_OUT: "Logged out",
        AgentActivity.AVAILABLE: "Available",
        AgentActivity.TALKING: "Talking",
        AgentActivity.WRAPPING_UP: "Wrapping up",
        AgentActivity.ON_BREAK: "On a break",
    },
    AgentStatus: {
        AgentStatus.LOGGED_OUT: "Logged out",
        AgentStatus.AVAILABLE: "Available",
        AgentStatus.AVAILABLE_ON_DEMAND: "Available on demand",
        AgentStatus.ON_BREAK: "On a break",
    },
    SectionType: {
        SectionType.PLAY_MESSAGE: "Message",
        SectionType.MULTI_CHOICE: "Choice",
        SectionType.RATING: "Rating",
        SectionType.CAPTURE_DIGITS: "Digits",
        SectionType.RECORD_MESSAGE: "Recording",
        SectionType.CALL_TRANSFER: "Transfer",
        SectionType.HANG_UP: "Hang up",
        SectionType.CONFERENCE: "Conference",
        SectionType.DNC: "Do not call",
        SectionType.SMS: "Text message",
    },
    Cause: {
        **{cause: cause.name.replace("_", " ").capitalize() for cause in Cause},
        Cause.UNALLOCATED_NUMBER: "Number does not exist",
        Cause.NORMAL_CLEARING: "Answered",
        Cause.USER_BUSY: "Busy",
        Cause.NO_USER_RESPONDING: "No response",
        Cause.CALL_REJECTED: "Rejected",
        Cause.INVALID_NUMBER_FORMAT: "Invalid number",
        Cause.NO_CIRCUIT: "No free circuit",
        Cause.TIMER_EXPIRY: "Timer expired",
    },
    MessageStatus: {
        MessageStatus.UNSENT: "On its way",
        MessageStatus.SENT: "Sent",
        MessageStatus.DELIVERED: "Delivered",
        MessageStatus.FAILED: "Failed",
        MessageStatus.NO_ROUTE: "No route",
        MessageStatus.UNAUTHORIZED: "Not allowed",
    },
    Role: {Role.ADMIN: "Admin", Role.MANAGER: "Manager", Role.AGENT: "Agent", Role.VIEWER: "Viewer"},
}
"""A word or two for each state, by enumeration, because members of two enumerations may be equal."""
PROTOCOL_WORDS: Final[Mapping[str, str]] = {
    SIMULATED: "Simulated",
    SIP: "SIP",
    FREESWITCH: "FreeSWITCH",
    SMPP: "SMPP",
    KANNEL: "Kannel",
    HTTP: "HTTP",
}


def word_of(value: Enum) -> str:
    """Return the word for a state."""
    return WORDS[type(value)][value]


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
        return f"{word_of(Cause(code))} ({code})" if code in set(Cause) else f"Cause {code}"
    return word_of(MessageStatus(member)) if member in set(MessageStatus) else member


def words_of(value: Enum) -> str:
    """Return the word for a member of any enumeration: that of `WORDS`, or else its name with blanks."""
    known = WORDS.get(type(value), {}).get(value)
    return known if known is not None else capitalised(value.name.replace("_", " ").lower())
