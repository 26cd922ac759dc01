"""Tests of emergency numbers of all regions, and of numbers that resemble them."""

import unicodedata

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.numbers.emergency import emergency_error, is_emergency, is_emergency_contact, spells_emergency
from dialer.domain.numbers.normal_form import NumberError, normalise
from tests.domain.numbers.emergencies import (
    PATTERNS,
    REGIONS,
    emergency_spellings,
    emergency_spellings_abroad,
    numbers_of,
)
from tests.domain.numbers.numbering import examples, numbers

BEHIND_PREFIXES = [
    "911",
    "112",
    "999",
    "988",
    "000",
    "10111",
    "+911",
    "+112",
    "0112",
    "00112",
    "011911",
    "+1911",
    "1911",
]
BEHIND_COUNTRIES = [
    *("+2270723141", "+1988", "+44999", "44999", "+490112", "+3315", "+33112", "+10112", "0044999", "011247911"),
]
LONGER = ["+19885550100", "9885550100", "+19115550100", "9115550100", "1125550100", "+4930112000", "+12025550911"]
OTHERS = ["1001", "1002", "2000", "+35890000", "+4312442212", "112112", "+", "sip:911@example.org"]


@pytest.mark.parametrize("number", BEHIND_PREFIXES + BEHIND_COUNTRIES)
def test_an_emergency_number_is_known_behind_any_prefix(number: str) -> None:
    assert is_emergency(number)


@pytest.mark.parametrize("number", LONGER + OTHERS)
def test_a_number_that_merely_holds_one_is_none(number: str) -> None:
    assert not is_emergency(number)


def _is_valid(number: str) -> bool:
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(number))
    except phonenumbers.NumberParseException:
        return False


@given(emergency_spellings(), st.none() | st.sampled_from(REGIONS))
def test_no_spelling_of_an_emergency_number_is_accepted_as_an_ordinary_one(spelt: str, region: str | None) -> None:
    """Some are valid numbers elsewhere: 90000 is one in Finland, and becomes +35890000."""
    try:
        number = normalise(spelt, region)
    except NumberError:
        return
    assert is_emergency(number) or _is_valid(number)


@pytest.mark.parametrize("region", sorted(PATTERNS))
def test_the_emergency_numbers_of_a_region_are_known_where_it_is_the_default(region: str) -> None:
    for number in numbers_of(region):
        assert spells_emergency(number, region)


@given(emergency_spellings_abroad(), st.sampled_from([None, "US", "CA"]))
def test_no_spelling_with_an_international_prefix_is_accepted_as_an_ordinary_one(
    spelt: str, region: str | None
) -> None:
    try:
        number = normalise(spelt, region)
    except NumberError:
        return
    assert is_emergency(number) or _is_valid(number)


@given(emergency_spellings() | emergency_spellings_abroad())
def test_a_spelling_is_known_as_a_text_without_a_default_region(spelt: str) -> None:
    """An exception are valid numbers: 00 43 124422 is one in Vienna."""
    plain = unicodedata.normalize("NFKC", spelt)
    try:
        is_valid = _is_valid(normalise(plain, None))
    except NumberError:
        is_valid = False
    assert spells_emergency(spelt, None) or is_valid


@given(numbers())
def test_no_valid_number_is_an_emergency_number(number: str) -> None:
    if _is_valid(number):
        assert not is_emergency(number)
        assert not spells_emergency(number, None)


def test_no_valid_example_of_any_plan_is_an_emergency_number() -> None:
    assert [number for number in examples() if _is_valid(number) and is_emergency(number)] == []


@pytest.mark.parametrize("text", ["1-1-2", "9/1/1", " (911) ", "\uff19\uff11\uff11", "\u0661\u0661\u0662", "+1 911"])
def test_a_text_may_spell_one_with_any_digits_and_marks(text: str) -> None:
    assert spells_emergency(text, None)


@pytest.mark.parametrize("text", ["", "user 911", "agent 7", "+12025550100", "x" * 100])
def test_another_text_spells_none(text: str) -> None:
    assert not spells_emergency(text, "US")


def test_the_error_names_the_number() -> None:
    assert str(emergency_error("9-1-1")) == "'9-1-1' is an emergency number. Enter a number that may be called."


@pytest.mark.parametrize("region", sorted(PATTERNS))
def test_no_agent_is_reached_over_an_emergency_number_of_the_default_region(region: str) -> None:
    """Neither as it is dialled there, nor behind zeros."""
    for number in numbers_of(region):
        assert is_emergency_contact(number, region)
        assert is_emergency_contact(f"0{number}", region)
        assert is_emergency_contact(f"+{number}", region)


@given(st.from_regex(r"[1-9][0-9]{1,5}", fullmatch=True))
def test_any_other_bare_digits_of_an_agent_are_an_extension(digits: str) -> None:
    assert is_emergency_contact(digits, None) is (digits in {"112", "911"})


def test_an_extension_is_an_emergency_number_only_in_its_region() -> None:
    assert [region for region in (None, "DE", "IN", "US") if is_emergency_contact("101", region)] == ["IN"]


def test_a_crisis_line_is_one_in_its_country() -> None:
    assert is_emergency_contact("988", "US")
    assert not is_emergency_contact("988", "DE")
