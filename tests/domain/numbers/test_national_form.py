"""Tests of numbers without a country code. The prefixes are those of the countries, as ITU-T SP lists them."""

import pytest

from dialer.domain.numbers.national_form import Likeness, likeness_of


@pytest.mark.parametrize(
    ("digits", "number", "likeness"),
    [
        ("2025550407", "+12025550407", Likeness.NATIONAL),
        ("12025550407", "+12025550407", Likeness.NATIONAL),
        ("5550407", "+12025550407", Likeness.ENDING),
        ("50407", "+12025550407", Likeness.NONE),
        ("2025550407", "+2025550407", Likeness.NONE),
        ("01715550123", "+491715550123", Likeness.NATIONAL),
        ("1715550123", "+491715550123", Likeness.NATIONAL),
        ("491715550123", "+491715550123", Likeness.NONE),
        ("0612345678", "+390612345678", Likeness.NATIONAL),
        ("612345678", "+390612345678", Likeness.ENDING),
        ("06201234567", "+36201234567", Likeness.NATIONAL),
        ("89161234567", "+79161234567", Likeness.NATIONAL),
        ("5550100", "+3545550100", Likeness.NATIONAL),
        ("5550100", "5550100", Likeness.NATIONAL),
        ("5550100", "15550100", Likeness.NONE),
        ("000000", "+12025550407", Likeness.NONE),
        ("", "+12025550407", Likeness.NONE),
    ],
)
def test_digits_without_a_country_code_are_all_the_end_or_nothing_of_a_number(
    digits: str, number: str, likeness: Likeness
) -> None:
    assert likeness_of(digits, number) is likeness
