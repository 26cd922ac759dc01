"""Tests of what is believed of the world: the page says what the libraries say, and the laws agree with them."""

import holidays
import pytest

from tests.world.page import NOT_READ, PAGE, text
from tests.world.public_holidays import YEARS, by_law, countries


def test_the_page_is_what_the_installed_libraries_say() -> None:
    """If this fails after an upgrade, run `python -m tests.world`, and read the difference."""
    assert PAGE.read_text("utf-8").splitlines() == text().splitlines()


def test_somebody_has_read_what_each_release_says() -> None:
    assert NOT_READ not in PAGE.read_text("utf-8")


@pytest.mark.parametrize("year", YEARS)
@pytest.mark.parametrize("country", countries())
def test_public_holidays_are_those_of_the_law(country: str, year: int) -> None:
    assert {*holidays.country_holidays(country, years=year)} == by_law(country, year)


def test_the_page_is_short_enough_to_be_read() -> None:
    assert len(text().splitlines()) < 600
