"""Ids that are computed from the thing they identify, so that a repeated run produces equal ids."""

from hashlib import blake2b
from typing import Final

from dialer.domain.words.enums import LegType

_EMPTY_HASH: Final = blake2b(digest_size=16, person=b"dialer callid")
"""The common start of every hash: a copy is quicker than a new hash object."""
_A_LEG: Final = int(LegType.A_LEG)
_VARIANT: Final = dict(zip("0123456789abcdef", "89ab" * 4, strict=True))
"""The digit with the variant bits of a UUID, by the digit of the hash in that place."""


def leg_key(service_key: bytes, callid: str) -> str:
    """Return the name of a leg for its carrier, in the form of a UUID. Two services never use the same."""
    digits = blake2b(callid.encode(), key=service_key, digest_size=16, person=b"dialer leg").hexdigest()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def leg_uuid(seed: int, campaign_id: int, subscriber_id: int, attempt: int, call_id: int, leg: int) -> str:
    """Return the `callid` of a B-leg. The number of its call tells those of callers apart who are no subscribers."""
    return call_uuid(seed, campaign_id, subscriber_id, attempt if subscriber_id else -call_id, leg)


def leg_name(callid: str, call_id: int, agent_id: int = 0, offered_ms: int = 0) -> str:
    """Return the name from which `leg_key` is made. The leg of an agent is named by the moment of the offer, too."""
    return f"{callid}:{call_id}:{agent_id}:{offered_ms}" if agent_id else f"{callid}:{call_id}"


def call_uuid(seed: int, campaign_id: int, subscriber_id: int, attempt: int, leg: int = _A_LEG) -> str:
    """Return the `callid` of one leg of one attempt: a UUID of version 8 (RFC 9562, 5.8).

    The A-leg is leg 1, and the B-legs are numbered from 2.
    """
    hashed = _EMPTY_HASH.copy()
    hashed.update(b"%d:%d:%d:%d:%d" % (seed, campaign_id, subscriber_id, attempt, leg))
    digits = hashed.hexdigest()
    return f"{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-{_VARIANT[digits[16]]}{digits[17:20]}-{digits[20:]}"
