"""Ids that are a function of what they name, so that a run played again gives them again."""

from hashlib import blake2b

from dialer.domain.enums import LegType


def call_uuid(seed: int, campaign_id: int, subscriber_id: int, attempt: int, leg: int = LegType.A_LEG) -> str:
    """The `callid` of one leg of one attempt: a UUID of version 8 (RFC 9562, 5.8).

    The A-leg is leg 1, the B-legs are legs 2 and on.
    """
    name = b"%d:%d:%d:%d:%d" % (seed, campaign_id, subscriber_id, attempt, leg)
    digits = blake2b(name, digest_size=16, person=b"dialer callid").hexdigest()
    variant = "89ab"[int(digits[16], 16) & 3]
    return f"{digits[:8]}-{digits[8:12]}-8{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"
