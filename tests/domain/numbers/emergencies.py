"""Emergency numbers of every region, by the metadata of phonenumbers, in many spellings."""

import re
from collections.abc import Iterator
from typing import Final

import phonenumbers
from hypothesis import strategies as st
from phonenumbers import PhoneMetadata
from phonenumbers.shortnumberinfo import SUPPORTED_SHORT_REGIONS

REGIONS: Final = sorted(SUPPORTED_SHORT_REGIONS)
_SEPARATORS: Final = ("", " ", "-", ".", ")", " (")
_FULL_WIDTH: Final = str.maketrans("0123456789", "\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19")


def _pattern(region: str) -> str | None:
    metadata = PhoneMetadata.short_metadata_for_region(region)
    emergency = None if metadata is None else metadata.emergency
    return None if emergency is None else emergency.national_number_pattern


PATTERNS: Final = {region: pattern for region in REGIONS if (pattern := _pattern(region))}


def numbers_of(region: str) -> Iterator[str]:
    """Yield all emergency numbers of a region with at most four digits."""
    for length in range(2, 5):
        every = (str(number).zfill(length) for number in range(10**length))
        yield from (number for number in every if re.fullmatch(PATTERNS[region], number))


@st.composite
def emergency_spellings(draw: st.DrawFn) -> str:
    """Draw an emergency number of any region, bare, after zeros, or in international form.

    None begins with 011, or with 00 and a country code, because some regions have ordinary numbers of that length.
    """
    region = draw(st.sampled_from(sorted(PATTERNS)))
    number = draw(st.from_regex(PATTERNS[region], fullmatch=True, alphabet="0123456789"))
    country_code = phonenumbers.country_code_for_region(region)
    prefixes = ["", "+", "0", "00", f"+{country_code}", f"+{country_code}0"]
    return spread(draw, draw(st.sampled_from(prefixes)) + number)


@st.composite
def emergency_spellings_abroad(draw: st.DrawFn) -> str:
    """Draw an emergency number of any region after 00 or 011, with or without its country code."""
    region = draw(st.sampled_from(sorted(PATTERNS)))
    number = draw(st.from_regex(PATTERNS[region], fullmatch=True, alphabet="0123456789"))
    country_code = draw(st.sampled_from(["", str(phonenumbers.country_code_for_region(region))]))
    return spread(draw, f"{draw(st.sampled_from(['00', '011']))}{country_code}{number}")


def spread(draw: st.DrawFn, digits: str) -> str:
    """Draw a spelling of digits with punctuation, and perhaps of full width."""
    separated = draw(st.sampled_from(_SEPARATORS)).join(digits)
    return separated.translate(_FULL_WIDTH) if draw(st.booleans()) else separated
