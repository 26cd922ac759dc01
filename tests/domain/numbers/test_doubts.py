"""Doubts about numbers that nobody can have are those of the library, but for area codes that it does not know."""

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.numbers.doubts import NumberDoubt, counted_as_assigned, doubt_in_words, doubt_of
from dialer.domain.numbers.lost_zeros import ZERO_IS_PART, with_lost_zero
from dialer.domain.numbers.normal_form import NumberError, is_possible, normalise
from tests.domain.numbers.numbering import examples, numbers, parsed_by_the_library


@pytest.mark.parametrize(
    ("number", "doubt"),
    [
        ("+49302300074", NumberDoubt.NONE),
        ("+12025550100", NumberDoubt.NONE),
        ("1001", NumberDoubt.NONE),
        ("+4930", NumberDoubt.IMPOSSIBLE),
        ("+999123456", NumberDoubt.IMPOSSIBLE),
        ("+33999999999", NumberDoubt.NONE),
        ("+33012345678", NumberDoubt.UNASSIGNED),
        ("+39612345678", NumberDoubt.LOST_ZERO),
        ("+390612345678", NumberDoubt.NONE),
        ("+393331234567", NumberDoubt.NONE),
        ("+225707070707", NumberDoubt.LOST_ZERO),
        ("+229197000000", NumberDoubt.LOST_ZERO),
        ("+24261234567", NumberDoubt.LOST_ZERO),
        ("+378549886001", NumberDoubt.LOST_ZERO),
    ],
)
def test_a_number_and_the_doubt_about_it(number: str, doubt: NumberDoubt) -> None:
    assert doubt_of(number) is doubt


@pytest.mark.parametrize("area", ["357", "436", "457", "621", "624", "837", "924"])
def test_a_number_in_an_area_code_that_the_library_does_not_know_may_be_right(area: str) -> None:
    assert not phonenumbers.is_valid_number(phonenumbers.parse(f"+1{area}5550100"))
    assert doubt_of(f"+1{area}5550100") is NumberDoubt.NONE
    assert doubt_of(f"+1{area}1550100") is NumberDoubt.UNASSIGNED


@pytest.mark.parametrize("area", ["111", "291", "199", "011", "411", "911"])
def test_nobody_has_a_number_with_an_area_code_that_cannot_be_one(area: str) -> None:
    assert doubt_of(f"+1{area}5550100") is not NumberDoubt.NONE


def assert_as_by_the_library(number: str) -> None:
    parsed = parsed_by_the_library(number)
    is_valid = parsed is not None and phonenumbers.is_valid_number(parsed)
    doubt = doubt_of(number)
    if not is_possible(number):
        assert doubt in {NumberDoubt.IMPOSSIBLE, NumberDoubt.LOST_ZERO}
    elif is_valid:
        assert doubt is NumberDoubt.NONE
    elif number.startswith("+1"):
        assert doubt in {NumberDoubt.NONE, NumberDoubt.UNASSIGNED}
    else:
        assert doubt in {NumberDoubt.UNASSIGNED, NumberDoubt.LOST_ZERO}


def normal_form(number: str) -> str | None:
    try:
        return normalise(number, None)
    except NumberError:
        return None


@given(numbers())
def test_the_tables_doubt_what_the_library_calls_invalid(number: str) -> None:
    normal = normal_form(number)
    if normal is not None:
        assert_as_by_the_library(normal)


def test_so_they_do_for_every_example_of_every_plan() -> None:
    for normal in filter(None, map(normal_form, examples())):
        assert_as_by_the_library(normal)


@given(numbers())
def test_a_mended_zero_makes_a_number_that_somebody_can_have(number: str) -> None:
    mended = with_lost_zero(number)
    if mended:
        assert phonenumbers.is_valid_number(phonenumbers.parse(mended))
        assert (doubt_of(number), doubt_of(mended)) == (NumberDoubt.LOST_ZERO, NumberDoubt.NONE)


def test_the_countries_that_keep_their_zero_are_those_of_the_examples() -> None:
    kinds = (phonenumbers.PhoneNumberType.FIXED_LINE, phonenumbers.PhoneNumberType.MOBILE)
    with_zero = {
        example.country_code
        for region in phonenumbers.SUPPORTED_REGIONS
        for example in (phonenumbers.example_number_for_type(region, kind) for kind in kinds)
        if example is not None and example.italian_leading_zero
    }
    assert with_zero == ZERO_IS_PART


@pytest.mark.parametrize("region", ["IT", "CI", "BJ", "CG", "SM"])
@pytest.mark.parametrize("kind", ["FIXED_LINE", "MOBILE"])
def test_an_example_without_its_zero_is_noticed_and_mended(region: str, kind: str) -> None:
    example = phonenumbers.example_number_for_type(region, getattr(phonenumbers.PhoneNumberType, kind))
    assert example is not None
    in_full = phonenumbers.format_number(example, phonenumbers.PhoneNumberFormat.E164)
    national = phonenumbers.national_significant_number(example)
    if not national.startswith("0"):
        return
    damaged = normalise(national.lstrip("0"), region)
    assert (doubt_of(damaged), with_lost_zero(damaged)) == (NumberDoubt.LOST_ZERO, in_full)


def test_a_doubt_says_which_number_would_be_right() -> None:
    assert str(doubt_in_words(NumberDoubt.LOST_ZERO, "+39612345678")) == (
        "'+39612345678' is a number that nobody can have. A 0 is missing: '+390612345678' would be right."
    )


@given(st.lists(st.sampled_from(["06 12 34 56 78", "1 2 3 4 5", "by post", "+33612345678", "12"])))
def test_texts_are_counted_that_are_numbers_of_a_region(texts: list[str]) -> None:
    french = [text for text in texts if text in {"06 12 34 56 78", "+33612345678"}]
    assert counted_as_assigned(texts, "FR") == len(french)
