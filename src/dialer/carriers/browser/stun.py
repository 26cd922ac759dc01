"""STUN (RFC 8489), as far as an ICE-lite agent needs it: requests of browsers, and their answers."""

import hashlib
import hmac
import struct
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final
from zlib import crc32

import msgspec

from dialer.carriers.sip.flows import Address

MESSAGE_BYTES_MAX: Final = 1_280
ATTRIBUTES_MAX: Final = 32
MAGIC: Final = 0x2112A442
_REQUEST: Final = 0x0001
_SUCCESS: Final = 0x0101
_HEAD: Final = struct.Struct("!HHI12s")
_ATTRIBUTE: Final = struct.Struct("!HH")
_WORD: Final = struct.Struct("!I")
_USERNAME, _INTEGRITY, _MAPPED, _NOMINATION, _FINGERPRINT = 0x0006, 0x0008, 0x0020, 0x0025, 0x8028
_INTEGRITY_BYTES: Final = 20
_FINGERPRINT_MASK: Final = 0x5354554E


class StunError(ValueError):
    """The bytes are no signed request of STUN."""


class StunRequest(msgspec.Struct, frozen=True):
    """A Binding request with a user name and a signature, which `is_signed_with` checks."""

    transaction: bytes
    ours: str
    """Our part of the user name."""
    theirs: str
    nominates: bool
    """True if the browser wants this path from now on (USE-CANDIDATE)."""
    signed: bytes
    """The bytes that are signed."""
    signature: bytes

    def is_signed_with(self, password: str) -> bool:
        """Return whether who sent it knows a password."""
        return hmac.compare_digest(_signature(password, self.signed), self.signature)


def read_request(data: bytes) -> StunRequest:
    """Return the request in a datagram.

    Raises:
        StunError: it has none, or one without a user name or a signature.
    """
    if not _HEAD.size <= len(data) <= MESSAGE_BYTES_MAX:
        raise StunError("The length is not one of a request.")
    kind, length, magic, transaction = _HEAD.unpack_from(data)
    if (kind, magic, length) != (_REQUEST, MAGIC, len(data) - _HEAD.size) or length % 4:
        raise StunError("It is no Binding request.")
    found: dict[int, bytes] = {}
    signed = b""
    for name, at, value in _attributes(data):
        if name == _FINGERPRINT and (len(value) != _WORD.size or _WORD.unpack(value)[0] != _fingerprint(data[:at])):
            raise StunError("The fingerprint is wrong.")
        if name == _INTEGRITY and not signed:
            # Attributes behind the signature are not signed (RFC 8489 14.5). It counts as the end of the message.
            signed = _with_length(data[:at], at + _ATTRIBUTE.size + _INTEGRITY_BYTES - _HEAD.size)
            found[name] = value
        elif not signed:
            found.setdefault(name, value)
    ours, colon, theirs = found.get(_USERNAME, b"").decode("ascii", "replace").partition(":")
    if not signed or not colon:
        raise StunError("It has no user name, or is not signed.")
    return StunRequest(transaction, ours, theirs, _NOMINATION in found, signed, found[_INTEGRITY])


def _attributes(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield the name, the place and the value of each attribute.

    Raises:
        StunError: one is cut off, or there are too many.
    """
    at = _HEAD.size
    for _ in range(ATTRIBUTES_MAX):
        if at == len(data):
            return
        if at + _ATTRIBUTE.size > len(data):
            break
        name, length = _ATTRIBUTE.unpack_from(data, at)
        end = at + _ATTRIBUTE.size + length
        if end > len(data):
            break
        yield name, at, data[at + _ATTRIBUTE.size : end]
        at = end + -length % 4
    raise StunError("An attribute is cut off, or there are too many.")


def write_success(request: StunRequest, source: Address, password: str) -> bytes:
    """Return the answer to a request: the address from which it came, signed."""
    address = ip_address(source[0])
    mask = _WORD.pack(MAGIC) + request.transaction
    packed = address.packed
    hidden = bytes(byte ^ other for byte, other in zip(packed, mask[: len(packed)], strict=True))
    family = 1 if address.version == 4 else 2  # noqa: PLR2004 - the version of IP
    mapped = struct.pack("!xBH", family, source[1] ^ (MAGIC >> 16)) + hidden
    head = _HEAD.pack(_SUCCESS, 0, MAGIC, request.transaction)
    body = head + _ATTRIBUTE.pack(_MAPPED, len(mapped)) + mapped
    signed = _with_length(body, len(body) - _HEAD.size + _ATTRIBUTE.size + _INTEGRITY_BYTES)
    body = signed + _ATTRIBUTE.pack(_INTEGRITY, _INTEGRITY_BYTES) + _signature(password, signed)
    body = _with_length(body, len(body) - _HEAD.size + _ATTRIBUTE.size + _WORD.size)
    return body + _ATTRIBUTE.pack(_FINGERPRINT, _WORD.size) + _WORD.pack(_fingerprint(body))


def _with_length(message: bytes, length: int) -> bytes:
    """Return the beginning of a message with the length that its head must name."""
    return message[:2] + struct.pack("!H", length) + message[4:]


def _signature(password: str, signed: bytes) -> bytes:
    return hmac.new(password.encode(), signed, hashlib.sha1).digest()


def _fingerprint(message: bytes) -> int:
    return crc32(message) ^ _FINGERPRINT_MASK
