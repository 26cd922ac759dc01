"""What the peers share, so that the frameworks are compared: verified credentials, numbers, and the file's settings."""

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
"""The SQLite file that a peer serves."""
PRAGMAS: Final = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "cache_size=-65536")
PAGE_SIZE: Final = 10
PAGE_SIZE_MAX: Final = 1_000
REMEMBERED_S: Final = 60.0


class Verified:
    """Credentials that were verified in the last minute, under a keyed hash, and whose they are.

    A password that is changed is heard for up to a minute more; dialer forgets it at once, and pays for that.
    """

    def __init__(self) -> None:
        self._key: Final = secrets.token_bytes(32)
        self._known: Final[dict[bytes, tuple[float, int]]] = {}

    def recall(self, username: str, password: str) -> int | None:
        """The id of the user, if these were verified lately."""
        verified_s, user_id = self._known.get(self._fingerprint(username, password), (0.0, 0))
        return user_id if user_id and time.monotonic() - verified_s < REMEMBERED_S else None

    def verify(self, username: str, password: str, user_id: int, password_hash: str) -> bool:
        """Whether the password is the right one; slow. If it is, it is remembered."""
        try:
            argon2.PasswordHasher().verify(password_hash, password)
        except argon2.exceptions.VerificationError:
            return False
        self._known[self._fingerprint(username, password)] = (time.monotonic(), user_id)
        return True

    def _fingerprint(self, username: str, password: str) -> bytes:
        return hmac.digest(self._key, f"{username}\0{password}".encode(), hashlib.sha256)


def parse_basic(header: str) -> tuple[str, str] | None:
    """The user name and password of an `Authorization` header."""
    scheme, _, encoded = header.partition(" ")
    try:
        username, colon, password = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, ValueError):
        return None
    return (username, password) if scheme.lower() == "basic" and colon else None


def number_and_zone(contact: str) -> tuple[str, str]:
    """The normal form of a phone number and its time zones, as the table keeps them; ValueError if it is none."""
    try:
        parsed = phonenumbers.parse(contact)
    except phonenumbers.NumberParseException:
        raise ValueError("Enter a phone number with a +.") from None
    zones = "&".join(sorted(timezone.time_zones_for_number(parsed)))
    return phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164), zones


def checked_json(text: str) -> str:
    """The text, if it is JSON; ValueError if not."""
    json.loads(text)
    return text


def now_ms() -> int:
    """The time as the tables keep it: milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def moment(milliseconds: int) -> datetime:
    """The time that a table keeps, as frameworks like to show it."""
    return datetime.fromtimestamp(milliseconds / 1_000, UTC)
