"""Entries of do-not-call lists that may stop no calls: their counts, and what people are told of them."""

from collections.abc import Iterator
from typing import NamedTuple

from dialer.domain.words.sentences import Sentence, counting_sentence


class DoubtfulEntries(NamedTuple):
    """Counts of entries that are nobody's number, and of entries without a country, each up to `most`."""

    stopping_nobody: int = 0
    without_country: int = 0
    most: int = 0


NO_DOUBT = DoubtfulEntries()


def in_words(counts: DoubtfulEntries) -> Iterator[Sentence]:
    """Yield a warning for each kind of doubt that some entries raise."""
    if counts.stopping_nobody:
        yield stopping_nobody(counts)
    if counts.without_country:
        yield without_country(counts)


def stopping_nobody(counts: DoubtfulEntries) -> Sentence:
    """Return the warning about entries that are nobody's number."""
    if counts.stopping_nobody >= counts.most:
        return Sentence(
            "At least %(count)s numbers on do-not-call lists protect nobody: they are too short, or nobody can have"
            " them. Import them again with their country, or correct them.",
            count=counts.stopping_nobody,
        )
    return counting_sentence(
        "A number on a do-not-call list protects nobody: it is too short, or nobody can have it. Import it again with"
        " its country, or correct it.",
        "%(count)s numbers on do-not-call lists protect nobody: they are too short, or nobody can have them. Import"
        " them again with their country, or correct them.",
        counts.stopping_nobody,
    )


def without_country(counts: DoubtfulEntries) -> Sentence:
    """Return the warning about entries without a country."""
    if counts.without_country >= counts.most:
        return Sentence(
            "At least %(count)s numbers on do-not-call lists have no country. They protect only people who have the"
            " whole number in some country. Import them again, and choose their country.",
            count=counts.without_country,
        )
    return counting_sentence(
        "A number on a do-not-call list has no country. It protects only people who have the whole number in some"
        " country. Import it again, and choose its country.",
        "%(count)s numbers on do-not-call lists have no country. They protect only people who have the whole number in"
        " some country. Import them again, and choose their country.",
        counts.without_country,
    )
