"""Phrases: a few short texts in one, with commas or line ends between them, such as "Lunch, Training"."""

from typing import Final

from dialer.domain.words.sentences import Sentence

PHRASES_MAX: Final = 20
PHRASE_LENGTH_MAX: Final = 100


def read_phrases(text: str) -> list[str]:
    """Return the phrases of a text, each once."""
    parts = (part for line in text.splitlines() for part in line.split(","))
    return list(dict.fromkeys(phrase for part in parts if (phrase := " ".join(part.split()))))


def check_phrases(phrases: list[str]) -> None:
    """Check that a list of phrases is short, and that each phrase is short.

    Raises:
        ValueError: they are not.
    """
    if len(phrases) > PHRASES_MAX:
        raise ValueError(
            Sentence("There are %(count)s, and at most %(most)s are allowed.", count=len(phrases), most=PHRASES_MAX)
        )
    longest = max(phrases, key=len, default="")
    if len(longest) > PHRASE_LENGTH_MAX:
        raise ValueError(
            Sentence("%(phrase)r is longer than %(most)s characters.", phrase=longest[:40], most=PHRASE_LENGTH_MAX)
        )
