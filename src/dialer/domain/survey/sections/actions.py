"""Things that a section does besides playing a prompt and asking for keys; the player of a call performs them.

Each has the `response` that is kept as the section's result.
"""

from typing import TypeAlias

import msgspec


class CallContext(msgspec.Struct, frozen=True):
    """The facts about a call that a section may use."""

    number: str
    """Of the callee, in normal form."""
    full_name: str
    additional_vars: str
    """JSON text of an object, or empty."""
    callid: str
    campaign_id: int


class DncWish(msgspec.Struct, frozen=True):
    """The callee is put on the campaign's do-not-call list."""

    response: str


class MessageToSend(msgspec.Struct, frozen=True):
    """A text message is sent."""

    response: str
    number: str
    text: str


class Diversion(msgspec.Struct, frozen=True):
    """The call is brought to a queue, or else to a number."""

    response: str
    queue_id: int | None
    number: str


class ConferenceTalk(msgspec.Struct, frozen=True):
    """The callee talks with others, for as long as they like."""

    response: str


class VoiceRecording(msgspec.Struct, frozen=True):
    """The callee speaks; `response` is the name of the recording's file."""

    response: str


ActionBeforePrompt: TypeAlias = DncWish | MessageToSend
ActionAfterPrompt: TypeAlias = Diversion | ConferenceTalk | VoiceRecording
