"""Forms of a number on do-not-call lists: an entry without a country counts for the people of every country.

A list often has national numbers, and nobody said of which country. Such an entry, `030 2300074`, stops calls to each
number whose national part it is. So it need not be known of which country it was, now or later.

The reverse holds as well: an entry with a country stops calls to the same number that is written without one.
"""

from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from typing import Final

import phonenumbers
from phonenumbers import PhoneMetadata

from dialer.domain.numbers.by_the_library import NUMBERS_KEPT_MAX, parse
from dialer.domain.numbers.digit_patterns import UnknownPatternError
from dialer.domain.numbers.lost_zeros import ZERO_IS_PART
from dialer.domain.numbers.numbering_plans import LENGTH_MAX, Start, is_assigned, split
from dialer.domain.numbers.older_habits import as_written_today

LISTED_DIGITS_MIN: Final = 6
"""Minimum digits of an entry that is matched without its country. Fewer may have any meaning."""
WITHOUT_COUNTRY: Final = ","
"""The character behind `+`: numbers from here on, in the order of code points, have no country code."""
_MOBILE_IN_ARGENTINA: Final = "+549"
"""The begin of Argentine mobile numbers, which within the country have a 15 behind the area code instead."""
_OLDER_MOBILE: Final = {52: "1"}
"""Digits between the country code and the number that people still write: +52 1 of Mexico."""


def has_no_country(number: str) -> bool:
    """Return whether the number of an entry is digits without a country code. The hash of an erased one is not."""
    return number >= WITHOUT_COUNTRY


@lru_cache(maxsize=NUMBERS_KEPT_MAX)
def listed_forms(number: str) -> tuple[str, ...]:
    """Return the forms of entries that stop calls to a number in normal form, the number itself included.

    For a number with a country these are its forms without it, else the numbers of all countries that it may be.
    """
    bare = number.lstrip("0")
    forms = _national_forms(number) if number.startswith("+") else (bare, f"0{bare}", *_international_forms(number))
    # Entries with fewer digits may be national numbers of other people, or extensions.
    return tuple(dict.fromkeys([number, *(form for form in forms if len(form) >= LISTED_DIGITS_MIN)]))


def is_listed(number: str, listed: Collection[str]) -> bool:
    """Return whether a number, or a form of it, is among the numbers of a list."""
    return any(form in listed for form in listed_forms(number))


def _international_forms(number: str) -> Iterator[str]:
    """Yield the numbers that somebody can have of which a number without a country may be the national part."""
    bare = number.lstrip("0")
    if not LISTED_DIGITS_MIN <= len(bare) < LENGTH_MAX or not (bare.isascii() and bare.isdigit()):
        return
    in_full = split(f"+{bare}", len(bare) + 1)
    if in_full is not None:
        code, numbers = in_full
        yield from _of_country(code, numbers.digits)
    for code in phonenumbers.COUNTRY_CODE_TO_REGION_CODE:
        yield from _of_country(code, bare)
        for prefix in _prefixes_of(code):
            if number.startswith(prefix):
                # In Belarus a zero follows the prefix.
                yield from _of_country(code, number.removeprefix(prefix).lstrip("0"))
    in_argentina = f"{_MOBILE_IN_ARGENTINA}{bare}"
    if as_written_today(in_argentina) != in_argentina:
        yield as_written_today(in_argentina)


def _of_country(country_code: int, digits: str) -> Iterator[str]:
    """Yield the numbers of a country with some digits, also with a 0 or without older digits before them."""
    older = _OLDER_MOBILE.get(country_code)
    zero = (f"0{digits}",) if country_code in ZERO_IS_PART else ()
    for own in (digits, *zero, *([digits.removeprefix(older)] if older and digits.startswith(older) else [])):
        if own and _is_somebodys(country_code, own):
            yield f"+{country_code}{own}"


def _is_somebodys(country_code: int, own: str) -> bool:
    if len(own) not in _lengths_of(country_code):  # That is quickly seen, and so of most countries.
        return False
    try:
        return is_assigned(country_code, Start(own, len(own))) is not False
    except UnknownPatternError:  # In doubt, it may be.
        return True


@cache
def _lengths_of(country_code: int) -> frozenset[int]:
    """Return the digits that national numbers of a country code can have."""
    regions = phonenumbers.COUNTRY_CODE_TO_REGION_CODE[country_code]
    plans = [PhoneMetadata.metadata_for_region_or_calling_code(country_code, region) for region in regions]
    return frozenset(
        digits for plan in plans if plan and plan.general_desc for digits in plan.general_desc.possible_length
    )


@cache
def _prefixes_of(country_code: int) -> frozenset[str]:
    """Return the digits before a number within its country, where that is not only 0, also with a lost 0."""
    prefix = _trunk_of(country_code)
    return frozenset({prefix, prefix.lstrip("0")} - {"", "0"})


@cache
def _trunk_of(country_code: int) -> str:
    region = phonenumbers.region_code_for_country_code(country_code)
    return phonenumbers.ndd_prefix_for_region(region, True) or ""  # noqa: FBT003 - the library takes it by place


def _national_forms(number: str) -> tuple[str, ...]:
    parsed = parse(number)
    if parsed is None or parsed.country_code is None:
        return (number.removeprefix("+"),)
    code, own = str(parsed.country_code), str(phonenumbers.national_significant_number(parsed))
    trunk = _trunk_of(parsed.country_code)
    dialled = phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.NATIONAL)
    inland = "".join(filter(str.isdigit, dialled))
    older = _OLDER_MOBILE.get(parsed.country_code)
    with_older = (f"{older}{own}", f"{code}{older}{own}") if older else ()
    return own, own.lstrip("0"), f"{trunk}{own}", f"0{own}", inland, inland.lstrip("0"), f"{code}{own}", *with_older
