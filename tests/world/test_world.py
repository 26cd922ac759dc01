"""Tests of what is believed of the world: the page says what the libraries say, and the laws agree with them."""

from typing import Final

import holidays
import pytest

from dialer.domain.calling_times.public_holidays import public_holidays
from tests.world.page import NOT_READ, PAGE, text
from tests.world.public_holidays import SUNDAY, YEARS, by_law, countries


def test_the_page_is_what_the_installed_libraries_say() -> None:
    """If this fails after an upgrade, run `python -m tests.world`, and read the difference."""
    assert PAGE.read_text("utf-8").splitlines() == text().splitlines()


def test_somebody_has_read_what_each_release_says() -> None:
    assert NOT_READ not in PAGE.read_text("utf-8")


STATES: Final = ("ACT", "NSW", "NT", "QLD", "SA", "TAS", "VIC", "WA")


@pytest.mark.parametrize("year", YEARS)
@pytest.mark.parametrize("country", countries())
def test_public_holidays_are_those_of_the_law(country: str, year: int) -> None:
    assert public_holidays(country, year) == by_law(country, year)


@pytest.mark.parametrize("year", YEARS)
def test_a_day_that_all_states_of_australia_have_off_is_one_of_australia(year: int) -> None:
    """Sundays do not matter: no calls are allowed on them."""
    states = [{*holidays.country_holidays("AU", years=year, subdiv=state)} for state in STATES]
    shared = {day for day in set.intersection(*states) if day.weekday() != SUNDAY}
    assert shared <= public_holidays("AU", year)


def test_what_the_library_lacks_is_what_is_added() -> None:
    """If the library has these days one day, the rule of our own can go."""
    added = {
        str(day)
        for year in YEARS
        for country in countries()
        for day in public_holidays(country, year) - {*holidays.country_holidays(country, years=year)}
    }
    assert added == {"2025-01-27", "2026-12-28", "2027-12-27", "2027-12-28", "2028-01-03", "2030-01-28", "2031-01-27"}


def test_the_page_is_short_enough_to_be_read() -> None:
    assert len(text().splitlines()) < 600
