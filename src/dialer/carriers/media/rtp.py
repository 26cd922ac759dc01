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
_STEP_MAX: Final = 8
"""Packets of an event of which all but one may be lost."""


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
        self._last: tuple[RtpPacket, int, int, bool] | None = None

    def key_of(self, packet: RtpPacket) -> str | None:
        """Return the key that begins with a packet; None if it continues one, or is none."""
        if len(packet.data) < _EVENT.size:
            return None
        event, flags, duration = _EVENT.unpack_from(packet.data)
        if event >= len(KEYS):
            return None
        is_end = bool(flags & _END_BIT)
        is_same = self._last is not None and self._last[1] == event and self._continues(packet, duration, is_end=is_end)
        self._last = (packet, event, duration, is_end)
        return None if is_same else KEYS[event]

    def _continues(self, packet: RtpPacket, duration: int, *, is_end: bool) -> bool:
        """Return whether a packet with the key of the last one belongs to the same event.

        An event has one timestamp. Some senders move it on with the duration all the same.
        """
        if self._last is None or packet.timestamp == self._last[0].timestamp:
            return True
        before, _, lasted, had_ended = self._last
        step = (packet.sequence - before.sequence) % SEQUENCES
        moved = (packet.timestamp - before.timestamp) % TIMESTAMPS
        if step > _STEP_MAX or duration < lasted or (had_ended and not is_end):
            return False
        return moved <= duration - lasted + step * FRAME_SAMPLES
