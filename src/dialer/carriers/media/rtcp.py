"""Reports about sound (RTCP, RFC 3550 6): the quality at both ends, and a sign of life of a side that is silent."""

import struct
from collections.abc import Iterator
from typing import Final

import msgspec

REPORT_MS: Final = 5_000
"""Time between two reports (RFC 3550 6.2)."""
REPORT_BYTES_MAX: Final = 1_500
PARTS_MAX: Final = 32
"""Parts of one datagram."""
_VERSION: Final = 0x80
_SENDER, _RECEIVER, _NAMES = 200, 201, 202
_KINDS: Final = range(200, 208)
_HEAD: Final = struct.Struct("!BBHI")
_SENT: Final = struct.Struct("!IIIII")
_BLOCK: Final = struct.Struct("!IIIIII")
_LOST_MAX: Final = 0x7FFFFF
_FRACTION: Final = 256


class Sent(msgspec.Struct, frozen=True):
    """The sound that its sender has sent until now."""

    at_ms: int
    timestamp: int
    packets: int
    octets: int


class Block(msgspec.Struct, frozen=True):
    """The quality of a stream, as its receiver sees it."""

    ssrc: int
    lost_share: float
    """The share of packets that were lost since the report before, from 0 to 1."""
    lost: int
    highest: int
    jitter: int
    """In samples."""
    last_report: int = 0
    """The middle of the time of the sender's last report; 0 if there was none."""
    since_report: int = 0
    """Time since that report, in units of 1/65,536 s."""


class RtcpReport(msgspec.Struct, frozen=True):
    """An RTCP report: the packets that one side has sent, and what it has received."""

    ssrc: int
    sent: Sent | None
    blocks: tuple[Block, ...]
    time: int = 0
    """The middle of the time of a sender's report, which `Block.last_report` names."""


class RtcpError(ValueError):
    """The bytes are no report."""


def short_time(at_ms: int) -> int:
    """Return a moment in units of 1/65,536 s, as reports name it."""
    return (at_ms * 65_536 // 1_000) & 0xFFFFFFFF


def write_report(report: RtcpReport, name: str) -> bytes:
    """Return the datagram of a report, with the name of the sender, which each must have (RFC 3550 6.1)."""
    body = b""
    if report.sent is not None:
        at = report.sent.at_ms * 2**32 // 1_000
        octets = report.sent.octets & 0xFFFFFFFF
        body = _SENT.pack((at >> 32) & 0xFFFFFFFF, at & 0xFFFFFFFF, report.sent.timestamp, report.sent.packets, octets)
    for block in report.blocks:
        share = min(_FRACTION - 1, int(block.lost_share * _FRACTION))
        lost = share << 24 | min(block.lost, _LOST_MAX)
        body += _BLOCK.pack(
            block.ssrc, lost, block.highest & 0xFFFFFFFF, block.jitter, block.last_report, block.since_report
        )
    kind = _RECEIVER if report.sent is None else _SENDER
    head = _HEAD.pack(_VERSION | len(report.blocks), kind, 1 + len(body) // 4, report.ssrc)
    text = name.encode()
    item = bytes([1, len(text)]) + text
    item += bytes(4 - len(item) % 4)
    return head + body + _HEAD.pack(_VERSION | 1, _NAMES, 1 + len(item) // 4, report.ssrc) + item


def read_reports(datagram: bytes) -> list[RtcpReport]:
    """Return the reports in a datagram, without other parts such as names and goodbyes.

    Raises:
        RtcpError: it is none.
    """
    if len(datagram) > REPORT_BYTES_MAX:
        raise RtcpError("The datagram is too long.")
    return [report for kind, count, part in _parts(datagram) if (report := _report_in(kind, count, part)) is not None]


def _parts(datagram: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the kind of each part, its count, and its bytes after the head."""
    at = 0
    for _ in range(PARTS_MAX):
        if at == len(datagram):
            return
        if at + 4 > len(datagram):
            break
        first, kind, words = datagram[at], datagram[at + 1], int.from_bytes(datagram[at + 2 : at + 4])
        end = at + 4 + 4 * words
        if first & 0xC0 != _VERSION or kind not in _KINDS or end > len(datagram):
            break
        yield kind, first & 0x1F, datagram[at + 4 : end]
        at = end
    raise RtcpError("The bytes are no report.")


def _report_in(kind: int, count: int, part: bytes) -> RtcpReport | None:
    if kind not in {_SENDER, _RECEIVER}:
        return None
    start = 4 + (_SENT.size if kind == _SENDER else 0)
    if len(part) < start + count * _BLOCK.size:
        raise RtcpError("The report is cut off.")
    sent, time = None, 0
    if kind == _SENDER:
        seconds, rest, timestamp, packets, octets = _SENT.unpack_from(part, 4)
        time = (seconds & 0xFFFF) << 16 | rest >> 16
        sent = Sent(((seconds << 32 | rest) * 1_000) >> 32, timestamp, packets, octets)
    blocks = tuple(_block_in(part, start + place * _BLOCK.size) for place in range(count))
    return RtcpReport(int.from_bytes(part[:4]), sent, blocks, time)


def _block_in(part: bytes, at: int) -> Block:
    ssrc, lost, highest, jitter, last, since = _BLOCK.unpack_from(part, at)
    return Block(ssrc, (lost >> 24) / _FRACTION, min(lost & 0xFFFFFF, _LOST_MAX), highest, jitter, last, since)
