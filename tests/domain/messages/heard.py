"""A table of the wishes that are heard in the fresh replies: `python -m tests.domain.messages.heard` writes it."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

from dialer.domain.messages.understanding import Understood, understand
from tests.domain.messages.fourth_replies import FOURTH
from tests.domain.messages.fresh_replies import FRESH, Replies
from tests.domain.messages.second_replies import SECOND
from tests.domain.messages.third_replies import THIRD

SETS: Final[Mapping[str, Mapping[str, Replies]]] = {
    "first": FRESH,
    "second": SECOND,
    "third": THIRD,
    "unseen": FOURTH,
}
"""The replies by set and language. The patterns were widened after each set but the last, `unseen`."""


def meanings(texts: Iterable[str]) -> Counter[Understood]:
    """Return how many texts are understood as what."""
    return Counter(understand(text) for text in texts)


def wishes_of(replies: Iterable[Replies]) -> list[str]:
    """Return the texts that ask for no more calls and messages."""
    return [text for one in replies for text in one.wishes]


def others_of(replies: Iterable[Replies]) -> list[str]:
    """Return the texts that do not."""
    return [text for one in replies for text in one.others]


def _row(name: str, replies: Iterable[Replies]) -> str:
    kept = list(replies)
    wishes, others = meanings(wishes_of(kept)), meanings(others_of(kept))
    heard = 1 - wishes[Understood.OTHER] / wishes.total()
    cells = "".join(f"{counted[meaning]:8}" for counted in (wishes, others) for meaning in Understood)
    return f"{name:12}{cells}{heard:8.1%}\n"


def main() -> None:
    """Write a row for each set and language: wishes, then other texts, by meaning, and the share of wishes heard."""
    sys.stdout.write(f"{'':12}" + "".join(f"{one:>8}" for one in (*Understood, *Understood, "heard")) + "\n")
    for name, languages in SETS.items():
        sys.stdout.writelines(_row(f"{name} {language}", [replies]) for language, replies in languages.items())
        sys.stdout.write(_row(name, languages.values()))
    sys.stdout.write(_row("all", (replies for languages in SETS.values() for replies in languages.values())))


if __name__ == "__main__":
    main()
