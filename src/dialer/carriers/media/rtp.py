"""RTP packets (RFC 3550 5.1) and the keys in them (RFC 4733 2.3)."""

import struct
from typing import Final

import msgspec

RATE_HZ: Final = 8_000
FRAME_MS: Final = 20
FRAME_SAMPLES: Final = RATE_HZ * FRAME_MS // 1_000
PACKET_BYTES_MAX: Final = 1_500
SEQUENCES: Final = 2**16
TIMESTAMPS: Final = 2**32
KEYS: Final = "0123456789*#ABCD"
_HEADER: Final = struct.Struct("!BBHII")
_EVENT: Final = struct.Struct("!BBH")
_VERSION: Final = 2
_END_BIT: Final = 0x80


class RtpError(ValueError):
    """The bytes are no RTP packet."""


class RtpPacket(msgspec.Struct, frozen=True, gc=False):
    """An RTP packet."""

    payload: int
    sequence: int
    timestamp: int
    ssrc: int
    data: bytes


def read_packet(packet: bytes) -> RtpPacket:
    """Return the packet in a datagram.

    Raises:
        RtpError: it is none.
    """
    if not _HEADER.size <= len(packet) <= PACKET_BYTES_MAX:
        raise RtpError("The length is not one of an RTP packet.")
    first, second, sequence, timestamp, ssrc = _HEADER.unpack_from(packet)
    if first >> 6 != _VERSION:
        raise RtpError("The version is not 2.")
    start, end = _HEADER.size + 4 * (first & 0x0F), len(packet)
    if first & 0x10:
        if start + 4 > end:
            raise RtpError("The header is cut off.")
        start += 4 + 4 * int.from_bytes(packet[start + 2 : start + 4])
    if first & 0x20:
        end -= packet[-1]
    if start > end:
        raise RtpError("The packet is cut off.")
    return RtpPacket(second & 0x7F, sequence, timestamp, ssrc, packet[start:end])


def write_packet(packet: RtpPacket, *, is_marked: bool = False) -> bytes:
    """Return the bytes of a packet."""
    second = packet.payload | (0x80 if is_marked else 0)
    return _HEADER.pack(0x80, second, packet.sequence, packet.timestamp, packet.ssrc) + packet.data


class KeyReader:
    """Keys out of telephone events: each counts once, at its first packet."""

    def __init__(self) -> None:
        self._last: tuple[int, int] | None = None
        self._last_sequence = 0

    def key_of(self, packet: RtpPacket) -> str | None:
        """Return the key that begins with a packet; None if it continues one, or is none.

        Some senders move the timestamp within an event. Then packets that follow each other with the same key, and an
        increasing duration, are one event.
        """
        if len(packet.data) < _EVENT.size:
            return None
        event, flags, duration = _EVENT.unpack_from(packet.data)
        if event >= len(KEYS):
            return None
        step = (packet.sequence - self._last_sequence) % SEQUENCES
        begun, self._last_sequence = self._last, packet.sequence
        self._last = (event, packet.timestamp)
        is_same = begun is not None and begun[0] == event
        if is_same and begun == self._last:
            return None
        if is_same and step == 1 and not self._has_ended and duration > self._duration:
            self._duration, self._has_ended = duration, bool(flags & _END_BIT)
            return None
        self._duration, self._has_ended = duration, bool(flags & _END_BIT)
        return KEYS[event]

    _duration = 0
    _has_ended = False
