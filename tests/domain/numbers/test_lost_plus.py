"""Numbers in full whose + is lost are told from numbers as they are dialled in a country."""

import pytest
from hypothesis import given

from dialer.domain.numbers.normal_form import has_lost_plus, normalise
from tests.domain.numbers.numbering import inland_numbers


@pytest.mark.parametrize(
    ("digits", "region"), [("491701234567", "DE"), ("4915112345678", "DE")], ids=["11 digits", "12 digits"]
)
def test_a_mobile_number_behind_the_country_code_has_lost_its_plus(digits: str, region: str) -> None:
    assert has_lost_plus(digits, region)


@pytest.mark.parametrize(
    ("digits", "region"),
    [
        ("4921123456", "DE"),  # Emden without its 0.
        ("49491123456", "DE"),
        ("1701234567", "DE"),
        ("+491701234567", "DE"),
        ("0491701234567", "DE"),
        ("3933312345", "IT"),  # An Italian mobile number that begins like its country code.
        ("33612345678", "FR"),  # The library reads the country code itself.
        ("491701234567", "FR"),
        ("491701234567", ""),
        ("491701234567", None),
        ("\u0664\u0669\u0661\u0667\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667", "DE"),
        ("", "DE"),
        ("by post", "DE"),
    ],
)
def test_other_numbers_have_not(digits: str, region: str | None) -> None:
    assert not has_lost_plus(digits, region)


@pytest.mark.parametrize("digits", ["491701234567", "49 170 1234567", "4915112345678"])
def test_a_number_gets_the_plus_that_it_lacks_in_every_spelling(digits: str) -> None:
    assert normalise(digits, "DE") == f"+{digits.replace(' ', '')}"


@given(inland_numbers())
def test_the_tables_put_back_a_plus_wherever_the_rule_says_so(number: tuple[str, str]) -> None:
    digits, region = number
    if len(digits) in range(3, 16) and has_lost_plus(digits, region):
        assert normalise(digits, region) == f"+{digits}"
