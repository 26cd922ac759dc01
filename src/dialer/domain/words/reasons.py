"""The reasons why nobody is called, a campaign stops or a transfer reaches nobody, each with its meaning.

A reason is one word that programs can rely on. Words are never renamed.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Literal, TypeAlias

from dialer.domain.words.enum_descriptions import DescribedText

NoReason: TypeAlias = Literal[""]
"""The value of a field that holds a reason, where there is none."""


class Reason(DescribedText):
    """The base of all reasons: each has its meaning in words that can go on in a sentence."""

    @property
    def description(self) -> str:
        """Return the meaning as a sentence."""
        return f"{self.meaning[0].upper()}{self.meaning[1:]}."


def _meanings(reasons: Iterable[Reason]) -> Mapping[str, str]:
    return {reason: reason.meaning for reason in reasons}


class WaitsFor(Reason):
    """The conditions that a PENDING subscriber can wait for. The first one that holds is reported, in this order."""

    NOT_STARTED = "not_started", "the campaign has not been started"
    PAUSED = "paused", "the campaign is paused"
    NO_CREDIT = "no_credit", "the owner's balance cannot pay for a call"
    EXPIRED = "expired", "the campaign expired before it came to this number"
    OVER = "over", "the campaign was ended before it came to this number"
    EMERGENCY = "emergency", "the number is an emergency number; it is refused when its turn comes"
    INVALID_NUMBER = "invalid_number", "the number is impossible in its country; it is refused when its turn comes"
    DESTINATION = (
        "destination",
        "the account may not call such numbers, or this country; it is refused when its turn comes",
    )
    TZ_UNKNOWN = "tz_unknown", "the time zone of the number is unknown; it is refused when its turn comes"
    DNC = "dnc", "the number is on a do-not-call list of the campaign; it is refused when its turn comes"
    HELD = (
        "held",
        "the person has perhaps asked not to be called, and nobody has looked yet; it is refused when its turn comes",
    )
    NO_CONSENT = (
        "no_consent",
        "there is no consent of the person that the campaign needs; it is refused when its turn comes",
    )
    STARTING = "starting", "the campaign's starting date has not come"
    RETRY = "retry", "the next attempt is not due yet"
    FREQUENCY = "frequency", "a rule of the account holds it back, because the person was contacted lately"
    WINDOW = "window", "the campaign's window or the calling hours are closed in the number's time zone"
    NO_SKILL = "no_skill", "no agent on duty has the skills that the call needs"
    NO_AGENT = "no_agent", "no agent of the campaign's queues who may take the call is free"
    MAX_ALEG = "max_aleg", "the campaign has reached its limit of calls in progress"
    LINE_DOWN = "line_down", "the connection to the carrier does not work"
    RESTING = "resting", "the carrier is left alone for a while, because it failed several times in a row"
    ASKED_TO_REST = "asked_to_rest", "the carrier is left alone, because it wants no calls for a while (`Retry-After`)"
    GATEWAY_FULL = "gateway_full", "the carrier has reached its limit of calls in progress"
    CREDIT_HELD = "credit_held", "calls in progress hold the owner's balance, which pays for no more calls at once"
    TURN = "turn", "nothing; its turn comes"


class SubscriberReason(Reason):
    """The `status_reason` of a subscriber, and of a call request that failed."""

    EMERGENCY = "emergency", "the number is an emergency number, which is never dialled"
    DESTINATION = "destination", "the account may not call such numbers, or this country"
    DNC = "dnc", "the number is on a do-not-call list of the campaign"
    HELD = "held", "the person has perhaps asked not to be called, and nobody has looked yet"
    TZ_UNKNOWN = "tz_unknown", "the time zone of the number is unknown"
    NO_CONSENT = "no_consent", "there was no consent of the person that the campaign needs"
    FREQUENCY = "frequency", "a rule of the account held the attempt back, because the person was contacted lately"
    NO_TEXT = "no_text", "the text message is empty once its variables are filled in"
    BUSY = "busy", "the line was busy"
    NO_ANSWER = "no_answer", "nobody answered"
    REJECTED = "rejected", "the call was rejected"
    INVALID_NUMBER = "invalid_number", "the number does not exist, or is impossible in its country"
    NUMBER_CHANGED = "number_changed", "the number has changed"
    MACHINE = "machine", "an answering machine answered"
    MESSAGE_LEFT = "message_left", "an answering machine heard the message, which is enough for the campaign"
    SKIPPED = "skipped", "an agent who previewed the person did not want to call"
    NOT_COMPLETED = "not_completed", "the call did not reach a section marked completed"
    NOT_SERVED = "not_served", "nobody took the call that was transferred"
    ABANDONED = "abandoned", "they answered, and no agent took the call in time"
    NO_RECEIPT = "no_receipt", "the carrier took the text message, and nothing is known of its delivery"
    NOT_DELIVERED = "not_delivered", "the text message could not be delivered"
    NO_ROUTE = "no_route", "the carrier has no route for text messages to the number"
    CARRIER_FAILURE = "carrier_failure", "the carrier could not place the call"
    ABORTED = "aborted", "the campaign was aborted"
    CONTACT_DELETED = "contact_deleted", "the contact was deleted"
    NUMBER_CORRECTED = "number_corrected", "the contact has another number now, which is called instead"
    ERASED = "erased", "the number was erased before it was called again"


AFTER_ANSWER: Final = frozenset({SubscriberReason.NOT_COMPLETED, SubscriberReason.NOT_SERVED})
"""Reasons of attempts that follow an answered call, within `completion_maxretry`."""


class CampaignReason(Reason):
    """The `status_reason` of a campaign."""

    USER = "user", "set by a user"
    COMPLETED = "completed", "nobody is left to call or to text"
    EXPIRED = "expired", "the expiration date has passed"
    NO_CREDIT = "no_credit", "the owner's balance cannot pay for one more call"
    INVARIANT = "invariant", "an internal rule was about to be broken; the log names the rule"


class ActivityReason(Reason):
    """The reason for what a campaign does now, if its status does not say it."""

    STARTING = "starting", "the campaign's starting date has not come"
    WINDOW = "window", "it is outside the campaign's window or the calling hours where people wait"
    RETRY = "retry", "everybody who waits was tried, and no next attempt is due yet"
    NEVER = "never", "nobody who waits can be called before the campaign ends"
    NO_SKILL = "no_skill", "no agent on duty has the skills that the campaign's queues need"
    NO_DUTY = "no_duty", "no agent of the campaign's queues is on duty: all are logged out or on a break"
    NO_AGENT = "no_agent", "no agent of the campaign's queues is free"
    MAX_ALEG = "max_aleg", "the campaign has reached its limit of calls in progress"
    LINE_DOWN = "line_down", "the connection to the carrier does not work"
    RESTING = "resting", "the carrier is left alone for a while, because it failed several times in a row"
    ASKED_TO_REST = "asked_to_rest", "the carrier is left alone, because it wants no calls for a while (`Retry-After`)"
    GATEWAY_FULL = "gateway_full", "the carrier has reached its limit of calls in progress"
    NO_CREDIT = "no_credit", "the owner's balance cannot pay for a call"
    CREDIT_HELD = (
        "credit_held",
        "the owner's balance pays for no more calls at once, so dialling is slow until a top-up",
    )
    AS_DUE = "as_due", "everybody who waits was tried, and the next attempts are made as they fall due"
    ABANDONED = "abandoned", "too many calls were abandoned, so only as many people are called as agents are free"
    JOINING = "joining", "people of its phonebooks are joining it"
    LAST_CALLS = "last_calls", "nobody waits any more, and the last calls are in progress"
    NOBODY_LEFT = "nobody_left", "nobody is left to call or to text, and the campaign stays open until its end"
    UNREADABLE = "unreadable", "the settings of the campaign cannot be read"


class TextReason(Reason):
    """The reason why a text message that a section of a survey asked for is not sent."""

    EMERGENCY = "emergency", "the number is an emergency number, which gets no messages"
    DNC = "dnc", "the number is on a do-not-call list of the campaign"
    INVALID_NUMBER = "invalid_number", "it is no number, or one that is impossible in its country"
    DESTINATION = "destination", "the account may not send messages to such numbers, or this country"
    NO_TEXT = "no_text", "the text is empty once its variables are filled in"
    NO_CREDIT = "no_credit", "the owner's balance could not pay for the message"
    NO_GATEWAY = "no_gateway", "the campaign has no carrier for text messages"
    TOO_MANY = "too_many", "too many messages waited for the carrier already"
    ABORTED = "aborted", "the campaign was aborted while the message waited"
    ERASED = "erased", "the person was erased, or the subscriber or the campaign deleted, while the message waited"


class TransferReason(Reason):
    """The reason why a transfer reached nobody."""

    EMERGENCY = "emergency", "the number is an emergency number, which is never dialled"
    BUSY = "busy", "the line was busy"
    NO_ANSWER = "no_answer", "nobody answered"
    REJECTED = "rejected", "the call was rejected"
    INVALID_NUMBER = "invalid_number", "the number does not exist"
    DESTINATION = "destination", "the account may not call such numbers, or this country"
    CARRIER_FAILURE = "carrier_failure", "the carrier could not place the call"
    NOT_CONFIRMED = "not_confirmed", "the person who answered did not press the key that accepts the call"
    HUNG_UP = "hung_up", "the callee hung up first"
    NOT_HANDED_OVER = "not_handed_over", "the callee could not be handed over"
    GAVE_UP = "gave_up", "the callee stopped waiting and stayed in the call"
    MAX_WAIT = "max_wait", "the longest wait that the queue allows was over"
    NO_AGENT = "no_agent", "no agent was logged in to take the call"
    NO_SKILL = "no_skill", "no agent was logged in who has the skills that the call needs"
    NO_NUMBER = "no_number", "the section names no number"
    NO_QUEUE = "no_queue", "the queue was deleted"
    MAX_XFER = "max_xfer", "the campaign had reached its limit of transfers in progress"
    NO_CREDIT = "no_credit", "the owner's balance could not pay for the transfer"
    GATEWAY_FULL = "gateway_full", "the carrier had no free channel in time"
    RESTING = "resting", "the carrier was left alone for a while"
    LINE_DOWN = "line_down", "the connection to the carrier did not work"


WAITS: Final = _meanings(WaitsFor)
"""The meaning of each condition that a PENDING subscriber waits for."""


class BreakCause(Reason):
    """The reason why the service has sent an agent on a break."""

    DESK_CLOSED = "desk_closed", "the desk was closed"
    MISSED_CALLS = "missed_calls", "the telephone did not answer"
    PREVIEW_OVER = "preview_over", "a person was neither called nor skipped in time"


SUBSCRIBER_REASONS: Final = _meanings(SubscriberReason)
"""The meaning of each `status_reason` of subscribers and failed call requests."""
CAMPAIGN_REASONS: Final = _meanings(CampaignReason)
"""The meaning of each `status_reason` of campaigns."""
ACTIVITY_REASONS: Final = _meanings(ActivityReason)
"""The meaning of each reason for the activity of a campaign."""
TEXT_REASONS: Final = _meanings(TextReason)
"""The meaning of each reason why a text message of a call is not sent."""
TRANSFER_REASONS: Final = _meanings(TransferReason)
"""The meaning of each reason why a transfer has reached nobody."""
BREAK_CAUSES: Final = _meanings(BreakCause)
"""Every `BreakCause`, with its meaning."""
