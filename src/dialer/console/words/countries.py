"""The names of countries in the viewer's language, by their ISO 3166 codes."""

import unicodedata
from collections.abc import Mapping
from functools import cache
from typing import Final

import phonenumbers

from dialer.console.words.language import gettext, gettext_noop, viewers_language
from dialer.domain.words.languages import ENGLISH
from dialer.time_zone_rules import read_table

_ALL: Final = gettext_noop("All countries")
_BESIDES: Final = {"AC": "Ascension Island", "TA": "Tristan da Cunha", "XK": "Kosovo"}
"""Countries with numbers that ISO 3166 does not name."""


def country_names() -> Mapping[str, str]:
    """Return the names of all countries that have numbers, in the order of the names."""
    return _names_in(viewers_language().code)


@cache
def _names_in(language: str) -> Mapping[str, str]:
    named = _BESIDES | {code: name.strip() for code, name in read_table("iso3166.tab")}
    if language != ENGLISH:
        from babel import Locale  # noqa: PLC0415 - it takes 70 ms, which a start need not wait for

        named |= Locale.parse(language).territories
    names = {code: named.get(code, code) for code in phonenumbers.SUPPORTED_REGIONS}
    return dict(sorted(names.items(), key=lambda code_and_name: _without_accents(code_and_name[1])))


def countries_in_words(codes: str) -> str:
    """Return the names of the countries in a list of codes, which allows all countries if it is empty."""
    chosen = codes.replace(",", " ").split()
    names = [name for code, name in country_names().items() if code in chosen]
    return ", ".join([*names, *(code for code in chosen if code not in country_names())]) or gettext(_ALL)


def _without_accents(name: str) -> str:
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()
