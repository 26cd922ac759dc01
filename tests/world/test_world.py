"""Tests of what is believed of the world: the page says what the libraries say, and the laws agree with them."""

from datetime import date
from difflib import unified_diff
from importlib.metadata import version
from types import ModuleType
from typing import Final

import holidays
import phonenumbers
import pytest
import tzdata  # type: ignore[import-untyped]

from dialer.domain.calling_times.public_holidays import public_holidays
from tests.world import page
from tests.world import public_holidays as of_holidays
from tests.world.page import NOT_READ, PAGE, text
from tests.world.public_holidays import SUNDAY, YEARS, by_law, countries


def test_the_page_is_what_the_installed_libraries_say() -> None:
    """If this fails after an upgrade, run `python -m tests.world`, and read the difference."""
    assert PAGE.read_text("utf-8").splitlines() == text().splitlines()


def test_somebody_has_read_what_each_release_says() -> None:
    assert NOT_READ not in PAGE.read_text("utf-8")


def differences(before: str, after: str) -> list[str]:
    """Return the lines that a new page has, and those that it no longer has."""
    marks = unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)
    return [line for line in marks if line.startswith(("+|", "-|"))]


@pytest.mark.parametrize(
    ("module", "name", "release"),
    [
        (phonenumbers, "__version__", "phonenumbers 99.0"),
        (tzdata, "IANA_VERSION", "tzdata 2099z"),
        (page, "version", "holidays 99.0"),
        (page, "version", "babel 99.0"),
    ],
)
def test_another_release_shows_as_a_line_that_nobody_has_read(
    module: ModuleType, name: str, release: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = text()
    package, number = release.split()
    fake = (lambda asked: number if asked == package else version(asked)) if module is page else number
    monkeypatch.setattr(module, name, fake)
    gone, new = differences(before, text())
    assert gone.startswith("-|")
    assert f"| {release} |" in new
    assert new.endswith(f"| {NOT_READ} |")


def test_a_holiday_that_a_release_forgets_shows_as_a_line_of_its_year(monkeypatch: pytest.MonkeyPatch) -> None:
    before = text()
    forgotten = date(2027, 5, 8)
    monkeypatch.setattr(of_holidays, "public_holidays", lambda *of: public_holidays(*of) - {forgotten})
    gone, new = differences(before, text())
    assert gone.replace(" 8 May,", "").replace("| 11 |", "| 10 |")[1:] == new[1:]
    assert new.startswith("+| FR | 2027 | 10 |")


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
