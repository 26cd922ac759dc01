"""The secrets of a webhook: the newest, and older ones that still sign, so that receivers have time to change."""

from typing import Final, NamedTuple

OLD_SECRET_MS: Final = 86_400_000
"""The time for which a secret signs after a rotation."""
OLD_SECRETS_MAX: Final = 3
"""Older secrets that sign at a time. None of them is thrown away before its time."""


class OldSecret(NamedTuple):
    """A secret before a rotation, and until when it signs."""

    secret: str
    until_ms: int


def read_old(text: str | None, now_ms: int) -> list[OldSecret]:
    """Return the older secrets that sign at a moment, the oldest first, from the text that is stored."""
    pairs = (one.partition(":") for one in (text or "").split())
    found = [OldSecret(secret, int(until)) for until, _, secret in pairs]
    return [one for one in found if now_ms < one.until_ms]


def written(secrets: list[OldSecret]) -> str:
    """Return the text in which older secrets are stored: `until:secret` with blanks between them."""
    return " ".join(f"{one.until_ms}:{one.secret}" for one in secrets)


def signing_secrets(secret: str, old: str | None, now_ms: int) -> list[str]:
    """Return the secrets that sign at a moment, the newest first."""
    return [secret, *(one.secret for one in reversed(read_old(old, now_ms)))]
