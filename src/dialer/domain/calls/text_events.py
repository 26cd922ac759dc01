"""Events of text messages."""

import msgspec

from dialer.domain.calls.plans import (
    Call,
    GatewayKey,
)


class TextRequested(msgspec.Struct, frozen=True, gc=False):
    """A call reached a section that sends a text message."""

    call_id: int
    number: str
    text: str
    seq: int = 0


class TextRestored(msgspec.Struct, frozen=True, gc=False):
    """A text message of a call was found that waits for room on its gateway since before this engine started."""

    message: Call


class TextChecked(msgspec.Struct, frozen=True, gc=False):
    """A waiting text message was checked against the do-not-call lists."""

    gateway_id: GatewayKey
    message_id: int
    is_recorded: bool
    """False if its record is gone, as it is when its person or its campaign was deleted."""
    is_on_dnc: bool
