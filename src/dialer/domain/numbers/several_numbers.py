"""All numbers in a text, read kindly: for do-not-call lists, and for cells with several numbers.

A number of a person is read strictly, because a wrong one calls a stranger. On a do-not-call list a number that is not
read is the danger: the person is called. So an extension is cut off, remarks are ignored, and every number counts.
"""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple

from dialer.domain.numbers.by_the_library import NUMBER_DIGITS_MAX
from dialer.domain.numbers.normal_form import NUMBER_INPUT_MAX, NumberError, NumberProblem, normalise
from dialer.domain.numbers.usual_spellings import MEANT_DIGITS_MIN, folded, has_second_number, plain_spelling

NUMBERS_IN_TEXT_MAX: Final = 20
TEXT_MAX: Final = 2_000
"""Characters of a text in which numbers are looked for."""
_TONES: Final = re.compile(
    r"(?<=[0-9)])[\s,;.\-/]*(?:(?:ext(?:ension|n)?|x|durchwahl|dw|poste|ramal|anexo|interno?|int)\s*[.:=]?\s*[0-9]{1,6}"
    r"|\#\s*[0-9]{1,6}|[pw][,;pw]*[0-9*#]{1,6}|[,;][0-9*#]{1,5}[*#,;]*)(?![0-9])",
    re.IGNORECASE,
)
"""An extension behind a number, in words or as tones. Its search takes time in proportion to the text."""
_NOT_OF_NUMBERS: Final = re.compile(r"[^0-9+ .\-()\[\]/\\]+")
_SLASHES: Final = re.compile(r"[/\\]")
_BLANKS: Final = re.compile(r"\s+(?=[+0])|\s{2,}")
_BEFORE_PLUS: Final = re.compile(r"(?<=[0-9)\s])(?=\+)")


class Kindness(StrEnum):
    """A liberty that a kind reading of a text took."""

    CUT_EXTENSION = "cut_extension"
    SEVERAL = "several_numbers"
    REMARK = "ignored_remark"


class FoundNumber(NamedTuple):
    """A number in a text: how it is written there, and its normal form."""

    text: str
    number: str


class FoundNumbers(NamedTuple):
    """The numbers in a text, each once, and what was done to read them; None for a plain number."""

    numbers: tuple[FoundNumber, ...]
    kindness: Kindness | None = None


def read_kindly(text: str, region: str | None) -> FoundNumbers:
    """Return all numbers in a text, at least one.

    Raises:
        NumberError: the text has none, or a spreadsheet has lost the last digits of the number.
    """
    try:
        return FoundNumbers((FoundNumber(text[:NUMBER_INPUT_MAX], normalise(text, region)),))
    except NumberError as error:
        if error.problem is NumberProblem.SHORTENED:
            raise
        found = _found_in(text[:TEXT_MAX], region)
        if not found:
            raise
        if len(found) > 1:
            return FoundNumbers(found, Kindness.SEVERAL)
        whole = found[0]._replace(text=text) if len(text) <= NUMBER_INPUT_MAX else found[0]
        is_cut = error.problem is NumberProblem.EXTENSION or _TONES.search(folded(text[:TEXT_MAX])) is not None
        return FoundNumbers((whole,), Kindness.CUT_EXTENSION if is_cut else Kindness.REMARK)


def numbers_in(text: str, region: str | None) -> list[str]:
    """Return the normal forms of all numbers in a text, in their order; an empty list without any."""
    try:
        return [found.number for found in read_kindly(text, region).numbers]
    except NumberError:
        return []


def _found_in(text: str, region: str | None) -> tuple[FoundNumber, ...]:
    found: dict[str, FoundNumber] = {}
    for spelling in _spellings(text):
        try:
            number = normalise(spelling, region)
        except NumberError:
            continue
        found.setdefault(number, FoundNumber(spelling, number))
        if len(found) == NUMBERS_IN_TEXT_MAX:
            break
    return tuple(found.values())


def _spellings(text: str) -> Iterator[str]:
    """Yield the parts of a text that may be numbers."""
    lines = text.splitlines()
    for line in lines:
        plain = plain_spelling(line)
        without_tones = _TONES.sub(" ; ", plain)
        for run in _NOT_OF_NUMBERS.split(without_tones):
            for part in _BEFORE_PLUS.split(run):
                yield from filter(_is_long, _without_slashes(part.strip(" .-/\\")))


def _without_slashes(run: str) -> Iterator[str]:
    """Yield the numbers of a run of digits and punctuation. Slashes and blanks may separate two, or parts of one."""
    if has_second_number(run):
        for part in _SLASHES.split(run):
            yield from _without_slashes(part.strip(" .-"))
    elif _digits(run) <= NUMBER_DIGITS_MAX:
        yield run
    else:
        yield from _BLANKS.split(run)


def _is_long(spelling: str) -> bool:
    return _digits(spelling) >= MEANT_DIGITS_MIN


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))
