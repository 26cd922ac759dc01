"""Numbers that a spreadsheet took for amounts: with decimals, or with separators between thousands."""

import re
from typing import Final

DECIMALS: Final = (".0", ",0")
"""The decimals that a spreadsheet writes, by their first characters. A text with neither has none."""
_WITH_DECIMALS: Final = re.compile(r"[\s'\"=]*(\+?[0-9]{3,15})[.,]0{1,2}[\s'\"]*")
"""More zeros may be the last digits of a number, as in `202555.0000`."""
_IN_THOUSANDS: Final = re.compile(
    r"[\s'\"=]*(\+?[0-9]{1,3}(?:(?:,[0-9]{3}){2,4}(?:\.0{1,2})?|(?:\.[0-9]{3}){2,4},0{1,2}"
    r"|(?: [0-9]{3}){2,4}[.,]0{1,2}|(?:['\u2019][0-9]{3}){2,4}(?:[.,]0{1,2})?))[\s'\"]*"
)
_ENDING: Final = re.compile(r"[.,]0{1,2}\Z")
_BETWEEN: Final = re.compile(r"[., '\u2019]")


def without_decimals(text: str) -> str:
    """Return a number without the decimals, or the separators of thousands, of an amount; else the text unchanged."""
    amount = _WITH_DECIMALS.fullmatch(text)
    if amount is not None:
        return amount[1]
    amount = _IN_THOUSANDS.fullmatch(text)
    return text if amount is None else _BETWEEN.sub("", _ENDING.sub("", amount[1]))
