"""Sentences for the rows of an import together: how their numbers were read, and what is wrong with them."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from dialer.domain.numbers.doubts import NumberDoubt
from dialer.domain.numbers.entries import MENDED_ZERO, STOPS_NOBODY, EntryDoubt
from dialer.domain.numbers.several_numbers import Kindness
from dialer.domain.rules.doubtful_entries import DoubtfulEntries, in_words
from dialer.domain.words.sentences import Sentence, counting_sentence

_WORDS: Final[Mapping[str, Callable[[int], Sentence]]] = {
    Kindness.CUT_EXTENSION.value: lambda count: counting_sentence(
        "The extension of %(count)s number was left out.", "The extensions of %(count)s numbers were left out.", count
    ),
    Kindness.SEVERAL.value: lambda count: counting_sentence(
        "%(count)s cell has several numbers.", "%(count)s cells have several numbers.", count
    ),
    Kindness.REMARK.value: lambda count: counting_sentence(
        "Of %(count)s cell, only the number was taken.", "Of %(count)s cells, only the numbers were taken.", count
    ),
    MENDED_ZERO: lambda count: counting_sentence(
        "%(count)s number got a 0 back that it had lost.", "%(count)s numbers got a 0 back that they had lost.", count
    ),
    NumberDoubt.LOST_ZERO.value: lambda count: counting_sentence(
        "%(count)s number has lost a 0 that belongs to it, so it is the number of nobody.",
        "%(count)s numbers have lost a 0 that belongs to them, so they are the numbers of nobody.",
        count,
    ),
}


def readings_in_words(kinds: Mapping[str, int]) -> Iterator[Sentence]:
    """Yield sentences about the ways in which numbers were read, with counts."""
    yield from (words(kinds[kind]) for kind, words in _WORDS.items() if kinds.get(kind))


def entries_in_words(kinds: Mapping[str, int]) -> Iterator[tuple[str, Sentence]]:
    """Yield the warnings about entries of a do-not-call list that protect few or nobody, each with its kind."""
    stopping_nobody = sum(kinds.get(doubt.value, 0) for doubt in STOPS_NOBODY)
    without = kinds.get(EntryDoubt.NO_COUNTRY.value, 0)
    most = stopping_nobody + without + 1  # All rows were counted.
    for kind, counts in (
        ("protects_nobody", DoubtfulEntries(stopping_nobody, 0, most)),
        ("no_country", DoubtfulEntries(0, without, most)),
    ):
        yield from ((kind, sentence) for sentence in in_words(counts))
