"""The comparison of user names, which ignores case and Unicode form."""

from functools import lru_cache
from typing import Final
from unicodedata import normalize

NAMES_KEPT_MAX: Final = 1_024
"""Names whose keys are kept, because a client sends its own with each request."""


@lru_cache(maxsize=NAMES_KEPT_MAX)
def username_key(username: str) -> str:
    """Return a key that equal user names share: `ALICE`, `Alice` and `alice` are one name.

    Case folding can undo the Unicode normal form, and normalising can undo case folding. Both are therefore applied
    twice (Unicode, D146).
    """
    return _folded(_folded(normalize("NFD", username)))


def _folded(text: str) -> str:
    return normalize("NFKC", text.casefold())
