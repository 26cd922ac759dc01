"""Tests of ordinary numbers, which are looked up: none of them is an emergency or a special number."""

from typing import Final

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st
from phonenumbers import PhoneNumberType

from dialer.domain.numbers.destinations import special_digits
from dialer.domain.numbers.emergency import is_emergency
from dialer.domain.numbers.ordinary_numbers import is_ordinary
from tests.domain.numbers.emergencies import PATTERNS, numbers_of
from tests.domain.numbers.test_destinations import SPECIAL

CODES: Final = sorted(phonenumbers.COUNTRY_CODE_TO_REGION_CODE)
numbers_of_all_countries = st.builds(
    "+{}{}{}".format, st.sampled_from(CODES), st.sampled_from(["", "0", "00"]), st.text("0123456789", max_size=12)
)
texts = st.text("+0123456789", max_size=16) | st.text(max_size=16)


@given(numbers_of_all_countries | texts)
def test_no_ordinary_number_is_an_emergency_or_a_special_number(number: str) -> None:
    if is_ordinary(number):
        assert not is_emergency(number)
        assert special_digits(number) == 0


@pytest.mark.parametrize("region", sorted(PATTERNS))
def test_an_emergency_number_is_never_ordinary(region: str) -> None:
    code = phonenumbers.country_code_for_region(region)
    for number in numbers_of(region):
        for spelling in (number, f"+{number}", f"+{code}{number}", f"+{code}0{number}"):
            assert not (is_emergency(spelling) and is_ordinary(spelling))


@pytest.mark.parametrize("number", [*SPECIAL, "2025550101", "+", ""])
def test_special_numbers_and_those_without_a_country_are_not_ordinary(number: str) -> None:
    assert not is_ordinary(number)


@pytest.mark.parametrize("kind", [PhoneNumberType.FIXED_LINE, PhoneNumberType.MOBILE])
def test_nearly_all_telephones_have_an_ordinary_number(kind: int) -> None:
    examples = [phonenumbers.example_number_for_type(region, kind) for region in phonenumbers.SUPPORTED_REGIONS]
    numbers = [f"+{one.country_code}{one.national_number}" for one in examples if one is not None]
    assert len([number for number in numbers if not is_ordinary(number)]) <= 5
