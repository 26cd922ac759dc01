"""Words of people: what means stop, what a column of a list is called, and what says that nobody is to call."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from dialer.app.imports import guessed_columns, place_columns
from dialer.app.imports.refusals import CONSENT_NAME, FLAG_NAME, PHRASE
from dialer.domain.messages.opt_out import PHRASES
from dialer.domain.messages.understanding import Understood
from dialer.domain.messages.wish_patterns import PATTERNS
from tests.domain.messages.heard import SETS, meanings, others_of, wishes_of
from tests.world.short_texts import digest

_OR: Final = "|"
SHOWN: Final = 4
"""Words of a table that are shown."""


def wishes() -> Iterator[str]:
    """Yield a row for whole phrases, and one for each language of patterns.

    The replies of a language are those that `tests/domain/messages/` has, and how many wishes among them are heard.
    """
    yield f"| any | {len(PHRASES)} whole phrases | - | - | {digest(' '.join(PHRASES))} | - | - |"
    for language, found in PATTERNS.items():
        counts = " | ".join(str(len(kind)) for kind in (found.wishes, found.hints, found.opposites))
        yield f"| {language} | {counts} | {digest(repr(found))} | {_heard(language)} |"


def columns() -> Iterator[str]:
    """Yield a row for each meaning that the name of a column may have."""
    named = {**guessed_columns.WORDS, **{of: text.split(_OR) for of, text in place_columns.WORDS.items()}}
    for meaning, words in named.items():
        yield _row(meaning.replace("_", " "), [" ".join(word.split()) for word in words], "a name")
    kinds = {"not to be called": FLAG_NAME, "may be called": CONSENT_NAME}
    for meaning, pattern in kinds.items():
        yield _row(meaning, _words_of(pattern), "a name")
    yield _row("not to be called", _words_of(PHRASE), "a cell")


def _heard(language: str) -> str:
    """Return how many wishes of a language are heard, and how many other texts stop nobody, as two cells."""
    replies = [languages[language] for languages in SETS.values() if language in languages]
    if not replies:
        return "none | none"
    wishes, others = meanings(wishes_of(replies)), meanings(others_of(replies))
    heard, free = wishes.total() - wishes[Understood.OTHER], others.total() - others[Understood.STOP]
    return f"{heard} of {wishes.total()} | {free} of {others.total()}"


def _row(meaning: str, words: Sequence[str], where: str) -> str:
    return f"| {meaning} | {where} | {len(words)} | {', '.join(words[:SHOWN])} | {digest(_OR.join(words))} |"


def _words_of(pattern: re.Pattern[str]) -> list[str]:
    inner = pattern.pattern.removeprefix(r"\b(?:").removesuffix(r")\b")
    return [word.replace("[a-z]*", "...") for word in inner.split(_OR)]
