"""Tests of destinations: premium-rate, shared-cost and satellite numbers, and countries."""

from typing import Final

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st
from phonenumbers import PhoneNumberType

from dialer.domain.billing.charge import Rate
from dialer.domain.billing.rates import NO_CARD, RateCard
from dialer.domain.engine.credit import is_forbidden
from dialer.domain.numbers.destinations import EVERYWHERE, Destinations, read_countries, special_digits

SPECIAL_TYPES: Final = {PhoneNumberType.PREMIUM_RATE, PhoneNumberType.SHARED_COST}
SPECIAL: Final = [
    "+19002345678",
    "+449012345678",
    "+448431234567",
    "+499001234567",
    "+49900123456789",  # Carriers ignore digits behind a complete number.
    "+33899123456",
    "+88161234567",
    "+870773111632",
    "+8835100123456",
    "+979123456789",
    "+87810123456789",
    "+88213123456",
    "+80812345678",
    "+36090123456",  # Some carriers ignore zeros before a number.
    "+4911880",  # Directory enquiries.
    "+34118118",
    "+39892123",
]
PLAIN: Final = [
    "+12025550101",
    "+447700900123",
    "+4930123456",
    "+33612345678",
    "+390612345678",
    "+491188012345",
    "0900123456",
    "911",
    "",
    "+",
    "+8",
]


@pytest.mark.parametrize("number", SPECIAL)
def test_premium_shared_and_satellite_numbers_need_a_word_of_an_admin(number: str) -> None:
    assert is_forbidden(number, EVERYWHERE, NO_CARD)
    assert not is_forbidden(number, Destinations(allows_special=True), NO_CARD)
    whole_country = RateCard({number[1 : special_digits(number)]: Rate(1), "": Rate(1)})
    assert is_forbidden(number, EVERYWHERE, whole_country) is (special_digits(number) < 4)
    assert not is_forbidden(number, EVERYWHERE, RateCard({number[1:6]: Rate(1)}))
    assert is_forbidden(number, EVERYWHERE, RateCard({"123456": Rate(1)}))


@pytest.mark.parametrize("number", PLAIN)
def test_all_other_numbers_are_called_as_before(number: str) -> None:
    assert not is_forbidden(number, EVERYWHERE, NO_CARD)


@pytest.mark.parametrize("region", sorted(phonenumbers.SUPPORTED_REGIONS))
@pytest.mark.parametrize("kind", sorted(SPECIAL_TYPES))
def test_no_premium_or_shared_cost_number_of_any_country_is_missed(region: str, kind: int) -> None:
    example = phonenumbers.example_number_for_type(region, kind)
    if example is not None:
        number = phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.E164)
        assert is_forbidden(number, EVERYWHERE, NO_CARD)


@pytest.mark.parametrize("region", sorted(phonenumbers.SUPPORTED_REGIONS))
@pytest.mark.parametrize("kind", [PhoneNumberType.MOBILE, PhoneNumberType.FIXED_LINE])
def test_people_of_every_country_are_called(region: str, kind: int) -> None:
    example = phonenumbers.example_number_for_type(region, kind)
    if example is not None:
        number = phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.E164)
        assert not is_forbidden(number, EVERYWHERE, NO_CARD)


@given(st.text(max_size=20), st.text(alphabet="0123456789", max_size=15))
def test_any_text_is_judged(text: str, digits: str) -> None:
    for number in (text, digits, f"+{digits}", f"+{text}"):
        special_digits(number)
        Destinations(frozenset({"US"})).allows_country(number)


@pytest.mark.parametrize(
    ("number", "is_allowed"),
    [
        ("+12025550101", True),
        ("+14165550101", True),
        ("+18765550101", False),  # Jamaica, which has the calling code of the United States.
        ("+4930123456", False),
        ("2025550101", False),
        ("+88161234567", False),
    ],
)
def test_an_account_calls_its_countries_only(number: str, *, is_allowed: bool) -> None:
    here = Destinations(read_countries("us, ca"), allows_special=True)
    assert is_forbidden(number, here, NO_CARD) is not is_allowed


def test_countries_are_read_and_wrong_ones_named() -> None:
    assert read_countries(" de,AT  ch,") == {"DE", "AT", "CH"}
    assert read_countries("") == frozenset()
    with pytest.raises(ValueError, match="XX"):
        read_countries("DE XX")
