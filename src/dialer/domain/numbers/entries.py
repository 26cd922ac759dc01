"""Entries of do-not-call lists, as texts become numbers: every number in a text counts, and remarks say how."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from dialer.domain.numbers.doubts import NumberDoubt, doubt_in_words, doubt_of
from dialer.domain.numbers.listed_forms import LISTED_DIGITS_MIN, has_no_country
from dialer.domain.numbers.lost_zeros import with_lost_zero
from dialer.domain.numbers.normal_form import NUMBER_INPUT_MAX, NumberError, normalise
from dialer.domain.numbers.several_numbers import FoundNumber, FoundNumbers, Kindness, read_kindly
from dialer.domain.words.enum_descriptions import DescribedText
from dialer.domain.words.sentences import Sentence

MENDED_ZERO: Final = "mended_zero"
READINGS: Final = frozenset({*(one.value for one in Kindness), MENDED_ZERO})
"""Kinds of remarks that only say how a number was read."""


class EntryDoubt(DescribedText):
    """A reason why an entry of a do-not-call list stops no calls, or those to people of several countries."""

    NONE = "", "No doubt."
    NO_COUNTRY = "no_country", "It has no country code, so it stops calls in every country that has this number."
    SHORT = "short_number", "It has no country code and is no whole number, so it stops calls to these digits alone."
    IMPOSSIBLE = "impossible_number", "It is too long or too short for its country, so it is the number of nobody."
    UNASSIGNED = "unassigned_number", "No numbers of its country begin like this, so it is the number of nobody."


STOPS_NOBODY: Final = (EntryDoubt.IMPOSSIBLE, EntryDoubt.SHORT, EntryDoubt.UNASSIGNED)
"""The doubts about entries that are, as far as is known, the number of nobody."""


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
        mended = with_lost_zero(number)
        if mended:
            entries.append(FoundNumber(mended, mended))
            remarks.append(mended_remark(number, mended))
        elif (doubt := entry_doubt(number)) is not EntryDoubt.NONE:
            remarks.append(NumberRemark(doubt.value, entry_doubt_in_words(doubt, number), number))
    return entries, remarks


def entry_doubt(number: str) -> EntryDoubt:
    """Return the doubt about an entry, by its number in normal form.

    A number that has lost a 0 raises none, as it is on the list with the 0, too.
    """
    if has_no_country(number):
        return EntryDoubt.NO_COUNTRY if len(number.lstrip("0")) >= LISTED_DIGITS_MIN else EntryDoubt.SHORT
    doubt = doubt_of(number)
    return EntryDoubt.NONE if doubt is NumberDoubt.LOST_ZERO else EntryDoubt(doubt.value)


def entry_doubt_in_words(doubt: EntryDoubt, number: str) -> Sentence:
    """Return a doubt about an entry in a sentence."""
    if doubt is EntryDoubt.SHORT:
        return Sentence("%(number)r has no country code. It stops calls to these digits alone.", number=number)
    if doubt is EntryDoubt.NO_COUNTRY:
        return Sentence(
            "%(number)r has no country code. It stops calls to numbers of every country that end like it, if it is a"
            " whole national number. Choose the country of the list to be sure.",
            number=number,
        )
    return doubt_in_words(NumberDoubt(doubt.value), number)


def kindness_remark(kindness: Kindness, numbers: Sequence[FoundNumber], text: str, *, is_list: bool) -> NumberRemark:
    """Return the remark on a text that was read kindly. Of several numbers, a person has the first."""
    shown = ", ".join(number for _, number in numbers)
    if kindness is Kindness.SEVERAL and not is_list:
        message = Sentence("The cell has several numbers. The first is stored: %(number)s.", number=numbers[0].number)
    else:
        message = _in_words(kindness, shown)
    return NumberRemark(kindness.value, message, text)


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
    return found, [kindness_remark(found.kindness, found.numbers, text, is_list=True)]


def _in_words(kindness: Kindness, numbers: str) -> Sentence:
    if kindness is Kindness.CUT_EXTENSION:
        return Sentence("The extension is left out: %(number)r is on the list.", number=numbers)
    if kindness is Kindness.SEVERAL:
        return Sentence("The cell has several numbers. All are on the list: %(numbers)s.", numbers=numbers)
    return Sentence("Only the number is taken: %(number)r is on the list.", number=numbers)
