"""Keys out of telephone events (RFC 4733 2.3, 2.5)."""

import struct
from collections import deque
from typing import Final

import msgspec

from dialer.carriers.media.rtp import FRAME_SAMPLES, RtpPacket, samples_between, sequences_between

KEYS: Final = "0123456789*#ABCD"
_EVENT: Final = struct.Struct("!BBH")
_END_BIT: Final = 0x80
_STEP_MAX: Final = 8
"""Packets of an event of which all but one may be lost."""
_MISORDER_MAX: Final = 100
"""Packets by which a packet may be late. One that is later begins a new count (RFC 3550 A.1)."""
_PAST_MAX: Final = 16
"""Events whose late packets are known."""
_DURATION_MAX: Final = 0xFFFF
"""The longest duration of an event. A longer one goes on as another event (RFC 4733 2.5.1.3)."""


class _Event(msgspec.Struct):
    """The latest event: where it began, and its latest packet."""

    first: RtpPacket
    last: RtpPacket
    code: int
    duration: int
    has_ended: bool


class Rfc4733Dtmf:
    """Keys out of telephone events: each counts once, at its first packet."""

    def __init__(self) -> None:
        self._event: _Event | None = None
        self._past: deque[int] = deque(maxlen=_PAST_MAX)
        """Timestamps of events."""

    def key_of(self, packet: RtpPacket) -> str | None:
        """Return the key that begins with a packet, or an empty text if a packet continues the latest one.

        Return None for a packet that comes late, or is no key.
        """
        if len(packet.data) < _EVENT.size:
            return None
        code, flags, duration = _EVENT.unpack_from(packet.data)
        if code >= len(KEYS):
            return None
        event, is_end = self._event, bool(flags & _END_BIT)
        if event is not None and packet.ssrc != event.last.ssrc:
            self._past.clear()
            event = None
        if event is not None and self._is_late(event, packet):
            return None
        if event is not None and code == event.code and _continues(event, packet, duration, is_end=is_end):
            event.last, event.duration = packet, duration
            event.has_ended = event.has_ended or is_end
            self._past.append(packet.timestamp)
            return ""
        self._event = _Event(packet, packet, code, duration, is_end)
        self._past.append(packet.timestamp)
        return KEYS[code]

    def _is_late(self, event: _Event, packet: RtpPacket) -> bool:
        """Return whether a packet was sent before the latest event began."""
        behind = sequences_between(packet.sequence, event.first.sequence)
        return 0 < behind <= _MISORDER_MAX or (
            packet.timestamp != event.last.timestamp and packet.timestamp in self._past
        )


def _continues(event: _Event, packet: RtpPacket, duration: int, *, is_end: bool) -> bool:
    """Return whether a packet with the key of the latest event belongs to it.

    An event has one timestamp. Some senders move it on with the duration all the same. Some give all their events the
    same one: after its end, a later packet with a shorter duration is the next event (RFC 4733 2.5.1.2).
    """
    moved = samples_between(event.last.timestamp, packet.timestamp)
    step = sequences_between(event.last.sequence, packet.sequence)
    if moved == 0:
        return not (event.has_ended and step > 0 and duration < event.duration)
    if event.duration == _DURATION_MAX and moved == _DURATION_MAX and not event.has_ended:
        return True
    if not 0 <= step <= _STEP_MAX or duration < event.duration or (event.has_ended and not is_end):
        return False
    return 0 <= moved <= duration - event.duration + step * FRAME_SAMPLES
