"""Emergency numbers of all regions, which are never dialled.

The numbers come from the short-number metadata of phonenumbers. An emergency number of one region counts in all
regions, because a carrier may connect the call to any emergency service.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

import phonenumbers
from phonenumbers.shortnumberinfo import SUPPORTED_SHORT_REGIONS

from dialer.domain.numbers.agent_contacts import is_extension
from dialer.domain.numbers.normal_form import NUMBER_INPUT_MAX, NumberError, NumberProblem, normalise
from dialer.domain.numbers.spreadsheet_numbers import without_decimals
from dialer.domain.words.sentences import Sentence

CRISIS_LINES: Final = {"988": frozenset({1})}
"""Crisis lines, and the country codes in which they exist. 988: 47 CFR 52.200."""
EVERYWHERE: Final = frozenset({"112", "911"})
"""Emergency numbers that phones know in every country (3GPP TS 22.101, section 10.1.1)."""
_SHORT_DIGITS_MAX: Final = 6
_COUNTRY_DIGITS_MAX: Final = 3
_TRUNK_DIGITS_MAX: Final = 1
"""The zero that some people write after the country code."""
EMERGENCY_DIGITS_MAX: Final = _COUNTRY_DIGITS_MAX + _TRUNK_DIGITS_MAX + _SHORT_DIGITS_MAX
"""Maximum digits of an emergency number with its country code, without leading zeros."""
_BARE_DIGITS_MIN: Final = 3
"""Minimum digits of an emergency number that is recognised after a country code without its `+`."""
_EXIT_CODE: Final = "011"
_KEPT_MAX: Final = 4_096


def is_emergency(number: str) -> bool:
    """Return whether a text of digits with an optional `+` is an emergency number.

    Leading zeros, 011, or a country code do not change that. A number that is valid in the numbering plan of its
    country code is not an emergency number. For example, +35890000 is a Finnish number, although 90000 is an emergency
    number in Sweden.
    """
    return digits_behind_prefixes(number) <= EMERGENCY_DIGITS_MAX and _is_emergency(number)


def digits_behind_prefixes(number: str) -> int:
    """Return the number of digits after a number's `+`, leading zeros or 011.

    A long number cannot be an emergency number.
    """
    return len(number.removeprefix(_EXIT_CODE).lstrip("+0"))


def spells_emergency(text: str, region: str | None) -> bool:
    """Return whether a text is an emergency number, in any script's digits and with any punctuation."""
    plain = without_decimals(unicodedata.normalize("NFKC", text[: NUMBER_INPUT_MAX + 1]))
    number = text
    if not any(map(str.isalpha, plain)):
        number = "".join("+" if mark == "+" else str(unicodedata.decimal(mark, "")) for mark in plain)
        if is_emergency(number):
            return True
    try:
        return is_emergency(normalise(number, region))
    except NumberError:
        return False


def is_emergency_contact(contact: str, region: str | None) -> bool:
    """Return whether an agent's contact is an emergency number.

    A contact of 2 to 6 bare digits is an extension. Only 112, 911 and the emergency numbers of `region`, the
    country of the account, are taken for emergency numbers then, behind any zeros too.
    """
    bare = contact.strip()
    if not is_extension(bare):
        return spells_emergency(contact, region)
    return any(digits in EVERYWHERE or _is_short_in(digits, region) for digits in _without_prefixes(bare))


def _is_short_in(digits: str, region: str | None) -> bool:
    """Return whether the digits are an emergency number of a region, as dialled there."""
    if region is None:
        return False
    is_crisis_line = phonenumbers.country_code_for_region(region) in CRISIS_LINES.get(digits, ())
    return is_crisis_line or re.fullmatch(_pattern(region), digits) is not None


def emergency_error(number: str) -> NumberError:
    """Return the error for an emergency number that a client wants to have dialled."""
    message = Sentence(
        "%(number)r is an emergency number. Enter a number that may be called.", number=number[:NUMBER_INPUT_MAX]
    )
    return NumberError(NumberProblem.EMERGENCY, message)


@lru_cache(maxsize=_KEPT_MAX)
def _is_emergency(number: str) -> bool:
    digits = number.removeprefix("+")
    if not (digits.isascii() and digits.isdigit()):
        return False
    spellings = list(_without_prefixes(digits))
    if digits == number:
        is_short = any(map(_is_short, spellings)) or any(map(_is_short_abroad, spellings))
        return is_short or (digits.startswith(_EXIT_CODE) and _is_emergency(f"+{digits.removeprefix(_EXIT_CODE)}"))
    _, national = _split(digits)
    return any(map(_is_short, (*spellings, *_without_prefixes(national)))) and not _is_valid(number)


def _without_prefixes(digits: str) -> Iterator[str]:
    """Yield the digits after removal of 0, 1, … and all leading zeros, and after removal of a leading 011."""
    for start in range(len(digits) - len(digits.lstrip("0")) + 1):
        yield digits[start:]
    if digits.startswith(_EXIT_CODE):
        yield digits.removeprefix(_EXIT_CODE)


def _split(digits: str) -> tuple[int, str]:
    """Return the country code at the start of the digits, and the rest; 0 and an empty text if there is none."""
    for end in range(1, _COUNTRY_DIGITS_MAX + 1):
        country_code = int(digits[:end] or "0")
        if country_code in phonenumbers.COUNTRY_CODE_TO_REGION_CODE:
            return country_code, digits[end:]
    return 0, ""


def _is_valid(number: str) -> bool:
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(number))
    except phonenumbers.NumberParseException:
        return False


def _is_short(digits: str) -> bool:
    """Return whether the digits are an emergency number of any region, as dialled there."""
    if len(digits) > _SHORT_DIGITS_MAX:
        return False
    return digits in CRISIS_LINES or _pattern_of_all_regions().fullmatch(digits) is not None


def _is_short_abroad(digits: str) -> bool:
    """Return whether the digits are a country code and an emergency number of that country."""
    country_code, national = _split(digits)
    if len(national) < _BARE_DIGITS_MIN or not _is_short(national):
        return False
    if country_code in CRISIS_LINES.get(national, ()):
        return True
    patterns = map(_pattern, phonenumbers.COUNTRY_CODE_TO_REGION_CODE[country_code])
    return any(re.fullmatch(pattern, national) for pattern in patterns if pattern)


@cache
def _pattern_of_all_regions() -> re.Pattern[str]:
    patterns = {_pattern(region) for region in SUPPORTED_SHORT_REGIONS}
    return re.compile("|".join(f"(?:{pattern})" for pattern in sorted(patterns) if pattern))


def _pattern(region: str) -> str:
    """Return the pattern of a region's emergency numbers; empty if none are known."""
    metadata = phonenumbers.PhoneMetadata.short_metadata_for_region(region)
    emergency = None if metadata is None else metadata.emergency
    return (emergency.national_number_pattern or "") if emergency is not None else ""
