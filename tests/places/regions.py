"""The countries of a calling code that several countries share, by the starts of their numbers, from phonenumbers."""

from collections.abc import Iterator
from typing import Final

import phonenumbers
from phonenumbers import PhoneMetadata, PhoneNumberDesc

from dialer.domain.numbers.digit_patterns import digit_pattern

DIGITS_MAX: Final = 8
"""Digits of a start, the calling code left out. Countries that are not told apart by them are both taken."""
_KINDS: Final = (
    *("fixed_line", "mobile", "premium_rate", "toll_free", "shared_cost", "voip", "personal_number", "pager", "uan"),
    "voicemail",
)


def regions_by_start(country_code: int) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the shortest starts, with the calling code, of numbers that are not of the code's main country only."""
    main, *_ = phonenumbers.COUNTRY_CODE_TO_REGION_CODE[country_code]
    for start, regions in _walk(country_code, ""):
        if regions != (main,):
            yield f"{country_code}{start}", regions


def _walk(country_code: int, start: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    found, is_settled = _at(country_code, start)
    if is_settled or len(start) == DIGITS_MAX:
        if found:
            yield start, found
        return
    for digit in "0123456789":
        yield from _walk(country_code, start + digit)


def _at(country_code: int, start: str) -> tuple[tuple[str, ...], bool]:
    """Return the countries of numbers of any length that begin with a start, and whether further digits matter not."""
    found: dict[str, None] = {}
    is_settled = True
    lengths = {length for plan in _plans(country_code) for length in _lengths(plan)}
    for length in lengths:
        if length < len(start):
            continue
        for plan in _plans(country_code):
            is_of_it = _is_of(plan, start, length)
            if is_of_it is not False:
                found.setdefault(plan.id)
            if is_of_it is None:
                is_settled = False
            if is_of_it:
                break
    return tuple(found), is_settled and len(found) < 2


def _plans(country_code: int) -> list[PhoneMetadata]:
    regions = phonenumbers.COUNTRY_CODE_TO_REGION_CODE[country_code]
    plans = [PhoneMetadata.metadata_for_region_or_calling_code(country_code, region) for region in regions]
    return [plan for plan in plans if plan is not None]


def _lengths(plan: PhoneMetadata) -> tuple[int, ...]:
    return () if plan.general_desc is None else plan.general_desc.possible_length


def _is_of(plan: PhoneMetadata, start: str, length: int) -> bool | None:
    """Return whether numbers of a length that begin with a start are of a plan; None if further digits decide."""
    if plan.leading_digits is not None:
        pattern = digit_pattern(plan.leading_digits)
        ends = pattern.ends(start, length)
        return None if ends is None else bool(ends)
    kinds = [fits(getattr(plan, kind), start, length) for kind in _KINDS]
    is_number = fits(plan.general_desc, start, length)
    if is_number is False or not any(kind is not False for kind in kinds):
        return False
    return True if is_number and True in kinds else None


def fits(kind: PhoneNumberDesc | None, start: str, length: int) -> bool | None:
    """Return whether numbers of a length that begin with a start are of a kind; None if further digits decide."""
    if kind is None or not kind.national_number_pattern:
        return False
    if kind.possible_length and length not in kind.possible_length:
        return False
    return digit_pattern(kind.national_number_pattern).matches(start, length)
