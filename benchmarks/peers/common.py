"""Shared code of the peers: cached credentials, numbers, and settings of the file.

Because it is shared, the comparison covers the frameworks alone.
"""

import base64
import binascii
import hashlib
import hmac
import json
import os
import secrets
import time
from datetime import UTC, datetime
from typing import Final

import argon2
import phonenumbers
from phonenumbers import timezone

DATABASE: Final = os.environ.get("PEER_DATABASE", "dialer.db")
"""SQLite file that a peer serves."""
PRAGMAS: Final = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "cache_size=-65536")
PAGE_SIZE: Final = 10
PAGE_SIZE_MAX: Final = 1_000
REMEMBERED_S: Final = 60.0


class Verified:
    """Cache of credentials verified in the last minute, under a keyed hash, with their user ids.

    An old password is accepted for up to a minute after a change. dialer rejects it at once, at some cost.
    """

    def __init__(self) -> None:
        self._key: Final = secrets.token_bytes(32)
        self._known: Final[dict[bytes, tuple[float, int]]] = {}

    def recall(self, username: str, password: str) -> int | None:
        """Return the id of the user if these credentials were verified in the last minute."""
        verified_s, user_id = self._known.get(self._fingerprint(username, password), (0.0, 0))
        return user_id if user_id and time.monotonic() - verified_s < REMEMBERED_S else None

    def verify(self, username: str, password: str, user_id: int, password_hash: str) -> bool:
        """Check a password, and cache it if it is right. The check is slow."""
        try:
            argon2.PasswordHasher().verify(password_hash, password)
        except argon2.exceptions.VerificationError:
            return False
        self._known[self._fingerprint(username, password)] = (time.monotonic(), user_id)
        return True

    def _fingerprint(self, username: str, password: str) -> bytes:
        return hmac.digest(self._key, f"{username}\0{password}".encode(), hashlib.sha256)


def parse_basic(header: str) -> tuple[str, str] | None:
    """Return the user name and password of an `Authorization` header, or None if it is invalid."""
    scheme, _, encoded = header.partition(" ")
    try:
        username, colon, password = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return None
    return (username, password) if scheme.lower() == "basic" and colon else None


def number_and_zone(contact: str) -> tuple[str, str]:
    """Return the normal form of a phone number and its time zones, as the table keeps them.

    Raises:
        ValueError: the contact is not a phone number.
    """
    try:
        parsed = phonenumbers.parse(contact)
    except phonenumbers.NumberParseException:
        raise ValueError("Enter a phone number with a +.") from None
    zones = "&".join(sorted(timezone.time_zones_for_number(parsed)))
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164), zones


def checked_json(text: str) -> str:
    """Return the text.

    Raises:
        ValueError: the text is not JSON.
    """
    json.loads(text)
    return text


def now_ms() -> int:
    """Return the time as the tables keep it: milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def moment(milliseconds: int) -> datetime:
    """Return a time of a table as a datetime in UTC."""
    return datetime.fromtimestamp(milliseconds / 1_000, UTC)
