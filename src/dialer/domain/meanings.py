"""The meanings of the values of enumerations, in the words of a user of the API."""

from collections.abc import Mapping
from enum import Enum
from typing import Final

from dialer.domain.enums import (
    AgentStatus,
    AmdBehavior,
    AmdStatus,
    CallRequestStatus,
    CampaignStatus,
    Cause,
    DialMethod,
    LegType,
    MessageStatus,
    QueueStrategy,
    SectionType,
    SubscriberStatus,
    TransferStatus,
)
from dialer.domain.reasons import (
    CAMPAIGN_REASONS,
    SUBSCRIBER_REASONS,
    TRANSFER_REASONS,
    WAITS,
    CampaignReason,
    SubscriberReason,
    TransferReason,
    WaitsFor,
)
from dialer.domain.survey.findings import FindingCode, FindingLevel


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


MEANINGS: Final[Mapping[type[Enum], Mapping[Enum, str]]] = {
    CampaignStatus: {
        CampaignStatus.NEW: "It was created and has not been started.",
        CampaignStatus.START: "It dials, within its dates and its daily window.",
        CampaignStatus.PAUSE: "It dials nobody. Calls in progress finish. It can be started again.",
        CampaignStatus.ABORD: "It was aborted: calls in progress were hung up. It cannot be started again.",
        CampaignStatus.END: "It is over: calls in progress finish. It cannot be started again.",
    },
    SubscriberStatus: {
        SubscriberStatus.PENDING: "To be dialled, for the first time or again.",
        SubscriberStatus.PAUSE: "Not dialled until a user sets 1 again.",
        SubscriberStatus.ABORT: "Will not be dialled, because a user or the end of the campaign said so.",
        SubscriberStatus.FAIL: "Not reached, and no retries are left.",
        SubscriberStatus.SENT: "Reached: the call was answered, or the text message was delivered.",
        SubscriberStatus.IN_PROCESS: "In a call now, or a text message is on its way.",
        SubscriberStatus.NOT_AUTHORIZED: "Refused before the dial, for example because of a do-not-call list.",
        SubscriberStatus.COMPLETED: "Reached, and the call came to a section marked `completed`.",
    },
    CallRequestStatus: {
        CallRequestStatus.PENDING: "Reserved. A call request begins when its call is dialled.",
        CallRequestStatus.FAILURE: "The call reached nobody. `status_reason` says why.",
        CallRequestStatus.RETRY: "Reserved. A further attempt is a call request of its own.",
        CallRequestStatus.SUCCESS: "The call was answered.",
        CallRequestStatus.ABORT: "The call was hung up because its campaign was aborted.",
        CallRequestStatus.PAUSE: "Reserved. Only subscribers are paused.",
        CallRequestStatus.CALLING: "The call is in progress.",
    },
    LegType: {
        LegType.A_LEG: "The call between the service and the callee.",
        LegType.B_LEG: "The call to the person to whom the callee was transferred.",
    },
    AmdStatus: {
        AmdStatus.PERSON: "A person answered.",
        AmdStatus.MACHINE: "An answering machine answered.",
        AmdStatus.UNSURE: "Detection could not tell a person from a machine.",
    },
    AmdBehavior: {
        AmdBehavior.ALWAYS: "Play the survey to everybody who answers.",
        AmdBehavior.HUMAN_ONLY: "Play it to people only. A machine counts as not answered.",
        AmdBehavior.VOICEMAIL_ONLY: "Play it to answering machines only.",
    },
    SectionType: {
        SectionType.PLAY_MESSAGE: "Play a message.",
        SectionType.MULTI_CHOICE: "Ask for one key out of `key_0` to `key_9`.",
        SectionType.RATING: "Ask for a number from 1 to `rating_laps`.",
        SectionType.CAPTURE_DIGITS: "Ask for a number of `number_digits` digits.",
        SectionType.RECORD_MESSAGE: "Record what the callee says.",
        SectionType.CALL_TRANSFER: "Transfer the call to `queue`, or to `phonenumber`.",
        SectionType.HANG_UP: "Play the message, and hang up.",
        SectionType.CONFERENCE: "Put the callee into the conference room named by `conference`.",
        SectionType.DNC: "Put the number on the campaign's do-not-call list, play the message, and hang up.",
        SectionType.SMS: "Send the text message `sms_text` to the callee.",
    },
    QueueStrategy: {
        QueueStrategy.RING_ALL: "All free agents at the same time.",
        QueueStrategy.LONGEST_IDLE_AGENT: "The agent who has been free for the longest time.",
        QueueStrategy.ROUND_ROBIN: "The agents in turn, after the one who was asked last.",
        QueueStrategy.TOP_DOWN: "The agents by level and position, always from the first one.",
        QueueStrategy.AGENT_WITH_LEAST_TALK_TIME: "The agent who has talked the least.",
        QueueStrategy.AGENT_WITH_FEWEST_CALLS: "The agent who has taken the fewest calls.",
        QueueStrategy.SEQUENTIALLY_BY_AGENT_ORDER: "The agent who was offered a call the longest time ago.",
        QueueStrategy.RANDOM: "Any free agent, by chance.",
        QueueStrategy.RING_PROGRESSIVELY: "One agent by level and position, and one more every 10 seconds.",
    },
    AgentStatus: {
        AgentStatus.LOGGED_OUT: "Takes no calls.",
        AgentStatus.AVAILABLE: "Takes calls.",
        AgentStatus.AVAILABLE_ON_DEMAND: "Takes one call, and is then on a break until set to 2 or 3 again.",
        AgentStatus.ON_BREAK: "Takes no calls for now.",
    },
    TransferStatus: {
        TransferStatus.WAITING: "In a queue, or waiting for a free channel of the gateway.",
        TransferStatus.CONNECTED: "The callee talks with an agent or with the number.",
        TransferStatus.OVER: "The transfer has ended.",
    },
    MessageStatus: {
        MessageStatus.UNSENT: "Not sent yet.",
        MessageStatus.SENT: "The carrier took the message. Its delivery is not known yet.",
        MessageStatus.DELIVERED: "The message arrived.",
        MessageStatus.FAILED: "The carrier could not deliver the message.",
        MessageStatus.NO_ROUTE: "The carrier has no route to the number.",
        MessageStatus.UNAUTHORIZED: "The carrier refused the message.",
    },
    DialMethod: {
        DialMethod.FIXED_RATE: "Dial `frequency` calls a minute.",
        DialMethod.PROGRESSIVE: "Dial `agent_dial_rate` calls for each free agent of the survey's queues.",
        DialMethod.PREDICTIVE: "Dial ahead of free agents, and keep abandoned calls under `abandon_rate_max`.",
    },
    Cause: {
        Cause.UNALLOCATED_NUMBER: "the number does not exist",
        Cause.NORMAL_CLEARING: "the call was answered and ended normally",
        Cause.USER_BUSY: "busy",
        Cause.NO_USER_RESPONDING: "the line does not respond",
        Cause.NO_ANSWER: "nobody answered within `calltimeout`",
        Cause.CALL_REJECTED: "the callee rejected the call",
        Cause.NUMBER_CHANGED: "the number has changed",
        Cause.INVALID_NUMBER_FORMAT: "the number is incomplete or malformed",
        Cause.NO_CIRCUIT: "the carrier has no free circuit",
        Cause.NETWORK_OUT_OF_ORDER: "the carrier's network is out of order",
        Cause.TEMPORARY_FAILURE: "the carrier failed for the moment",
        Cause.SWITCH_CONGESTION: "the carrier's switch is congested",
        Cause.TIMER_EXPIRY: "the carrier did not respond in time",
        Cause.PROTOCOL_ERROR: "protocol error",
        Cause.INTERWORKING: "a network on the way gave no cause",
    },
    WaitsFor: {reason: _sentence(WAITS[reason]) for reason in WaitsFor},
    SubscriberReason: {reason: _sentence(SUBSCRIBER_REASONS[reason]) for reason in SubscriberReason},
    CampaignReason: {reason: _sentence(CAMPAIGN_REASONS[reason]) for reason in CampaignReason},
    TransferReason: {reason: _sentence(TRANSFER_REASONS[reason]) for reason in TransferReason},
    FindingCode: {
        FindingCode.NO_SECTIONS: "The survey has no sections.",
        FindingCode.TOO_MANY_SECTIONS: "The survey has more sections than can be played.",
        FindingCode.UNREACHABLE: "No call can reach the section.",
        FindingCode.UNKNOWN_TARGET: "A branch leads to a section that does not exist.",
        FindingCode.DEAD_END: "The call always ends at the section, although it asks for input.",
        FindingCode.LOOP: "The call can go round in a loop.",
        FindingCode.NEVER_TAKEN: "No input takes the branch.",
        FindingCode.AFTER_THE_END: "The section ends the call, so its branches are never taken.",
        FindingCode.MISSING_PROMPT: "The section has neither a recording nor a script.",
        FindingCode.MISSING_TEXT: "The section sends a text message without a text.",
        FindingCode.NO_ANSWER: "No input can be a valid answer to the section.",
        FindingCode.NO_DESTINATION: "The transfer has neither a number nor a queue.",
    },
    FindingLevel: {
        FindingLevel.ERROR: "The campaign cannot be started.",
        FindingLevel.WARNING: "The campaign can be started, but it may not do what its author expects.",
    },
}
"""The meaning of each value, by enumeration."""
