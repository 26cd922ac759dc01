"""Countries as cells of a list name them: in words, by an ISO 3166 code, or by a calling code."""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Final

import phonenumbers

NAME_MAX: Final = 64
"""Maximum characters of a cell that names a country."""
_LANGUAGES: Final = ("en", "de", "es", "fr", "pt", "it", "nl")
_FURTHER: Final = {
    "uk": "GB",
    "usa": "US",
    "gbr": "GB",
    "deu": "DE",
    "aut": "AT",
    "che": "CH",
    "fra": "FR",
    "esp": "ES",
    "mex": "MX",
    "prt": "PT",
    "bra": "BR",
    "ita": "IT",
    "nld": "NL",
    "ind": "IN",
    "england": "GB",
    "scotland": "GB",
    "wales": "GB",
    "great britain": "GB",
    "united states of america": "US",
    "holland": "NL",
    "russian federation": "RU",
    "korea": "KR",
    "turkey": "TR",
    "czech republic": "CZ",
}
"""Usual names that the tables of the library do not have, or not in this form."""
_CALLING_CODE: Final = re.compile(r"(?:\+|00|011)?([1-9][0-9]{0,2})(?:\.0)?\Z")


def plain_word(name: str) -> str:
    """Return a name in lower case, without accents and punctuation."""
    folded = unicodedata.normalize("NFKD", name.casefold().replace("\u00df", "ss"))
    kept = "".join(mark for mark in folded if not unicodedata.combining(mark))
    return " ".join("".join(mark if mark.isalnum() else " " for mark in kept).split())


def region_in(cell: str) -> str | None:
    """Return the ISO 3166 code of the country that a cell names; None if it names none.

    A calling code that countries share, such as 1, stands for the largest of them. The numbering plans of the
    others are the same.
    """
    return _region_in(cell.strip()) if len(cell) <= NAME_MAX else None


@cache
def _names() -> Mapping[str, str]:
    from babel import Locale  # noqa: PLC0415 - it takes 70 ms, which a start need not wait for

    names: dict[str, str] = {}
    for language in reversed(_LANGUAGES):
        territories = Locale.parse(language).territories
        known = ((code, name) for code, name in territories.items() if code in phonenumbers.SUPPORTED_REGIONS)
        names |= {plain_word(name): code for code, name in known}
    return {**names, **_FURTHER, **{code.casefold(): code for code in phonenumbers.SUPPORTED_REGIONS}}


def _region_in(cell: str) -> str | None:
    code = _CALLING_CODE.match(re.sub(r"[\s()-]", "", cell))
    if code is not None:
        region = str(phonenumbers.region_code_for_country_code(int(code[1])))
        return None if region in {"ZZ", phonenumbers.REGION_CODE_FOR_NON_GEO_ENTITY} else region
    return _names().get(plain_word(cell))
