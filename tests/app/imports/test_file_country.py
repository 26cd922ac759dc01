"""The country of numbers without one: the file tells it, or somebody is asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.app.imports.file_country import SAMPLE_MAX, Hints, NumberSample, judge, language_of, same_plan

FRENCH = [f"06 39 98 0{place} {20 + 3 * place}" for place in range(10)]
FRENCH_NAMES = ("Nom", "Prénom", "Téléphone")
GERMAN = ["030/231 25 074", "0171-3920012", "(0)89 1234567", "0221 998877"]
AMERICAN = [f"{area}55501{place:02}" for area in (201, 212, 305, 415, 512) for place in range(40)]
INDIAN = ["919876543213", "919876543214", "9876543215", "98765 43216"]


@pytest.mark.parametrize(
    ("cells", "hints", "region"),
    [
        ([*FRENCH, "+33 6 39 98 01 11", "0033 639980112"], Hints(zone="DE", headers=FRENCH_NAMES), "FR"),
        (GERMAN, Hints(named="DE"), "DE"),
        (GERMAN, Hints(headers=("Telefonnummer", "Vorname")), "DE"),
        (AMERICAN, Hints(zone="DE", headers=("phone", "first_name", "last_name")), "US"),
        (
            ["202.555.0124", "1-202-555-0125", "+1 (202) 555-0127"],
            Hints(zone="DE", headers=("Email Address", "First Name", "Last Name", "Phone")),
            "US",
        ),
        ([f"17139200{place:02}" for place in range(20)], Hints(zone="DE", headers=("Telefon",)), "DE"),
        (["612 345 678", "699 123 456"], Hints(zone="DE", headers=("Nombre", "Teléfono")), "ES"),
        (["12345", "123"], Hints(zone="DE"), "DE"),
    ],
)
def test_a_file_tells_its_country(cells: list[str], hints: Hints, region: str) -> None:
    told = judge(cells, hints)
    assert (told.region, told.is_doubtful) == (region, False)


@pytest.mark.parametrize(
    ("cells", "hints", "best"),
    [
        (FRENCH, Hints(named="DE", headers=FRENCH_NAMES), {"DE", "FR"}),
        (FRENCH, Hints(zone="DE", headers=FRENCH_NAMES), {"DE", "FR"}),
        (GERMAN, Hints(named="FR"), {"DE"}),
        (AMERICAN, Hints(named="DE", headers=("phone",)), {"US"}),
        (INDIAN, Hints(zone="DE", headers=("Customer Name", "Mobile")), {"IN"}),
        ([*(f"07700 9001{place:02}" for place in range(20)), "+447700900222", "0044 7700 900333"], Hints(), {"GB"}),
        (["030/231 25 074"], Hints(), {"DE"}),
    ],
)
def test_somebody_is_asked_where_the_file_is_doubtful(cells: list[str], hints: Hints, best: set[str]) -> None:
    told = judge(cells, hints)
    assert told.is_doubtful
    assert best <= {option.region for option in told.options}


def test_numbers_look_right_that_the_preview_finds_right() -> None:
    """The library has no numbers for films, of which the preview says that nobody can have them."""
    films = [f"07700 9001{place:02}" for place in range(3)]
    told = judge([*films, "07911 123456", "+447911123457", "0044 7911 123458"], Hints(named="DE"))
    assert {option.region: option.fits for option in told.options}["GB"] == 1


def test_countries_with_one_numbering_plan_are_not_told_apart() -> None:
    told = judge(AMERICAN, Hints(named="CA"))
    assert (told.region, told.is_doubtful) == ("CA", False)
    assert (same_plan("US", "JM"), same_plan("US", "MX"), same_plan("", "US")) == (True, False, False)


def test_a_sample_has_numbers_of_all_parts_of_a_file() -> None:
    sample = NumberSample()
    for number in range(200_000):
        sample.seen += 1
        if sample.seen >= sample.next_seen:
            sample.keep(str(number))
    numbers = [int(one) for one in sample.numbers()]
    assert SAMPLE_MAX <= len(numbers) <= 2 * SAMPLE_MAX + 1
    assert (numbers[0], numbers[-1] > 190_000) == (0, True)


@given(st.lists(st.text(max_size=20)), st.sampled_from(["", "DE", "US"]), st.sampled_from(["", "FR"]))
def test_whatever_the_cells_a_named_country_is_left_only_with_a_question(
    cells: list[str], named: str, zone: str
) -> None:
    told = judge(cells, Hints(named=named, zone=zone))
    if named and not told.is_doubtful:
        assert same_plan(told.region, named)


def test_names_of_columns_tell_a_language() -> None:
    assert language_of(("Telefonnummer", "Vorname", "x")) == "de"
    assert language_of(("Prénom", "Ville")) == "fr"
    assert language_of(("a", "b")) == ""
