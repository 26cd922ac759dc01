"""RTP packets (RFC 3550 5.1)."""

import struct
from typing import Final

import msgspec

RATE_HZ: Final = 8_000
FRAME_MS: Final = 20
FRAME_SAMPLES: Final = RATE_HZ * FRAME_MS // 1_000
PACKET_BYTES_MAX: Final = 1_500
SEQUENCES: Final = 2**16
TIMESTAMPS: Final = 2**32
_HEADER: Final = struct.Struct("!BBHII")
_VERSION: Final = 2


class RtpError(ValueError):
    """The bytes are no RTP packet."""


class RtpPacket(msgspec.Struct, frozen=True, gc=False):
    """An RTP packet."""

    payload: int
    sequence: int
    timestamp: int
    ssrc: int
    data: bytes
    is_marked: bool = False
    """The marker: the begin of a key, or of sound after silence."""


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
    return RtpPacket(second & 0x7F, sequence, timestamp, ssrc, packet[start:end], second > 0x7F)  # noqa: PLR2004 - the marker bit


def write_packet(packet: RtpPacket) -> bytes:
    """Return the bytes of a packet."""
    second = packet.payload | (0x80 if packet.is_marked else 0)
    return _HEADER.pack(0x80, second, packet.sequence, packet.timestamp, packet.ssrc) + packet.data


def sequences_between(earlier: int, later: int) -> int:
    """Return the distance from an earlier RTP sequence number to a later one; negative in the wrong order."""
    return (later - earlier + SEQUENCES // 2) % SEQUENCES - SEQUENCES // 2


def samples_between(earlier: int, later: int) -> int:
    """Return the number of samples between two RTP timestamps; negative if `later` is before `earlier`."""
    return (later - earlier + TIMESTAMPS // 2) % TIMESTAMPS - TIMESTAMPS // 2
