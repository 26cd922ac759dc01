"""The 0 before a number: where it belongs to the number, and numbers that have lost it."""

from typing import Final

import phonenumbers

from dialer.domain.numbers.numbering_plans import Start, is_assigned, split

ZERO_IS_PART: Final = frozenset({39, 225, 229, 241, 242, 378})
"""Country codes whose fixed or mobile numbers keep their 0: Italy, Ivory Coast, Benin, Gabon, Congo, San Marino.

Their regulators' plans say so, as the ITU publishes them (E.129): Italy since 1998, Congo since 2007, Gabon since 2019,
the Ivory Coast since 2021-01-31, Benin since 2024-11-30.
"""


def with_lost_zero(number: str) -> str:
    """Return a number with the leading 0 that it has lost; empty if that is no possible number.

    Spreadsheets remove the 0 of a number, and people leave it out behind `+` as in other countries.
    """
    parts = split(number, len(number)) if number[:1] == "+" else None
    if parts is None or parts[0] not in ZERO_IS_PART:
        return ""
    country_code, national = parts
    if is_assigned(country_code, national) is not False or national.digits.startswith("0"):
        return ""
    is_right = is_assigned(country_code, Start(f"0{national.digits}", national.length + 1))
    return f"+{country_code}0{national.digits}" if is_right else ""


def keeps_zero(region: str) -> bool:
    """Return whether the 0 before a number belongs to it in a country."""
    return region in phonenumbers.SUPPORTED_REGIONS and phonenumbers.country_code_for_region(region) in ZERO_IS_PART
