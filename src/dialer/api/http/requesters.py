"""The senders of requests, as far as they are known before any work: an account, or an address.

Credentials that were right are remembered with their account, as a keyed hash. All others are known by the address that
they come from.
"""

import hashlib
import secrets
from collections import OrderedDict
from typing import Final, TypeAlias

import msgspec
from litestar.types import Scope

from dialer.api.http.throttle import client_address

CREDENTIALS_MAX: Final = 10_000
"""Credentials that are remembered; those used longest ago are forgotten first."""
BUFFERED_BYTES: Final = 65_536
"""The size of a body that the server takes in before anybody reads it."""
_DIGITS: Final = len(str(BUFFERED_BYTES))
_DIGEST_BYTES: Final = 16

Requester: TypeAlias = int | str
"""The id of an account, or an address."""


class RequestSender(msgspec.Struct, frozen=True):
    """The sender of a request, the hash of its credentials, and whether it sends a body that must be read."""

    requester: Requester
    credentials: bytes | None
    is_upload: bool


class KnownCredentials:
    """The accounts of credentials that were right."""

    def __init__(self) -> None:
        self._key: Final = secrets.token_bytes(32)
        self._accounts: Final[OrderedDict[bytes, int]] = OrderedDict()

    def sender(self, scope: Scope) -> RequestSender:
        """Return the sender of a request: the account of its credentials if they are known, else its address."""
        authorization, cookies, is_upload = b"", b"", False
        for name, value in scope["headers"]:
            if name == b"authorization":
                authorization = authorization or value
            elif name == b"cookie":
                cookies += value
            elif name == b"content-length":
                is_upload = not value.isdigit() or len(value) > _DIGITS or int(value) > BUFFERED_BYTES
            elif name == b"transfer-encoding":
                is_upload = True
        # A proxy may send one and the same header for everybody, beside the cookies of each.
        secret = authorization + b"\0" + cookies if cookies else authorization
        credentials = hashlib.blake2b(secret, key=self._key, digest_size=_DIGEST_BYTES).digest() if secret else None
        account_id = None if credentials is None else self._accounts.get(credentials)
        if credentials is not None and account_id is not None:
            self._accounts.move_to_end(credentials)
            return RequestSender(account_id, credentials, is_upload)
        client = scope["client"]
        return RequestSender(client_address(client[0]) if client else "", credentials, is_upload)

    def remember(self, credentials: bytes, account_id: int) -> None:
        """Remember the account of credentials that were right."""
        self._accounts[credentials] = account_id
        self._accounts.move_to_end(credentials)
        if len(self._accounts) > CREDENTIALS_MAX:
            self._accounts.popitem(last=False)

    def forget(self, credentials: bytes) -> None:
        """Forget credentials that are wrong now, so that they do not count for the account any more."""
        self._accounts.pop(credentials, None)
