"""The reasons why nobody is called, a campaign stops or a transfer reaches nobody, each with its meaning.

A reason is one word that programs can rely on. Words are never renamed.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Literal, TypeAlias

NoReason: TypeAlias = Literal[""]
"""The value of a field that holds a reason, where there is none."""


class WaitsFor(StrEnum):
    """The conditions that a PENDING subscriber can wait for. The first one that holds is reported, in this order."""

    NOT_STARTED = "not_started"
    PAUSED = "paused"
    NO_CREDIT = "no_credit"
    EXPIRED = "expired"
    OVER = "over"
    EMERGENCY = "emergency"
    INVALID_NUMBER = "invalid_number"
    DESTINATION = "destination"
    TZ_UNKNOWN = "tz_unknown"
    DNC = "dnc"
    STARTING = "starting"
    RETRY = "retry"
    WINDOW = "window"
    NO_AGENT = "no_agent"
    MAX_ALEG = "max_aleg"
    LINE_DOWN = "line_down"
    RESTING = "resting"
    GATEWAY_FULL = "gateway_full"
    TURN = "turn"


class SubscriberReason(StrEnum):
    """The `status_reason` of a subscriber, and of a call request that failed."""

    EMERGENCY = "emergency"
    DESTINATION = "destination"
    DNC = "dnc"
    TZ_UNKNOWN = "tz_unknown"
    NO_TEXT = "no_text"
    BUSY = "busy"
    NO_ANSWER = "no_answer"
    REJECTED = "rejected"
    INVALID_NUMBER = "invalid_number"
    NUMBER_CHANGED = "number_changed"
    MACHINE = "machine"
    NOT_COMPLETED = "not_completed"
    NOT_DELIVERED = "not_delivered"
    NO_ROUTE = "no_route"
    CARRIER_FAILURE = "carrier_failure"
    ABORTED = "aborted"
    CONTACT_DELETED = "contact_deleted"
    ERASED = "erased"


class CampaignReason(StrEnum):
    """The `status_reason` of a campaign."""

    USER = "user"
    COMPLETED = "completed"
    EXPIRED = "expired"
    NO_CREDIT = "no_credit"
    INVARIANT = "invariant"


class TextReason(StrEnum):
    """The reason why a text message that a section of a survey asked for is not sent."""

    EMERGENCY = "emergency"
    DNC = "dnc"
    INVALID_NUMBER = "invalid_number"
    DESTINATION = "destination"
    NO_TEXT = "no_text"
    NO_CREDIT = "no_credit"
    NO_GATEWAY = "no_gateway"
    TOO_MANY = "too_many"
    ABORTED = "aborted"
    ERASED = "erased"


class TransferReason(StrEnum):
    """The reason why a transfer has reached nobody."""

    EMERGENCY = "emergency"
    BUSY = "busy"
    NO_ANSWER = "no_answer"
    REJECTED = "rejected"
    INVALID_NUMBER = "invalid_number"
    DESTINATION = "destination"
    CARRIER_FAILURE = "carrier_failure"
    NOT_CONFIRMED = "not_confirmed"
    HUNG_UP = "hung_up"
    GAVE_UP = "gave_up"
    MAX_WAIT = "max_wait"
    NO_AGENT = "no_agent"
    NO_NUMBER = "no_number"
    NO_QUEUE = "no_queue"
    MAX_XFER = "max_xfer"
    NO_CREDIT = "no_credit"
    GATEWAY_FULL = "gateway_full"
    RESTING = "resting"


WAITS: Final[Mapping[str, str]] = {
    WaitsFor.NOT_STARTED: "the campaign has not been started",
    WaitsFor.PAUSED: "the campaign is paused",
    WaitsFor.NO_CREDIT: "the owner's balance cannot pay for a call",
    WaitsFor.EXPIRED: "the campaign expired before it came to this number",
    WaitsFor.OVER: "the campaign was ended before it came to this number",
    WaitsFor.EMERGENCY: "the number is an emergency number; it is refused when its turn comes",
    WaitsFor.INVALID_NUMBER: "the number is impossible in its country; it is refused when its turn comes",
    WaitsFor.DESTINATION: "the account may not call such numbers, or this country; it is refused when its turn comes",
    WaitsFor.TZ_UNKNOWN: "the time zone of the number is unknown; it is refused when its turn comes",
    WaitsFor.DNC: "the number is on a do-not-call list of the campaign; it is refused when its turn comes",
    WaitsFor.STARTING: "the campaign's starting date has not come",
    WaitsFor.RETRY: "the next attempt is not due yet",
    WaitsFor.WINDOW: "the campaign's window or the calling hours are closed in the number's time zone",
    WaitsFor.NO_AGENT: "no agent of the campaign's queues is free",
    WaitsFor.MAX_ALEG: "the campaign has reached its limit of calls in progress",
    WaitsFor.LINE_DOWN: "the gateway's connection to its carrier does not work",
    WaitsFor.RESTING: "the gateway rests, because its carrier failed several times in a row",
    WaitsFor.GATEWAY_FULL: "the gateway has reached its limit of calls in progress",
    WaitsFor.TURN: "nothing; its turn comes",
}
"""The meaning of each condition that a PENDING subscriber waits for."""

SUBSCRIBER_REASONS: Final[Mapping[str, str]] = {
    SubscriberReason.EMERGENCY: "the number is an emergency number, which is never dialled",
    SubscriberReason.DESTINATION: "the account may not call such numbers, or this country",
    SubscriberReason.DNC: "the number is on a do-not-call list of the campaign",
    SubscriberReason.TZ_UNKNOWN: "the time zone of the number is unknown",
    SubscriberReason.NO_TEXT: "the text message is empty once its variables are filled in",
    SubscriberReason.BUSY: "the line was busy",
    SubscriberReason.NO_ANSWER: "nobody answered",
    SubscriberReason.REJECTED: "the call was rejected",
    SubscriberReason.INVALID_NUMBER: "the number does not exist, or is impossible in its country",
    SubscriberReason.NUMBER_CHANGED: "the number has changed",
    SubscriberReason.MACHINE: "an answering machine answered, and the campaign talks to people only",
    SubscriberReason.NOT_COMPLETED: "the call did not reach a section marked completed",
    SubscriberReason.NOT_DELIVERED: "the text message could not be delivered",
    SubscriberReason.NO_ROUTE: "the carrier has no route for text messages to the number",
    SubscriberReason.CARRIER_FAILURE: "the carrier could not place the call",
    SubscriberReason.ABORTED: "the campaign was aborted",
    SubscriberReason.CONTACT_DELETED: "the contact was deleted",
    SubscriberReason.ERASED: "the number was erased before it was called again",
}
"""The meaning of each `status_reason` of subscribers and failed call requests."""

CAMPAIGN_REASONS: Final[Mapping[str, str]] = {
    CampaignReason.USER: "set by a user",
    CampaignReason.COMPLETED: "every subscriber is final",
    CampaignReason.EXPIRED: "the expiration date has passed",
    CampaignReason.NO_CREDIT: "the owner's balance cannot pay for one more call",
    CampaignReason.INVARIANT: "an internal rule was about to be broken; the log names the rule",
}
"""The meaning of each `status_reason` of campaigns."""

TEXT_REASONS: Final[Mapping[str, str]] = {
    TextReason.EMERGENCY: "the number is an emergency number, which gets no messages",
    TextReason.DNC: "the number is on a do-not-call list of the campaign",
    TextReason.INVALID_NUMBER: "it is no number, or one that is impossible in its country",
    TextReason.DESTINATION: "the account may not send messages to such numbers, or this country",
    TextReason.NO_TEXT: "the text is empty once its variables are filled in",
    TextReason.NO_CREDIT: "the owner's balance could not pay for the message",
    TextReason.NO_GATEWAY: "the campaign has no gateway for text messages",
    TextReason.TOO_MANY: "too many messages waited for the gateway already",
    TextReason.ABORTED: "the campaign was aborted while the message waited",
    TextReason.ERASED: "the person was erased, or the subscriber or the campaign deleted, while the message waited",
}
"""The meaning of each reason why a text message of a call is not sent."""

TRANSFER_REASONS: Final[Mapping[str, str]] = {
    TransferReason.EMERGENCY: "the number is an emergency number, which is never dialled",
    TransferReason.BUSY: "the line was busy",
    TransferReason.NO_ANSWER: "nobody answered",
    TransferReason.REJECTED: "the call was rejected",
    TransferReason.INVALID_NUMBER: "the number does not exist",
    TransferReason.DESTINATION: "the account may not call such numbers, or this country",
    TransferReason.CARRIER_FAILURE: "the carrier could not place the call",
    TransferReason.NOT_CONFIRMED: "the person who answered did not press the key that accepts the call",
    TransferReason.HUNG_UP: "the callee hung up first",
    TransferReason.GAVE_UP: "the callee stopped waiting and stayed in the call",
    TransferReason.MAX_WAIT: "the longest wait that the queue allows was over",
    TransferReason.NO_AGENT: "no agent was logged in to take the call",
    TransferReason.NO_NUMBER: "the section names no number",
    TransferReason.NO_QUEUE: "the queue was deleted",
    TransferReason.MAX_XFER: "the campaign had reached its limit of transfers in progress",
    TransferReason.NO_CREDIT: "the owner's balance could not pay for the B-leg",
    TransferReason.GATEWAY_FULL: "the gateway had no free channel in time",
    TransferReason.RESTING: "the gateway rested",
}
"""The meaning of each reason why a transfer has reached nobody."""
