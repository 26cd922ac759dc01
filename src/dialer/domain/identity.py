"""Ids that are a function of what they name, so that a run played again gives them again."""

from hashlib import blake2b
from typing import Final

from dialer.domain.enums import LegType

_NO_NAME: Final = blake2b(digest_size=16, person=b"dialer callid")
"""The hash of every name before its name: to copy it is quicker than to begin one."""
_VARIANT: Final = dict(zip("0123456789abcdef", "89ab" * 4, strict=True))
"""The digit that says by whose rules the UUID is made, for the digit of the hash that stands in its place."""


def call_uuid(seed: int, campaign_id: int, subscriber_id: int, attempt: int, leg: int = LegType.A_LEG) -> str:
    """The `callid` of one leg of one attempt: a UUID of version 8 (RFC 9562, 5.8).

    The A-leg is leg 1, the B-legs are legs 2 and on.
    """
    hashed = _NO_NAME.copy()
    hashed.update(b"%d:%d:%d:%d:%d" % (seed, campaign_id, subscriber_id, attempt, leg))
    digits = hashed.hexdigest()
    return f"{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-{_VARIANT[digits[16]]}{digits[17:20]}-{digits[20:]}"
