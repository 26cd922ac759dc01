"""The credentials in an `Authorization` header: a user name with a password (RFC 7617), or an API key (RFC 6750)."""

import binascii
from typing import Final, NamedTuple

from dialer.app.accounts.api_keys import BEGINNING
from dialer.settings_values import USERNAME_MAX

CREDENTIALS_LENGTH_MAX: Final = 8_192


class Credentials(NamedTuple):
    """A user name and a password as a client sent them."""

    username: str
    password: str


def parse_basic(authorization: str) -> Credentials | None:
    """Return the credentials of an `Authorization` header, or None if it is malformed."""
    scheme, _, encoded = authorization.partition(" ")
    if scheme.lower() != "basic" or len(encoded) > CREDENTIALS_LENGTH_MAX:
        return None
    try:
        decoded = binascii.a2b_base64(encoded.strip().encode("ascii"), strict_mode=True).decode("utf-8")
    except ValueError:
        return None
    username, colon, password = decoded.partition(":")
    if not colon or not 0 < len(username) <= USERNAME_MAX or "\x00" in decoded:
        return None
    return Credentials(username, password)


def parse_bearer(authorization: str) -> str | None:
    """Return the API key of an `Authorization` header, or None if it holds none."""
    scheme, _, secret = authorization.partition(" ")
    secret = secret.strip()
    is_key = scheme.lower() == "bearer" and secret.startswith(BEGINNING) and secret.isascii()
    return secret if is_key and len(secret) <= CREDENTIALS_LENGTH_MAX else None
