"""Forms of a number on do-not-call lists: an entry without a country counts for the people of every country.

A list often has national numbers, and nobody said of which country. Such an entry, `030 2300074`, stops calls to each
number whose national part it is. So it need not be known of which country it was, now or later.
"""

from collections.abc import Collection
from functools import lru_cache
from typing import Final

import phonenumbers

from dialer.domain.numbers.by_the_library import NUMBERS_KEPT_MAX, parse

LISTED_DIGITS_MIN: Final = 6
"""Minimum digits of an entry that is matched without its country. Fewer may have any meaning."""
WITHOUT_COUNTRY: Final = ","
"""The character behind `+`: numbers from here on, in the order of code points, have no country code."""
_OLDER_MOBILE: Final = {52: "1"}
"""Digits between the country code and the number that people still write: +52 1 of Mexico."""


def has_no_country(number: str) -> bool:
    """Return whether the number of an entry is digits without a country code. The hash of an erased one is not."""
    return number >= WITHOUT_COUNTRY


@lru_cache(maxsize=NUMBERS_KEPT_MAX)
def listed_forms(number: str) -> tuple[str, ...]:
    """Return the forms of entries that stop calls to a number in normal form: itself, and those without its country."""
    bare = number.lstrip("0")
    forms = _national_forms(number) if number.startswith("+") else (bare, f"0{bare}")
    # Entries with fewer digits may be national numbers of other people, or extensions.
    return tuple(dict.fromkeys([number, *(form for form in forms if len(form) >= LISTED_DIGITS_MIN)]))


def is_listed(number: str, listed: Collection[str]) -> bool:
    """Return whether a number, or a form of it, is among the numbers of a list."""
    return any(form in listed for form in listed_forms(number))


def _national_forms(number: str) -> tuple[str, ...]:
    parsed = parse(number)
    if parsed is None or parsed.country_code is None:
        return (number.removeprefix("+"),)
    code, own = str(parsed.country_code), str(phonenumbers.national_significant_number(parsed))
    region = phonenumbers.region_code_for_country_code(parsed.country_code)
    trunk = phonenumbers.ndd_prefix_for_region(region, True) or ""  # noqa: FBT003 - the library takes it by place
    dialled = phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.NATIONAL)
    inland = "".join(filter(str.isdigit, dialled))
    older = _OLDER_MOBILE.get(parsed.country_code)
    with_older = (f"{older}{own}", f"{code}{older}{own}") if older else ()
    return own, own.lstrip("0"), f"{trunk}{own}", f"0{own}", inland, inland.lstrip("0"), f"{code}{own}", *with_older
