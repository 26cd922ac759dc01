"""Passwords: Argon2id at or above the parameters that OWASP advises, and no password that others guess soon."""

from math import prod
from threading import Lock
from typing import Final

from argon2 import PasswordHasher, Type
from argon2.exceptions import Argon2Error

PASSWORD_LENGTH_MIN: Final = 12
PASSWORD_LENGTH_MAX: Final = 1_024
"""Characters. Longer input is refused before it costs anything."""

ESTIMATED_MAX: Final = 32
"""Characters by which a password is judged. The time that this takes grows with the square of their number."""
GUESSES_MIN: Final = 1_000_000
"""Guesses that a program needs for a password, which tries common words, names, keys side by side and dates first."""
CHOICES_MAX: Final = 4
"""Ways to read the signs of a password as letters, as in `p@$$w0rd`, that are tried."""
CONTEXT: Final = ("dialer",)
"""Words that somebody who guesses a password of this service tries first."""
EASY: Final = (
    "this password is too easy to guess: it is common, or made of common words, repetitions or sequences;"
    " take four or more random words"
)

DUMMY_HASH: Final = "$argon2id$v=19$m=19456,t=2,p=1$pxx2zVB195oLn2fJtn+/5g$/KdFgzcXXmQ3jaeAxdi31nALp97YP89ZfEH6qjf3+y4"
"""The hash of an unknown password. Verifying against it makes an unknown user take as long as a known one."""

_ONE_SIGN: Final = str.maketrans("@{[<9!|5+", "4(((611$7")
"""One sign for each letter for which passwords have several."""
_JUDGING: Final = Lock()
_HASHER: Final = PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1, type=Type.ID)


class PasswordError(ValueError):
    """A text cannot be a password; the message says why without showing it."""


def hash_password(password: str) -> str:
    """Return the salted hash of a password, in PHC format.

    Raises:
        PasswordError: the password is too short, too long, too easy to guess, or has characters that
            no client can send.
    """
    check_password(password)
    return _HASHER.hash(password)


def verify_password(password_hash: str, password: str) -> bool:
    """Tell whether `password` is the one that was hashed. A malformed hash gives False, not an error."""
    if len(password) > PASSWORD_LENGTH_MAX:
        return False
    try:
        return _HASHER.verify(password_hash, password)
    except (Argon2Error, ValueError):
        # A malformed hash, or a lone surrogate, which has no bytes to hash, is a ValueError.
        return False


def check_password(password: str) -> None:
    """Raise PasswordError if `hash_password` would refuse this password. It takes a while; see `check_characters`."""
    check_characters(password)
    if _guesses(judged_text(password)) < GUESSES_MIN:
        raise PasswordError(EASY)


def check_characters(password: str) -> None:
    """Raise PasswordError if a password has too few or too many characters, or impossible ones. It takes no time."""
    if not PASSWORD_LENGTH_MIN <= len(password) <= PASSWORD_LENGTH_MAX:
        raise PasswordError(f"a password has {PASSWORD_LENGTH_MIN} to {PASSWORD_LENGTH_MAX} characters")
    if any(character < " " or "\ud800" <= character <= "\udfff" for character in password):
        raise PasswordError("a password holds no control characters and is valid Unicode")


def judged_text(password: str) -> str:
    """Return the text by which a password is judged, in a bounded time.

    A sign may stand for several letters, and several signs for one. Each such choice multiplies the time that it takes
    to judge a password. So if there are many, one sign for each letter takes the place of the others.
    """
    from zxcvbn.matching import L33T_TABLE  # type: ignore[import-untyped] # noqa: PLC0415

    text = _repeated(password)
    choices = prod(max(1, len(set(text).intersection(signs))) for signs in L33T_TABLE.values())
    return text.translate(_ONE_SIGN) if choices > CHOICES_MAX else text


def _repeated(password: str) -> str:
    """Return the part whose repetition is the whole password, twice; or else the beginning of the password."""
    for length in range(1, ESTIMATED_MAX // 2 + 1):
        part = password[:length]
        if password == (part * (len(password) // length + 1))[: len(password)]:
            return part * 2
    return password[:ESTIMATED_MAX]


def _guesses(password: str) -> float:
    # Its lists take time to read, and few processes check new passwords.
    from zxcvbn import zxcvbn  # type: ignore[import-untyped] # noqa: PLC0415

    with _JUDGING:
        # The library keeps the words of a call in a table that all calls share.
        return float(zxcvbn(password, user_inputs=list(CONTEXT))["guesses"])
