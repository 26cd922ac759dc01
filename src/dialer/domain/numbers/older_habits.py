"""Numbers as people still write them after their country has changed its plan, or with digits for one way of dialling.

The rules of phonenumbers leave these as they are. By the plans that the ITU publishes (E.129), Mexico dials ten digits
since 2019-08-03, without 1, 01, 044 and 045. Argentina writes 9 before the area code of a mobile number, or 15 behind
it, and not both. Brazil writes 0 and the code of a carrier before the area code, within the country only.
"""

import re
from typing import Final

import phonenumbers

_AREA_CODE_LENGTHS: Final = (2, 3, 4)
"""Lengths of Argentine area codes: with the subscriber's number they have ten digits."""
_MOBILE_IN_ARGENTINA: Final = "15"
_MEXICO: Final = re.compile(r"\+52(?:1|01|044|045)([1-9][0-9]{9})")
_ARGENTINA: Final = re.compile(r"\+549([0-9]{12})")
_BRAZIL: Final = re.compile(r"\+550[1-9][0-9]([1-9][0-9]{9,10})")


def is_older(start: str, length: int) -> bool:
    """Return whether numbers of a length that begin with a start, such as `+521`, may be in an older form."""
    country = start[:3]
    if country == "+52":
        return length > len("+525512345678")
    return country == "+54" and start[3:4] in {"", "9"} and length == len("+549") + 12


def as_written_today(number: str) -> str:
    """Return a number with a country code in the form that its country has today."""
    mexican = _MEXICO.fullmatch(number)
    if mexican is not None:
        return f"+52{mexican[1]}"
    argentine = _ARGENTINA.fullmatch(number)
    return number if argentine is None else _argentine(number, argentine[1])


def without_carrier(number: str) -> str:
    """Return a Brazilian number without the carrier's code, which makes it longer than any number."""
    brazilian = _BRAZIL.fullmatch(number)
    return number if brazilian is None else f"+55{brazilian[1]}"


def _argentine(number: str, digits: str) -> str:
    for length in _AREA_CODE_LENGTHS:
        area, rest = digits[:length], digits[length:]
        mended = f"+549{area}{rest.removeprefix(_MOBILE_IN_ARGENTINA)}"
        if rest.startswith(_MOBILE_IN_ARGENTINA) and phonenumbers.is_valid_number(phonenumbers.parse(mended)):
            return mended
    return number
