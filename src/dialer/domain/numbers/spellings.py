"""The spellings of one phone number that may occur in a text."""

import re
from typing import Final

import phonenumbers

ERASED: Final = "erased"
"""The text that replaces an erased number or answer."""
DIGITS_IN_TEXT_MIN: Final = 7
"""Minimum digits of a number that is searched within longer texts, where fewer digits may have any meaning."""
_BETWEEN: Final = r"[\s.\-()\[\]/\u2010-\u2015]{0,3}"
_INTERNATIONAL_PREFIX: Final = rf"(?:(?:\+|00|011){_BETWEEN})?"


class Spellings:
    """All spellings of a number that is given in normal form (`dialer.domain.numbers.normal_form`).

    They include forms with and without its country code, dialling prefixes, and punctuation between the digits.
    """

    def __init__(self, number: str) -> None:
        country, trunk, self._own = _parts(number)
        whole = country + self._own
        self._is_long = len(whole) >= DIGITS_IN_TEXT_MIN
        if country and len(self._own) < DIGITS_IN_TEXT_MIN:
            # The number without its country code is too short to be told apart from other numbers.
            country, self._own = "", whole
        self._pattern = _pattern(country, trunk, self._own)

    @property
    def like(self) -> str:
        """Return a pattern for SQL's LIKE that matches all texts with the number, and few others."""
        return f"%{'%'.join(self._own)}%"

    def is_all_of(self, text: str) -> bool:
        """Return whether a text consists of the number alone."""
        return self._pattern.fullmatch(text.strip()) is not None

    def without(self, text: str) -> str:
        """Return the text with `ERASED` in place of the number, wherever it occurs."""
        if self._is_long:
            return self._pattern.sub(ERASED, text)
        return ERASED if self.is_all_of(text) else text


def _parts(number: str) -> tuple[str, str, str]:
    """Return the country code, the national prefix and the national digits; the first two may be empty."""
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
    abroad = f"(?:{_INTERNATIONAL_PREFIX}{_BETWEEN.join(country)}{_BETWEEN})?" if country else _INTERNATIONAL_PREFIX
    return re.compile(rf"(?<![0-9])\(?{abroad}{before}\(?{_BETWEEN.join(own)}(?![0-9])")
