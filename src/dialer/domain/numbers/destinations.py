"""Destinations: the numbers that an account may call, by their country and by their kind.

Calls to premium-rate, shared-cost and satellite numbers cost a multiple of others, and somebody earns by them. Nobody
calls them unless an admin says so. Short numbers for directory enquiries count as premium-rate numbers.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import msgspec
import phonenumbers
from phonenumbers import PhoneMetadata, PhoneNumberDesc

from dialer.domain.words.sentences import Sentence

COUNTRIES_MAX: Final = 250
"""Countries that one account may be limited to."""
SATELLITE_AND_SPECIAL: Final = frozenset({"808", "870", "878", "881", "882", "883", "888", "979"})
"""Calling codes of no country: satellites, ships and aircraft, personal, shared-cost and premium-rate numbers."""
JUDGED_KEPT_MAX: Final = 4_096
"""Cached numbers: the guard asks for the special ones that the engine has asked for."""
_DIRECTORY: Final = r"118\d{2,3}"
"""The pattern of numbers for directory enquiries, which most countries of Europe share."""


class Destinations(msgspec.Struct, frozen=True):
    """The countries and the kinds of phone numbers that an account may call."""

    countries: frozenset[str] = frozenset()
    """ISO 3166 codes of the countries that may be called; empty for all."""
    allows_special: bool = False
    """True if premium-rate, shared-cost and satellite numbers may be called."""

    def allows_country(self, number: str) -> bool:
        """Return whether the country of a number in normal form is allowed.

        Of countries that share a calling code, one that is allowed is enough unless the number tells them apart. A
        number without a country code is in no country.
        """
        if not self.countries:
            return True
        regions = phonenumbers.COUNTRY_CODE_TO_REGION_CODE.get(int(_code_of(number) or 0), ())
        if self.countries.isdisjoint(regions):
            return False
        return len(regions) == 1 or _region_of(number) in self.countries


EVERYWHERE: Final = Destinations()
"""The destinations of an account for which no admin has said anything."""


def read_countries(text: str) -> frozenset[str]:
    """Return the countries in a text, separated by commas or blanks.

    Raises:
        ValueError: it names something else; the argument is the first of these.
    """
    countries = frozenset(text.upper().replace(",", " ").split())
    for country in sorted(countries):
        if country not in phonenumbers.SUPPORTED_REGIONS:
            raise ValueError(country)
    if len(countries) > COUNTRIES_MAX:
        raise ValueError(f"{len(countries)} countries")
    return countries


def read_region(text: str) -> str:
    """Return the ISO 3166 code of the country that a text names by its code, in upper or lower case.

    Raises:
        ValueError: there is no such country; the message says so.
    """
    code = text.strip().upper()
    if code not in phonenumbers.SUPPORTED_REGIONS:
        raise ValueError(
            Sentence("%(country)r is not a country. Enter its ISO 3166 code, such as US.", country=text[:64])
        )
    return code


@lru_cache(maxsize=JUDGED_KEPT_MAX)
def special_digits(number: str) -> int:
    """Return after how many digits a number in normal form is certainly special; 0 for a number that is not.

    Special numbers are premium-rate, shared-cost and satellite numbers. A shorter prefix, such as that of a country,
    does not name them. The engine asks this at every dial, so it makes few calls.
    """
    if number[:1] != "+":
        return 0
    for end in _CODE_ENDS:
        code = number[1:end]
        if code in _CODES:
            break
    else:
        return 0
    if code in SATELLITE_AND_SPECIAL:
        return end - 1
    if code not in _known:
        _known[code] = _patterns(code)
    special, ordinary = _known[code]
    if special.fullmatch(number, end) is not None:
        return end
    # Carriers ignore digits behind a complete number, and some ignore zeros before it.
    begin = len(number) - len(number[end:].lstrip("0"))
    is_ordinary = special.match(number, begin) is None or (ordinary and ordinary.fullmatch(number, end))
    return 0 if is_ordinary else end


_CODES: Final = frozenset(map(str, phonenumbers.COUNTRY_CODE_TO_REGION_CODE))
_CODE_ENDS: Final = (2, 3, 4)
_Pattern: TypeAlias = re.Pattern[str] | None
_known: Final[dict[str, tuple[re.Pattern[str], _Pattern]]] = {}
"""The patterns of each calling code that was asked for."""


def _code_of(number: str) -> str:
    """Return the calling code of a number in normal form; empty for a number without one."""
    codes = [number[1:end] for end in _CODE_ENDS if number[:1] == "+" and number[1:end] in _CODES]
    return codes[0] if codes else ""


class SpecialPatterns(NamedTuple):
    """The patterns of the national part of numbers with a calling code."""

    special: list[str]
    """Those of special numbers. Further digits may follow such a number, as carriers ignore them."""
    short: list[str]
    """Those of special numbers that no further digits follow, else they are the beginning of another number."""
    ordinary: list[str]


def special_patterns(code: str) -> SpecialPatterns:
    """Return the patterns of the national part of special and of ordinary numbers with a calling code."""
    regions = phonenumbers.COUNTRY_CODE_TO_REGION_CODE[int(code)]
    region_metadata = [PhoneMetadata.metadata_for_region_or_calling_code(int(code), region) for region in regions]
    metadata = [kinds for kinds in region_metadata if kinds is not None]
    short = [PhoneMetadata.short_metadata_for_region(region) for region in regions]
    return SpecialPatterns(
        _national([kind for kinds in metadata for kind in (kinds.premium_rate, kinds.shared_cost)]),
        [_DIRECTORY, *_national([kinds.premium_rate for kinds in short if kinds is not None])],
        _national(
            [kind for kinds in metadata for kind in (kinds.fixed_line, kinds.mobile, kinds.voip, kinds.toll_free)]
        ),
    )


def _patterns(code: str) -> tuple[re.Pattern[str], _Pattern]:
    """Return the patterns of special and of ordinary numbers with a calling code, if any."""
    special, short, ordinary = special_patterns(code)
    return (
        _any_of([*special, *(rf"(?:{pattern})\Z" for pattern in short)]),
        _any_of(ordinary) if ordinary else None,
    )


def _national(kinds: Iterable[PhoneNumberDesc | None]) -> list[str]:
    return [kind.national_number_pattern for kind in kinds if kind is not None and kind.national_number_pattern]


def _any_of(patterns: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


def _region_of(number: str) -> str | None:
    """Return the country of a number whose calling code several countries share."""
    try:
        region: str | None = phonenumbers.region_code_for_number(phonenumbers.parse(number))
    except phonenumbers.NumberParseException:
        return None
    return region
