"""Entries of do-not-call lists, as texts become numbers: every number in a text counts, and remarks say how."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from dialer.domain.numbers.doubts import NumberDoubt, doubt_in_words, doubt_of, with_lost_zero
from dialer.domain.numbers.listed_forms import LISTED_DIGITS_MIN, has_no_country
from dialer.domain.numbers.normal_form import NUMBER_INPUT_MAX, NumberError, normalise
from dialer.domain.numbers.several_numbers import FoundNumber, FoundNumbers, Kindness, read_kindly
from dialer.domain.sentences import Sentence

MENDED_ZERO: Final = "mended_zero"
NO_COUNTRY: Final = "no_country"


class NumberRemark(NamedTuple):
    """A remark on a number that is stored: a word for programs, a sentence, and the number or its spelling."""

    kind: str
    message: str
    value: str


def entries_in(text: str, region: str | None) -> tuple[Sequence[FoundNumber], list[NumberRemark]]:
    """Return the entries that a text puts on a do-not-call list, at least one, and remarks on how it was read.

    A number that has lost a 0 is put on the list as it is, and with the 0.

    Raises:
        NumberError: the text has no number, or a spreadsheet has lost the last digits of it.
    """
    found, remarks = _read(text, region)
    entries = list(found.numbers)
    for _, number in found.numbers:
        doubt = doubt_of(number)
        if doubt is NumberDoubt.LOST_ZERO:
            mended = with_lost_zero(number)
            entries.append(FoundNumber(mended, mended))
            remarks.append(mended_remark(number, mended))
        elif doubt:
            remarks.append(NumberRemark(doubt.value, doubt_in_words(doubt, number), number))
        elif has_no_country(number):
            remarks.append(NumberRemark(NO_COUNTRY, _without_country(number), number))
    return entries, remarks


def mended_remark(written: str, number: str) -> NumberRemark:
    """Return the remark on a number that got the 0 back that it had lost."""
    message = Sentence("%(written)r had lost a 0. It is read as %(number)r.", written=written, number=number)
    return NumberRemark(MENDED_ZERO, message, written)


def _read(text: str, region: str | None) -> tuple[FoundNumbers, list[NumberRemark]]:
    try:  # Most texts are plain numbers, and need no more.
        return FoundNumbers((FoundNumber(text[:NUMBER_INPUT_MAX], normalise(text, region)),)), []
    except NumberError:
        found = read_kindly(text, region)
    if found.kindness is None:
        return found, []
    numbers = ", ".join(number for _, number in found.numbers)
    return found, [NumberRemark(found.kindness.value, _in_words(found.kindness, numbers), text)]


def _without_country(number: str) -> Sentence:
    if len(number) < LISTED_DIGITS_MIN:
        return Sentence("%(number)r has no country code. It stops calls to these digits alone.", number=number)
    return Sentence(
        "%(number)r has no country code. It stops calls to numbers of every country that end like it, if it is a whole"
        " national number. Choose the country of the list to be sure.",
        number=number,
    )


def _in_words(kindness: Kindness, numbers: str) -> Sentence:
    if kindness is Kindness.CUT_EXTENSION:
        return Sentence("The extension is left out: %(number)r is on the list.", number=numbers)
    if kindness is Kindness.SEVERAL:
        return Sentence("The cell has several numbers. All are on the list: %(numbers)s.", numbers=numbers)
    return Sentence("Only the number is taken: %(number)r is on the list.", number=numbers)
