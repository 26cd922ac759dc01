"""Numbers in full whose `+` a spreadsheet has taken, such as `491701234567` for `+491701234567`."""

from typing import Final

import phonenumbers
from phonenumbers import PhoneNumberType

from dialer.domain.numbers.normal_form import normalise, parse

_MOBILE: Final = PhoneNumberType.MOBILE


def has_lost_plus(digits: str, region: str | None) -> bool:
    """Return whether digits are a mobile number of a region with its country code, and lack only the `+`.

    In countries whose numbers have many lengths, such as Germany, the digits are also possible as a number without
    country code, which nobody has. Digits that are a mobile number without country code stay one.
    """
    if not region or not (digits.isascii() and digits.isdigit()):
        return False
    if not digits.startswith(str(phonenumbers.country_code_for_region(region))):
        return False
    in_full = f"+{digits}"
    as_dialled = normalise(digits, region)
    return as_dialled != in_full and _is_mobile(in_full) and not _is_mobile(as_dialled)


def _is_mobile(number: str) -> bool:
    parsed = parse(number)
    return parsed is not None and phonenumbers.number_type(parsed) == _MOBILE
