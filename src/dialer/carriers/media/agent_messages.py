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
_DECODER: Final = msgspec.json.Decoder[dict[str, Any]](dict[str, Any])
_NOTHING: Final[Mapping[str, Any]] = {}


def read_agent_message(raw: str | bytes) -> AgentMessage | None:
    """Return a message of a program; None if it is none: binary, no JSON object, or a known event of another form."""
    try:
        message = _DECODER.decode(raw) if isinstance(raw, str) else {}
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None
    event = message.get("event")
    if not isinstance(event, str):
        return None
    read = _READERS.get(event)
    return OtherEvent() if read is None else read(message.get(event))


def _sound(body: object) -> SoundSaid | None:
    payload = body.get("payload") if isinstance(body, dict) else None
    if not isinstance(payload, str):
        return None
    try:
        return SoundSaid(base64.b64decode(payload, validate=True))
    except (binascii.Error, ValueError):
        return None


def _mark(body: object) -> MarkSet | None:
    name = body.get("name") if isinstance(body, dict) else None
    return MarkSet(name) if isinstance(name, str) and len(name) <= NAME_MAX else None


def _end(body: object) -> TalkEnded | None:
    """Return what a program says at the end. A result that is too long is left out, and a summary is cut."""
    if body is not None and not isinstance(body, dict):
        return None
    given: Mapping[str, Any] = body if isinstance(body, dict) else _NOTHING
    branch, summary = given.get("branch"), given.get("summary")
    is_named = isinstance(branch, (str, int)) and not isinstance(branch, bool)
    named = _without_nul(str(branch)).strip().lower()[:BRANCH_MAX] if is_named else ""
    return TalkEnded(
        BRANCH_ANY if named in _OF_TRANSFERS else named,
        result_text(given.get("result")),
        _without_nul(summary)[:SUMMARY_MAX] if isinstance(summary, str) else "",
    )


def _without_nul(text: str) -> str:
    """Return a text without the character that PostgreSQL stores in no text."""
    return text.replace("\x00", "")


def result_text(result: object) -> str:
    """Return a result as the answer of its section: a text as it is, anything else as JSON; empty for none."""
    if result is None:
        return ""
    text = result if isinstance(result, str) else msgspec.json.encode(result).decode()
    return _without_nul(text) if len(text.encode("utf-8", "replace")) <= RESULT_MAX else ""


_READERS: Final[Mapping[str, Callable[[object], AgentMessage | None]]] = {
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
