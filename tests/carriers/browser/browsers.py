"""The other side of our ICE-lite peer: requests as browsers sign them, and a reader of our answers."""

import hashlib
import hmac
import struct
from ipaddress import ip_address
from typing import Final
from zlib import crc32

MAGIC: Final = 0x2112A442
COOKIE: Final = struct.pack("!I", MAGIC)
FINGERPRINT: Final = bytes(range(32))
NAMED: Final = ":".join(f"{byte:02X}" for byte in FINGERPRINT)
OFFER: Final = "\r\n".join(
    [
        *("v=0", "o=- 4611 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0", "a=msid-semantic: WMS"),
        *("m=audio 9 UDP/TLS/RTP/SAVPF 111 0 8 126", "c=IN IP4 0.0.0.0", "a=ice-ufrag:abcd", "a=ice-pwd:" + "p" * 24),
        *(f"a=fingerprint:sha-256 {NAMED}", "a=setup:actpass", "a=mid:0", "a=sendrecv", "a=rtcp-mux"),
        *("a=rtpmap:111 opus/48000/2", "a=rtpmap:0 PCMU/8000", "a=rtpmap:126 telephone-event/8000", ""),
    ]
)
"""The offer of a browser, without what is not read."""


def attribute(name: int, value: bytes) -> bytes:
    return struct.pack("!HH", name, len(value)) + value + bytes(-len(value) % 4)


def request(name: str, password: str, transaction: bytes, *, nominates: bool = True, tail: bytes = b"") -> bytes:
    """Return a Binding request as a browser writes it. `tail` stands behind its signature, before a fingerprint."""
    body = attribute(0x0006, name.encode()) + attribute(0x0024, bytes(4))
    body += attribute(0x0025, b"") if nominates else b""
    head = struct.pack("!HH", 1, len(body) + 24) + COOKIE + transaction
    body += attribute(0x0008, hmac.new(password.encode(), head + body, hashlib.sha1).digest()) + tail
    head = struct.pack("!HH", 1, len(body) + 8) + COOKIE + transaction
    return head + body + attribute(0x8028, struct.pack("!I", crc32(head + body) ^ 0x5354554E))


def mapped_in(answer: bytes, password: str) -> tuple[str, int]:
    """Return the address that a success response tells, after a check of its signature and fingerprint."""
    kind, length = struct.unpack_from("!HH", answer)
    assert (kind, length, answer[4:8]) == (0x0101, len(answer) - 20, COOKIE)
    assert answer[-4:] == struct.pack("!I", crc32(answer[:-8]) ^ 0x5354554E)
    signed = answer[:-32]
    head = signed[:2] + struct.pack("!H", len(signed) - 20 + 24) + signed[4:]
    assert answer[-28:-8] == hmac.new(password.encode(), head, hashlib.sha1).digest()
    name, size = struct.unpack_from("!HH", answer, 20)
    assert name == 0x0020
    value = answer[24 : 24 + size]
    port = struct.unpack("!H", value[2:4])[0] ^ (MAGIC >> 16)
    mask = answer[4:20]
    return str(ip_address(bytes(a ^ b for a, b in zip(value[4:], mask, strict=False)))), port
