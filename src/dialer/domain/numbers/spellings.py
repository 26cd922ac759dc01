"""The spellings of one phone number: how it may stand in a text that somebody has written."""

import re
from typing import Final

import phonenumbers

ERASED: Final = "erased"
"""What stands where a number, or what somebody said, was erased."""
DIGITS_IN_TEXT_MIN: Final = 7
"""A shorter number is only looked for where nothing else stands: within a text it may mean anything."""
_BETWEEN: Final = r"[\s.\-()\[\]/\u2010-\u2015]{0,3}"
_ABROAD: Final = rf"(?:(?:\+|00|011){_BETWEEN})?"


class Spellings:
    """All ways to write a number, given in normal form (`dialer.domain.numbers.normal_form`).

    With and without its country, the prefixes that are dialled before it, and punctuation between its digits.
    """

    def __init__(self, number: str) -> None:
        country, trunk, self._own = _parts(number)
        whole = country + self._own
        self._is_long = len(whole) >= DIGITS_IN_TEXT_MIN
        if country and len(self._own) < DIGITS_IN_TEXT_MIN:
            # What is left of it without its country is too short to be told from other numbers.
            country, self._own = "", whole
        self._pattern = _pattern(country, trunk, self._own)

    @property
    def like(self) -> str:
        """A pattern of SQL's LIKE that every text with the number in it matches, and few others."""
        return f"%{'%'.join(self._own)}%"

    def is_all_of(self, text: str) -> bool:
        """Whether a text is the number, and nothing else."""
        return self._pattern.fullmatch(text.strip()) is not None

    def without(self, text: str) -> str:
        """The text with `ERASED` in place of the number, wherever it stands."""
        if self._is_long:
            return self._pattern.sub(ERASED, text)
        return ERASED if self.is_all_of(text) else text


def _parts(number: str) -> tuple[str, str, str]:
    """The digits of its country, the digits dialled before it within the country, its own; all but these may be ""."""
    if not number.startswith("+"):
        return "", "", number
    try:
        parsed = phonenumbers.parse(number)
    except phonenumbers.NumberParseException:
        return "", "", number.removeprefix("+")
    country = parsed.country_code or 0
    trunk = phonenumbers.ndd_prefix_for_region(phonenumbers.region_code_for_country_code(country), True)  # noqa: FBT003
    return str(country), trunk or "", phonenumbers.national_significant_number(parsed)


def _pattern(country: str, trunk: str, own: str) -> re.Pattern[str]:
    before = rf"(?:\(?{trunk}\)?{_BETWEEN})?" if trunk else ""
    abroad = f"(?:{_ABROAD}{_BETWEEN.join(country)}{_BETWEEN})?" if country else _ABROAD
    return re.compile(rf"(?<![0-9])\(?{abroad}{before}\(?{_BETWEEN.join(own)}(?![0-9])")
