"""A table of the wishes that are heard in replies: `python -m tests.domain.messages.heard` writes it."""

import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from dialer.domain.messages.understanding import Understood, understand
from tests.domain.messages.fourth_replies import FOURTH
from tests.domain.messages.fresh_replies import FRESH, Replies
from tests.domain.messages.second_replies import SECOND
from tests.domain.messages.third_replies import THIRD

FOLDER: Final = Path(__file__).parent
LANGUAGES: Final = ("en", "es", "de", "fr", "pt", "it")


def replies_in(name: str) -> dict[str, Replies]:
    """Return the replies of a file by language: its lines have a language, + for a wish or - for none, and the text."""
    lines = [line.split(" ", 2) for line in (FOLDER / f"{name}_replies.txt").read_text(encoding="utf-8").splitlines()]
    return {
        language: Replies(
            wishes=tuple(text for one, sign, text in lines if (one, sign) == (language, "+")),
            others=tuple(text for one, sign, text in lines if (one, sign) == (language, "-")),
        )
        for language in LANGUAGES
    }


SETS: Final[Mapping[str, Mapping[str, Replies]]] = {
    "first": FRESH,
    "second": SECOND,
    "third": THIRD,
    "fourth": FOURTH,
    **{
        name: replies_in(name)
        for name in ("fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth")
    },
}
"""The replies by set and language. The tables were widened after each set but `UNSEEN`."""
UNSEEN: Final = "twelfth"
"""The set by whose replies no table was widened."""


def meanings(texts: Iterable[str]) -> Counter[Understood]:
    """Return how many texts are understood as what."""
    return Counter(understand(text) for text in texts)


def wishes_of(replies: Iterable[Replies]) -> list[str]:
    """Return the texts that ask for no more calls and messages."""
    return [text for one in replies for text in one.wishes]


def others_of(replies: Iterable[Replies]) -> list[str]:
    """Return the texts that do not."""
    return [text for one in replies for text in one.others]


def heard(wishes: Iterable[str]) -> float:
    """Return the share of wishes that end the contact, or are held for a person to look at."""
    found = meanings(wishes)
    return 1 - found[Understood.OTHER] / found.total()


def held(others: Iterable[str]) -> float:
    """Return the share of other texts that are held for a person to look at, or end the contact."""
    found = meanings(others)
    return 1 - found[Understood.OTHER] / found.total()


def _row(name: str, replies: Iterable[Replies]) -> str:
    kept = list(replies)
    wishes, others = wishes_of(kept), others_of(kept)
    cells = "".join(f"{meanings(texts)[meaning]:8}" for texts in (wishes, others) for meaning in Understood)
    return f"{name:14}{cells}{heard(wishes):8.1%}{held(others):8.1%}\n"


def main() -> None:
    """Write a row for each set and language: wishes, then other texts, by meaning, and the shares heard and held."""
    titles = (*Understood, *Understood, "heard", "held")
    sys.stdout.write(f"{'':14}" + "".join(f"{one:>8}" for one in titles) + "\n")
    for name, languages in SETS.items():
        sys.stdout.writelines(_row(f"{name} {language}", [replies]) for language, replies in languages.items())
        sys.stdout.write(_row(name, languages.values()))
    sys.stdout.write(_row("all", (replies for languages in SETS.values() for replies in languages.values())))


if __name__ == "__main__":
    main()
