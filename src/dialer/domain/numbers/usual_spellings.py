"""Usual spellings of phone numbers beside plain digits and punctuation, as people and spreadsheets write them."""

import re
import unicodedata
from typing import Final

from dialer.domain.numbers.number_labels import without_labels
from dialer.domain.numbers.spreadsheet_numbers import without_decimals

MEANT_DIGITS_MIN: Final = 6
"""Minimum digits on both sides of a slash that separates two whole numbers."""
TAIL_DIGITS_MAX: Final = 3
"""Maximum digits after a slash that are an extension, and not the rest of the number."""
_QUOTES: Final = "'\"`\u00b4\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u00ab\u00bb\u2032\u2033"
_SEPARATED: Final = re.compile(r"[,;|&\n]|:::")
_SLASH: Final = re.compile(r"[/\\\u2044\u2215]")
_SHORTENED: Final = re.compile(r"\+?[0-9](?:[.,][0-9]+)?[eE]\+?[0-9]{1,2}")
_EXTENSION: Final = re.compile(
    r".*[0-9)][\s,;.\-/]*(?:ext(?:ension|n)?|x|durchwahl|dw|poste|ramal|anexo|interno?|int)\s*[.:=]?\s*[0-9]{1,6}"
    r"|.*[0-9][\s,;]*#\s*[0-9]{1,6}"
    r"|.*[0-9)]\s*(?:[,;]+|[pw][,;pw]*)\s*[0-9*#]{1,5}[,;*#pw]*",
    re.IGNORECASE | re.DOTALL,
)
"""Extensions, in words or behind the signs with which a phone waits before it sends tones."""
_CARRIER_UNKNOWN: Final = re.compile(r"\A\(?\s*0\s*(?:xx|XX)\s*\)?\s*\(?\s*(?=[0-9])")
"""The place of the carrier in Brazilian numbers, which callers fill in: `0xx11 3333-4444`."""
_PLUS_AT_END: Final = re.compile(r"[0-9][0-9 .\-()/]{6,}\+")
"""A number among texts that run from right to left."""
_SIGNS: Final = {
    "\N{MINUS SIGN}": "-",
    "\N{ARABIC DECIMAL SEPARATOR}": ".",
    "\N{ARABIC COMMA}": ",",
    "\N{IDEOGRAPHIC COMMA}": ",",
    "\N{ARABIC SEMICOLON}": ";",
    "\N{FRACTION SLASH}": "/",
    "\N{HEAVY PLUS SIGN}": "+",
}


def plain_spelling(text: str) -> str:
    """Return a number in ASCII digits and punctuation, as far as its spelling is a usual one.

    Digits of all scripts, and dashes and blanks of all kinds, become those of ASCII. Quotes around the number, a label
    such as `tel:`, a remark in brackets, decimals of a spreadsheet, slashes and invisible characters are removed.
    Everything else stays.
    """
    plain = folded(text).strip(" ").removeprefix("=").strip(_QUOTES + " ")
    plain = _CARRIER_UNKNOWN.sub("0", without_decimals(without_labels(plain)), count=1)
    plain = f"+{plain[:-1]}" if _PLUS_AT_END.fullmatch(plain) else plain
    return plain if has_second_number(plain) else _SLASH.sub(" ", plain)


def folded(text: str) -> str:
    """Return a text with the digits, dashes and blanks of ASCII in place of those of other scripts."""
    return text if text.isascii() else "".join(map(_plain_character, unicodedata.normalize("NFKC", text)))


def has_second_number(text: str) -> bool:
    """Return whether a text has two numbers, or a number and the end of another one behind a slash."""
    if sum(_digits(part) >= MEANT_DIGITS_MIN for part in _SEPARATED.split(text)) > 1:
        return True
    first, *others = _SLASH.split(text)
    before = _digits(first)
    for place, part in enumerate(others, 1):
        after, start = _digits(part), part.lstrip(" (")[:1]
        if before >= MEANT_DIGITS_MIN and start in {"0", "+"} and after >= MEANT_DIGITS_MIN:
            return True
        if place == len(others) and before > MEANT_DIGITS_MIN and 0 < after <= TAIL_DIGITS_MAX:
            return True
        before += after
    return False


def is_shortened(text: str) -> bool:
    """Return whether a spreadsheet wrote a long number in short, such as `4.91701E+11`, and so lost its last digits."""
    return _SHORTENED.fullmatch(folded(text).strip(_QUOTES + " ")) is not None


def has_extension(text: str) -> bool:
    """Return whether a number has an extension behind it, such as `ext. 12`."""
    return _EXTENSION.fullmatch(folded(text).strip(_QUOTES + " ")) is not None


def _plain_character(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Nd":  # NFKC leaves Arabic, Persian and Indian digits as they are.
        return str(unicodedata.digit(character))
    if category == "Zs":
        return " "
    if category == "Pd":
        return "-"
    return "" if category == "Cf" else _SIGNS.get(character, character)


def _digits(text: str) -> int:
    return sum(map(str.isdigit, text))
