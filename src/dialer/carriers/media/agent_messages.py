"""The messages between a call and a program that talks: the telephony side of Twilio's media streams, as JSON text."""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

import msgspec

from dialer.domain.survey.inputs import BRANCH_MAX, CONNECTED, MISSED, RESULT_MAX, SUMMARY_MAX
from dialer.domain.survey.survey import BRANCH_ANY

NAME_MAX: Final = 1_000
"""Characters of a mark's name."""
_OF_TRANSFERS: Final = frozenset({CONNECTED, MISSED})
"""Branches that tell of transfers alone. A program that names one takes that for any other name."""


class SoundSaid(msgspec.Struct, frozen=True):
    """Sound of the program, µ-law of any length."""

    sound: bytes


class MarkSet(msgspec.Struct, frozen=True):
    """A mark, which comes back once the sound before it was played."""

    name: str


class Cleared(msgspec.Struct, frozen=True):
    """The sound that waits is not played."""


class TalkEnded(msgspec.Struct, frozen=True):
    """The program is done, with what it says of it."""

    branch: str = ""
    result: str = ""
    summary: str = ""


class OtherEvent(msgspec.Struct, frozen=True):
    """Another event, which is passed over."""


AgentMessage: TypeAlias = SoundSaid | MarkSet | Cleared | TalkEnded | OtherEvent
_RAW: Final = msgspec.Raw(b"")


class _Message(msgspec.Struct):
    """A message whose parts are read only where they are known: any others cost nothing but their bytes."""

    event: msgspec.Raw = _RAW
    media: msgspec.Raw = _RAW
    mark: msgspec.Raw = _RAW
    end: msgspec.Raw = _RAW


class _Media(msgspec.Struct):
    payload: str


class _Mark(msgspec.Struct):
    name: str


class _End(msgspec.Struct):
    branch: msgspec.Raw = _RAW
    result: msgspec.Raw = _RAW
    summary: msgspec.Raw = _RAW


_DECODER: Final = msgspec.json.Decoder(_Message)
_ESCAPED: Final = 6
"""The most bytes of JSON that a byte of a text takes."""
_FAULTS: Final = (msgspec.DecodeError, UnicodeError, RecursionError)


def read_agent_message(raw: str | bytes) -> AgentMessage | None:
    """Return a message of a program; None if it is none: binary, no JSON object, or a known event of another form."""
    if not isinstance(raw, str):
        return None
    try:
        message = _DECODER.decode(raw)
        event = msgspec.json.decode(message.event, type=str)
        read = _READERS.get(event)
        return OtherEvent() if read is None else read(message)
    except _FAULTS:
        return None


def _sound(message: _Message) -> SoundSaid | None:
    try:
        return SoundSaid(base64.b64decode(msgspec.json.decode(message.media, type=_Media).payload, validate=True))
    except (binascii.Error, ValueError):
        return None


def _mark(message: _Message) -> MarkSet | None:
    name = msgspec.json.decode(message.mark, type=_Mark).name
    return MarkSet(name) if len(name) <= NAME_MAX else None


def _end(message: _Message) -> TalkEnded | None:
    """Return what a program says at the end. A result that is too long is left out, and a summary is cut."""
    if bytes(message.end) in {b"", b"null"}:
        return TalkEnded()
    said = msgspec.json.decode(message.end, type=_End)
    branch, summary = _text_in(said.branch), _text_in(said.summary)
    named = _without_nul(_number_in(said.branch) or branch).strip().lower()[:BRANCH_MAX]
    result = msgspec.json.decode(said.result) if 0 < len(bytes(said.result)) <= _ESCAPED * RESULT_MAX else None
    return TalkEnded(
        BRANCH_ANY if named in _OF_TRANSFERS else named, result_text(result), _without_nul(summary)[:SUMMARY_MAX]
    )


def _text_in(raw: msgspec.Raw) -> str:
    """Return a text; empty for anything else."""
    try:
        return msgspec.json.decode(raw, type=str)
    except msgspec.DecodeError:
        return ""


def _number_in(raw: msgspec.Raw) -> str:
    """Return a whole number as text; empty for anything else."""
    if len(bytes(raw)) > BRANCH_MAX:
        return ""
    try:
        return str(msgspec.json.decode(raw, type=int))
    except msgspec.DecodeError:
        return ""


def _without_nul(text: str) -> str:
    """Return a text without the character that PostgreSQL stores in no text."""
    return text.replace("\x00", "")


def result_text(result: object) -> str:
    """Return a result as the answer of its section: a text as it is, anything else as JSON; empty for none."""
    if result is None:
        return ""
    text = result if isinstance(result, str) else msgspec.json.encode(result).decode()
    return _without_nul(text) if len(text.encode("utf-8", "replace")) <= RESULT_MAX else ""


_READERS: Final[Mapping[str, Callable[[_Message], AgentMessage | None]]] = {
    "media": _sound,
    "mark": _mark,
    "clear": lambda _: Cleared(),
    "end": _end,
}
"""The readers of the known events."""


class MessageWriter:
    """The messages to one program, in their order."""

    def __init__(self, stream_sid: str, call_sid: str, account_sid: str) -> None:
        """Begin with the names of the stream, the call and the account: two letters and 32 hexadecimal digits each."""
        self._stream_sid: Final = stream_sid
        self._ids: Final = {"accountSid": account_sid, "callSid": call_sid}
        self._sequence = 0
        self._chunk = 0

    def connected(self) -> str:
        """Return the first message, which the next one follows at once."""
        return _json({"event": "connected", "protocol": "Call", "version": "1.0.0"})

    def start(self, parameters: Mapping[str, str]) -> str:
        """Return the message that tells of the call. Programs end the connection at a value that is no text."""
        start = {
            "streamSid": self._stream_sid,
            **self._ids,
            "tracks": ["inbound"],
            "mediaFormat": {"encoding": "audio/x-mulaw", "sampleRate": 8_000, "channels": 1},
            "customParameters": dict(parameters),
        }
        return self._numbered("start", start)

    def media(self, at_ms: int, frame: bytes) -> str:
        """Return 20 ms of the callee's sound, `at_ms` after the start."""
        self._chunk += 1
        payload = base64.b64encode(frame).decode()
        media = {"track": "inbound", "chunk": str(self._chunk), "timestamp": str(at_ms), "payload": payload}
        return self._numbered("media", media)

    def key(self, digit: str) -> str:
        """Return a key that the callee has pressed."""
        return self._numbered("dtmf", {"track": "inbound_track", "digit": digit})

    def mark(self, name: str) -> str:
        """Return a mark that was reached, or dropped."""
        return self._numbered("mark", {"name": name})

    def stop(self) -> str:
        """Return the last message."""
        return self._numbered("stop", self._ids)

    def _numbered(self, event: str, body: Mapping[str, Any]) -> str:
        self._sequence += 1
        head = {"event": event, "sequenceNumber": str(self._sequence), "streamSid": self._stream_sid}
        return _json({**head, event: body})


def _json(message: Mapping[str, Any]) -> str:
    return msgspec.json.encode(message).decode()
