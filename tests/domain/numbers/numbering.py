"""Valid and invalid numbers of every country, by the metadata of phonenumbers."""

from collections.abc import Iterator
from typing import Final

import phonenumbers
from hypothesis import strategies as st
from phonenumbers import PhoneMetadata, PhoneNumberDesc

_KINDS: Final = (
    "general_desc",
    "fixed_line",
    "mobile",
    "toll_free",
    "premium_rate",
    "shared_cost",
    "personal_number",
    "voip",
    "pager",
    "uan",
    "voicemail",
)
_COUNTRY_CODES: Final = sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE)
_PLANS: Final = [
    (country_code, region)
    for country_code in _COUNTRY_CODES
    for region in phonenumbers.COUNTRY_CODE_TO_REGION_CODE[country_code]
]
_DIGITS: Final = st.text("0123456789", min_size=1, max_size=14)


def _kinds(country_code: int, region: str) -> list[PhoneNumberDesc]:
    """Return the kinds of numbers of a numbering plan."""
    metadata = PhoneMetadata.metadata_for_region_or_calling_code(country_code, region)
    kinds = [getattr(metadata, kind) for kind in _KINDS]
    return [kind for kind in kinds if kind is not None and kind.national_number_pattern not in {None, "NA"}]


def examples() -> Iterator[str]:
    """Yield one number of every kind of every plan, and numbers that differ a little from it."""
    for country_code, region in _PLANS:
        for kind in _kinds(country_code, region):
            if kind.example_number:
                known = f"+{country_code}{kind.example_number}"
                yield from (known, known[:-1], f"{known}7", f"+{country_code}0{kind.example_number}")


def parsed_by_the_library(number: str) -> phonenumbers.PhoneNumber | None:
    """Parse a number with the library; None if it is unknown."""
    try:
        return phonenumbers.parse(number)
    except phonenumbers.NumberParseException:
        return None


@st.composite
def numbers_of(draw: st.DrawFn, country_code: int, region: str) -> str:
    """Draw the national part of a number: random digits, or one of a numbering plan with other digits at its end."""
    if draw(st.booleans()):
        return draw(_DIGITS)
    pattern = draw(st.sampled_from([kind.national_number_pattern for kind in _kinds(country_code, region)]))
    national = draw(st.from_regex(pattern or "", fullmatch=True, alphabet="0123456789"))
    return national[: draw(st.integers(1, len(national)))] + draw(st.text("0123456789", max_size=8))


@st.composite
def numbers(draw: st.DrawFn) -> str:
    """Draw a number in international form: random digits, or a number of a numbering plan."""
    country_code, region = draw(st.sampled_from(_PLANS))
    return f"+{country_code}{draw(numbers_of(country_code, region))}"


@st.composite
def inland_numbers(draw: st.DrawFn) -> tuple[str, str]:
    """Draw a number as it is dialled within a region, rightly or wrongly, and the region."""
    country_code, region = draw(st.sampled_from(_PLANS))
    national = draw(numbers_of(country_code, region))
    metadata = PhoneMetadata.metadata_for_region_or_calling_code(country_code, region)
    prefix = (metadata and metadata.national_prefix) or "0"
    return draw(st.sampled_from(["", prefix, str(country_code)])) + national, region


def inland_examples() -> Iterator[tuple[str, str]]:
    """Yield the examples of every plan as they are dialled within its region, and the region."""
    for country_code, region in _PLANS:
        metadata = PhoneMetadata.metadata_for_region_or_calling_code(country_code, region)
        prefix = (metadata and metadata.national_prefix) or "0"
        for kind in _kinds(country_code, region):
            if kind.example_number:
                for before in ("", prefix, str(country_code), "00", "011"):
                    yield f"{before}{kind.example_number}", region
