"""The keys of stored secrets as text: random texts between blanks, of which the first encrypts, and all decrypt."""

from typing import Final

KEY_MIN: Final = 32
"""Characters of a key: it is hashed once, so it must be random, not a password."""
KEYS_MAX: Final = 8


def is_keys(text: str) -> bool:
    """Return whether `text` can be the keys of stored secrets."""
    keys = text.split()
    return 1 <= len(keys) <= KEYS_MAX and all(len(key) >= KEY_MIN for key in keys)
