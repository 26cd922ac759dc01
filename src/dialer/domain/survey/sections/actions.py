"""Actions of a section other than playing a prompt and asking for keys; the player of a call performs them.

Each action has the `response` that is recorded as the section's result, but for a talk with a program, which says it.
"""

from typing import TypeAlias

import msgspec


class CallContext(msgspec.Struct, frozen=True):
    """The facts about a call that a section can use."""

    number: str
    """The callee's number in normal form."""
    full_name: str
    additional_vars: str
    """JSON text of an object, or empty."""
    callid: str
    campaign_id: int


class DncWish(msgspec.Struct, frozen=True):
    """An action that puts the callee on the campaign's do-not-call list."""

    response: str


class MessageToSend(msgspec.Struct, frozen=True):
    """An action that sends a text message."""

    response: str
    number: str
    text: str


class Diversion(msgspec.Struct, frozen=True):
    """An action that transfers the call to a queue, or else to a number."""

    response: str
    queue_id: int | None
    number: str


class ConferenceTalk(msgspec.Struct, frozen=True):
    """An action that connects the callee with other people in a conference, without a time limit of its own."""

    response: str
    room: str
    """The name of the room: callees of one user who are in rooms of one name hear each other."""


class ProgramTalk(msgspec.Struct, frozen=True):
    """An action that lets a program talk with the callee."""

    url: str
    parameters: tuple[str, ...]
    """The names of the contact's values that the program gets."""
    patience_ms: int
    """The longest time until the program's first message."""
    limit_ms: int
    """The longest conversation."""


class VoiceRecording(msgspec.Struct, frozen=True):
    """An action that records the callee's voice; `response` is the file name of the recording."""

    response: str


ActionBeforePrompt: TypeAlias = DncWish | MessageToSend
ActionAfterPrompt: TypeAlias = Diversion | ConferenceTalk | ProgramTalk | VoiceRecording
