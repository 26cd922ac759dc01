"""User names as they are compared: without regard to case and to their Unicode form."""

from unicodedata import normalize


def username_key(username: str) -> str:
    """Return the text that equal user names share: `ALICE`, `Alice` and `alice` are one name.

    Folding the case of a text can undo its normal form, and the other way round: both are done twice (Unicode, D146).
    """
    return _folded(_folded(normalize("NFD", username)))


def _folded(text: str) -> str:
    return normalize("NFKC", text.casefold())
