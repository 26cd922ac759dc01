"""Dates and numbers as a language writes them, for pages with hundreds of figures.

The usage is that of the Common Locale Data Repository, as the tests check with Babel. Babel itself takes ten times as
long for a figure, and 130 ms for its first one.
"""

import re
from collections.abc import Mapping
from datetime import date as Day  # noqa: N812 - a field is called date
from typing import Final, NamedTuple

from dialer.domain.words.languages import ENGLISH

_POINT: Final = ord(".")
_COMMA: Final = ord(",")


class DoubtfulNumberError(ValueError):
    """A number that can be read in two ways, each of which the error writes without doubt."""

    def __init__(self, whole: str, with_decimals: str) -> None:
        super().__init__(whole, with_decimals)
        self.whole: Final = whole
        self.with_decimals: Final = with_decimals


class Formats(NamedTuple):
    """The usage of a language."""

    date: str
    """A date with its year: `%(d)s` is the day, `%(dd)s` the day with two digits, `%(MMM)s` the month."""
    day: str
    """A date without its year."""
    months: tuple[str, ...]
    """Short names of months, January first."""
    percent: str = " %"
    """The text behind a percentage."""
    money: str = "%(number)s\xa0%(currency)s"
    """An amount with its currency."""
    marks: Mapping[int, str] | None = None
    """The marks of decimals and of groups in place of the English ones, as `str.translate` takes them."""

    def number(self, text: str) -> str:
        """Return an English number with the decimal and grouping marks of this format."""
        return text if self.marks is None else text.translate(self.marks)

    def read_number(self, text: str) -> str:
        """Return a number that somebody typed in this format as an English one without groups: `1.234,50` as `1234.50`.

        A text that is no number in this format stays as it is, so that a point may always stand before decimals.

        Raises:
            DoubtfulNumberError: its only mark could end a group as well as begin decimals, as in `1.234`.
        """
        decimal, group = (self.number(mark) for mark in ".,")
        whole = rf"[1-9]\d{{0,2}}(?:{re.escape(group)}\d{{3}})+|\d+"
        if re.fullmatch(rf"[-+]?(?:{whole})(?:{re.escape(decimal)}\d+)?", text) is None:
            return text
        if decimal not in text and text.count(group) == 1:
            raise DoubtfulNumberError(text.replace(group, ""), text.replace(group, decimal))
        return text.replace(group, "").replace(decimal, ".")

    def date_of(self, at: Day, *, with_year: bool = True) -> str:
        """Return the date of a moment."""
        parts = {"d": at.day, "dd": f"{at.day:02}", "MMM": self.months[at.month - 1], "y": at.year}
        return (self.date if with_year else self.day) % parts


_DAY: Final = "%(d)s %(MMM)s"
_DATE: Final = "%(d)s %(MMM)s %(y)s"
_BY_COMMA: Final = {_POINT: ",", _COMMA: "."}
ENGLISH_FORMATS: Final = Formats(
    "%(dd)s %(MMM)s %(y)s",
    "%(dd)s %(MMM)s",
    ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    money="%(currency)s%(number)s",
)
FORMATS: Final[Mapping[str, Formats]] = {
    ENGLISH: ENGLISH_FORMATS,
    "de": Formats(
        "%(d)s. %(MMM)s %(y)s",
        "%(d)s. %(MMM)s",
        ("Jan.", "Feb.", "März", "Apr.", "Mai", "Juni", "Juli", "Aug.", "Sept.", "Okt.", "Nov.", "Dez."),
        "\xa0%",
        marks=_BY_COMMA,
    ),
    "es": Formats(
        _DATE,
        _DAY,
        ("ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"),
        "\xa0%",
        marks=_BY_COMMA,
    ),
    "fr": Formats(
        _DATE,
        _DAY,
        ("janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.", "déc."),
        "\xa0%",
        marks={_POINT: ",", _COMMA: "\u202f"},
    ),
    "pt": Formats(
        "%(d)s de %(MMM)s de %(y)s",
        "%(d)s de %(MMM)s",
        ("jan.", "fev.", "mar.", "abr.", "mai.", "jun.", "jul.", "ago.", "set.", "out.", "nov.", "dez."),
        "%",
        "%(currency)s\xa0%(number)s",
        _BY_COMMA,
    ),
}
"""The usage of each language, of Brazil for Portuguese. The English day has two digits."""
