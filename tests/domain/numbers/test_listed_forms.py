"""An entry of a do-not-call list without a country is found by the number with it."""

import phonenumbers
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.numbers.listed_forms import LISTED_DIGITS_MIN, has_no_country, is_listed, listed_forms
from dialer.domain.numbers.normal_form import normalise

FORMATS = phonenumbers.PhoneNumberFormat
KINDS = (phonenumbers.PhoneNumberType.FIXED_LINE, phonenumbers.PhoneNumberType.MOBILE)


@pytest.mark.parametrize(
    ("entry", "number"),
    [
        ("030 2300074", "+49302300074"),
        ("302300074", "+49302300074"),
        ("49302300074", "+49302300074"),
        ("2125550100", "+12125550100"),
        ("12125550100", "+12125550100"),
        ("8 912 345 67 89", "+79123456789"),
        ("06 20 123 4567", "+36201234567"),
        ("06 1234 5678", "+390612345678"),
        ("612345678", "+390612345678"),
        ("5215512345678", "+525512345678"),
        ("11 15 2345 6789", "+5491123456789"),
        ("0302300074", "302300074"),
    ],
)
def test_a_national_entry_is_a_form_of_the_number(entry: str, number: str) -> None:
    assert normalise(entry, None) in listed_forms(number)
    assert is_listed(number, {normalise(entry, None)})


@pytest.mark.parametrize(
    ("entry", "number"),
    [
        ("+49302300075", "302300074"),
        ("+1302300074", "302300074"),
        ("5550100", "+12125550100"),
        ("1001", "+2901001"),
        ("0302300075", "+49302300074"),
        ("302300074", "+1302300074"[:-1]),
        ("#AbcdefghijklmnO", "+49302300074"),
    ],
)
def test_other_entries_are_not(entry: str, number: str) -> None:
    assert entry not in listed_forms(number)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("region", sorted(phonenumbers.SUPPORTED_REGIONS))
def test_the_example_of_every_country_is_found_in_every_national_form(region: str, kind: int) -> None:
    example = phonenumbers.example_number_for_type(region, kind)
    if example is None:
        return
    in_full = phonenumbers.format_number(example, FORMATS.E164)
    national = phonenumbers.format_number(example, FORMATS.NATIONAL)
    inland = phonenumbers.format_in_original_format(phonenumbers.parse(national, region), region)
    for spelt in (national, inland, in_full.removeprefix("+"), phonenumbers.national_significant_number(example)):
        entry = normalise("".join(filter(str.isdigit, spelt)), None)
        if len(entry) >= LISTED_DIGITS_MIN:
            assert is_listed(in_full, {entry})
            assert is_listed(entry, {in_full})


@given(st.from_regex(r"\+?[0-9]{3,15}", fullmatch=True, alphabet="+0123456789"))
def test_the_first_form_is_the_number_itself_and_others_are_the_same_number(number: str) -> None:
    """Those of a number with its country have none, and the other way round but for zeros."""
    first, *others = listed_forms(number)
    assert first == number
    assert all(len(form) >= LISTED_DIGITS_MIN for form in others)
    if has_no_country(number):
        assert all(has_no_country(form) or set(listed_forms(form)) & {number, number.lstrip("0")} for form in others)
    else:
        assert all(map(has_no_country, others))
        assert len(others) <= 9


@pytest.mark.parametrize(
    ("entry", "number"),
    [
        ("+49302300074", "0302300074"),
        ("+49302300074", "302300074"),
        ("+12125550100", "2125550100"),
        ("+12125550100", "12125550100"),
        ("+79123456789", "89123456789"),
        ("+36201234567", "06201234567"),
        ("+390612345678", "0612345678"),
        ("+390612345678", "612345678"),
        ("+525512345678", "5215512345678"),
    ],
)
def test_an_entry_with_a_country_is_a_form_of_the_number_without_it(entry: str, number: str) -> None:
    assert is_listed(number, {entry})
