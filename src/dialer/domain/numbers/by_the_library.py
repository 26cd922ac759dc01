"""Numbers as phonenumbers reads them, for those that no table settles."""

import re
from functools import lru_cache
from typing import Final

import phonenumbers
from phonenumbers import PhoneNumberType

from dialer.domain.numbers.older_habits import as_written_today

NUMBER_DIGITS_MIN: Final = 3
NUMBER_DIGITS_MAX: Final = 15
NUMBERS_KEPT_MAX: Final = 4_096
INLAND_DIGITS_MAX: Final = 11
"""Maximum digits of domestic numbers that begin with 011: Buenos Aires, Delhi, Sheffield, Turin, Sapporo."""
_INTERNATIONAL: Final = re.compile(rf"(?:00|011)([1-9][0-9]{{{NUMBER_DIGITS_MIN - 1},{NUMBER_DIGITS_MAX - 1}}})\Z")
"""The international prefix as dialled within a country, and the number after it."""
_PLUS_AND_PREFIX: Final = "+00"
"""A `+` and the prefix that it stands for. No country code begins with 0."""


@lru_cache(maxsize=NUMBERS_KEPT_MAX)
def parse(number: str, region: str | None = None) -> phonenumbers.PhoneNumber | None:
    """Return the parts of a number, which must not be changed; None if no numbering plan has such a number."""
    try:
        return phonenumbers.parse(number, region)
    except phonenumbers.NumberParseException:
        return None


@lru_cache(maxsize=NUMBERS_KEPT_MAX)
def normal_form_of(bare: str, region: str | None) -> str:
    """Return the normal form of a number without punctuation."""
    as_dialled = normal_form_as_dialled(bare, region)
    return f"+{bare}" if region is not None and lacks_plus(bare, as_dialled, region) else as_dialled


def normal_form_as_dialled(bare: str, region: str | None) -> str:
    """Return the normal form of a number without punctuation, if all its digits are dialled within a region."""
    for _ in range(NUMBER_DIGITS_MAX):
        in_e164 = _in_e164(bare, region)
        if in_e164 == bare:
            break
        # The removal of a prefix may reveal another one, and the normal form of a normal form must not differ from it.
        bare, region = in_e164, None
    return bare


def lacks_plus(digits: str, as_dialled: str, region: str) -> bool:
    """Return whether digits are a mobile number of a region with its country code, and lack only the `+`.

    In countries whose numbers have many lengths, such as Germany, the digits are also possible as a number without
    country code, which nobody has. Digits that are a mobile number without country code stay one.
    """
    if not digits.startswith(str(phonenumbers.country_code_for_region(region))):
        return False
    in_full = f"+{digits}"
    return as_dialled != in_full and _is_mobile(in_full) and not _is_mobile(as_dialled)


def with_plus(bare: str) -> str | None:
    """Return a number with `+` in place of 00 or 011; None if it has neither, or if no country code follows."""
    match = _INTERNATIONAL.match(bare)
    if match is None:
        return None
    return f"+{match[1]}" if parse(f"+{match[1]}") is not None else None


def _is_possible(number: str) -> bool:
    parsed = parse(number)
    return parsed is not None and phonenumbers.is_possible_number(parsed)


def _is_mobile(number: str) -> bool:
    parsed = parse(number)
    return parsed is not None and phonenumbers.number_type(parsed) == PhoneNumberType.MOBILE


def _in_e164(bare: str, region: str | None) -> str:
    """Return a number in E.164, or unchanged if no numbering plan has such a number."""
    if bare.startswith("0"):
        international = with_plus(bare)
        if international is not None and not _is_possible_inland(bare, international, region):
            return international
    if bare.startswith(_PLUS_AND_PREFIX):
        return with_plus(bare.removeprefix("+")) or bare
    if region is None and not bare.startswith("+"):
        return bare
    parsed = parse(bare, region)
    if parsed is None:
        return bare
    international = phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164)
    return as_written_today(international) if len(international) <= NUMBER_DIGITS_MAX + 1 else bare


def _is_possible_inland(bare: str, international: str, region: str | None) -> bool:
    """Return whether digits that begin with 00 or 011 can be a domestic number of a region (None: of any region).

    011 begins numbers of Buenos Aires, too. Without a region it stands for `+` if that makes a possible number.
    """
    if region is None:
        return bare.startswith("011") and (len(bare) <= INLAND_DIGITS_MAX or not _is_possible(international))
    parsed = parse(bare, region)
    if parsed is None:
        return False
    # A number without its area code is possible only where it is dialled without the country code.
    return phonenumbers.is_possible_number_with_reason(parsed) == phonenumbers.ValidationResult.IS_POSSIBLE
