"""Values of the cells of a workbook as people see them: whole numbers without a point, dates as in ISO 8601.

The codes of formats, and the days from which dates are counted, are those of ECMA-376, part 1, 18.8.30 and 18.17.4.
"""

import math
import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Final

DATE: Final = "date"
SPAN: Final = "span"
"""Hours, minutes and seconds that go on after 24 hours, as in `[h]:mm`."""
_SPAN_CODES: Final = frozenset({46})
_DATE_CODES: Final = frozenset({*range(14, 23), *range(27, 37), 45, 47, *range(50, 59)})
"""Formats that every program knows by their number, those of East Asia among them."""
_NO_DATE: Final = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!(?:h+|m+|s+)\])[^\]]*\]', re.IGNORECASE)
"""Parts of a format that are texts, colours, conditions or fillers."""
_SPAN_FORMAT: Final = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_DATE_LETTERS: Final = re.compile("[dmhys]", re.IGNORECASE)
_EPOCH: Final = datetime(1899, 12, 30)  # noqa: DTZ001 - dates of workbooks have no zone
_EPOCH_1904: Final = datetime(1904, 1, 1)  # noqa: DTZ001
_FALSE_LEAP_DAY: Final = 60
"""The day 1900-02-29, which spreadsheet programs have and the calendar has not."""
_SERIAL_MAX: Final = 2_958_466
"""The day after 9999-12-31."""
_DAY_S: Final = 86_400
_ESCAPED: Final = re.compile("_x([0-9A-Fa-f]{4})_")
_CONTROL: Final = re.compile("[\0-\x08\x0b-\x1f\ud800-\udfff]")
"""Control characters but tabs and line ends, and halves of characters."""


def kinds_of_formats(codes: Iterable[tuple[int, str]], used: Iterable[int]) -> list[str]:
    """Return the kind of each used cell format: `DATE`, `SPAN`, or an empty text. `codes` has formats by number."""
    own = {number: _kind(code) for number, code in codes}
    return [own[number] if number in own else _kind_of_number(number) for number in used]


def _kind_of_number(number: int) -> str:
    return SPAN if number in _SPAN_CODES else DATE if number in _DATE_CODES else ""


def _kind(code: str) -> str:
    first = _NO_DATE.sub("", code.partition(";")[0])
    if _SPAN_FORMAT.search(first):
        return SPAN
    return DATE if _DATE_LETTERS.search(first) else ""


def text_of_number(text: str, kind: str, *, is_1904: bool) -> str:
    """Return a number as a text, of a cell whose format has a kind. A text that is no number stays as it is."""
    if not kind and text.isdigit():
        return text
    try:
        value = float(text)
    except ValueError:
        return text
    if not math.isfinite(value):
        return text
    if kind == DATE and 0 <= value < _SERIAL_MAX:
        return _date(value, is_1904=is_1904)
    if kind == SPAN:
        return _span(value)
    return str(int(value)) if value.is_integer() else str(value)


def _date(serial: float, *, is_1904: bool) -> str:
    epoch = _EPOCH_1904 if is_1904 else _EPOCH
    days, seconds = divmod(round(serial * _DAY_S), _DAY_S)
    if not days and not is_1904:
        return str((_EPOCH + timedelta(seconds=seconds)).time())
    if days < _FALSE_LEAP_DAY and not is_1904:
        days += 1
    try:
        moment = epoch + timedelta(days=days, seconds=seconds)
    except OverflowError:
        return str(serial)
    return str(moment if seconds else moment.date())


def _span(days: float) -> str:
    minutes, seconds = divmod(round(abs(days) * _DAY_S), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{'-' if days < 0 else ''}{hours}:{minutes:02}:{seconds:02}"


def text_of_moment(text: str) -> str:
    """Return a date that is written as in ISO 8601, without a time of zero."""
    return text.replace("T", " ").removesuffix("Z").removesuffix(".000").removesuffix(" 00:00:00")


def plain_text(text: str) -> str:
    """Return a text without the escapes of control characters, and without these but for line ends and tabs."""
    if "_x" in text:
        text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    if not text.isprintable():
        text = "".join(
            mark for mark in text if mark in "\n\t" or not ("\0" <= mark < " " or "\ud800" <= mark <= "\udfff")
        )
    return text.strip()
