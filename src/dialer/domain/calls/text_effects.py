"""Effects on text messages."""

import msgspec

from dialer.domain.billing.charge import Bill
from dialer.domain.calls.plans import Call, CallOutcome, GatewayKey
from dialer.domain.words.reasons import TextReason


class CheckText(msgspec.Struct, frozen=True, gc=False):
    """Find out whether a text message that waits may be sent: it is still on record, and on no do-not-call list."""

    gateway_id: GatewayKey
    message_id: int
    campaign_id: int
    number: str


class KeepText(msgspec.Struct, frozen=True, gc=False):
    """Record a text message of a call that waits for room on its gateway."""

    message: Call


class DropText(msgspec.Struct, frozen=True, gc=False):
    """Record that a text message of a call is not sent."""

    call: Call
    """The message that waited, or else the call that asked for one."""
    reason: TextReason
    is_recorded: bool = False
    """True if the record of a message that waited is to be deleted."""


class SendText(msgspec.Struct, frozen=True, gc=False):
    """Send a text message during a call. The message and its hold are recorded before a real carrier receives it."""

    message: Call
    is_recorded: bool = False
    """True for a message that waited: its record as one that waits is to be deleted."""


class FinishText(msgspec.Struct, frozen=True, gc=False):
    """Record the outcome and the charge of a text message that was sent during a call."""

    message: Call
    outcome: CallOutcome
    bill: Bill
