"""Tests of the zones of states and of postal codes, against the area codes of phonenumbers and hand-picked places."""

import re
from typing import Final

import pytest
from phonenumbers.geodata import GEOCODE_DATA
from phonenumbers.tzdata import TIMEZONE_DATA

from dialer.domain.calling_times.postal_codes import states_of_code
from dialer.domain.calling_times.states import has_states, state_of, states_of, zones_in_state
from dialer.domain.calling_times.zones import is_zone

COUNTS: Final = {"US": 56, "CA": 13, "AU": 8, "BR": 27, "MX": 32, "ES": 4, "PT": 3, "RU": 83, "ID": 38, "CL": 16}
LIBRARY_IS_WRONG: Final = {
    "1208": "Idaho: all zones of +1",
    "1867766": "Yellowknife: the zone of Fort Nelson",
    "1879": "Newfoundland and Labrador: the zone of Puerto Rico, for Labrador's coast",
    "1907581": "Unalaska: the zone of Honolulu",
    "34827": "Cáceres: the zone of the Canary Islands",
    "5661": "Magallanes: the zone of Santiago, as before 2016",
    "5667": "Aysén: the zone of Santiago, as before 2025",
    "740": "Kaliningrad: the zone of Bucharest, which has summer time",
    "7845": "Saratov: the zone of Moscow, as before 2016",
    "55673480": "Paranhos: the zone of Sao Paulo",
}
"""Starts of numbers for which the library has another zone than the laws, with the reason."""
CHANGED_SINCE: Final = {("PA", "America/Manaus"), ("CHH", "America/Mazatlan")}
"""Zones that the library has for places whose clocks were changed: Pará in 2008, Chihuahua in 2022."""


def zones_of_start(start: str) -> tuple[str, ...]:
    starts = (start[:end] for end in range(len(start), 0, -1))
    return next((TIMEZONE_DATA[one] for one in starts if one in TIMEZONE_DATA), ())


@pytest.mark.parametrize(("country", "count"), COUNTS.items())
def test_every_state_has_zones(country: str, count: int) -> None:
    states = states_of(country)
    assert len(states) == count
    assert [zone for state in states.values() for zone in state.zones if not is_zone(zone)] == []


@pytest.mark.parametrize("calling_code", ["1", "61", "55", "52", "34", "351", "73", "74", "78", "56"])
def test_the_zones_of_area_codes_are_those_of_their_states(calling_code: str) -> None:
    """The library names the place of an area code, such as `Tallahassee, FL`, and has its zones in another table."""
    compared, wrong = 0, list[tuple[str, str, str]]()
    for start, names in GEOCODE_DATA.items():
        place = re.split(r" - |, ", names.get("en", ""))[-1]
        state = state_of(place, f"+{calling_code}") if start.startswith(calling_code) else None
        if state is None or start in LIBRARY_IS_WRONG:
            continue
        compared += 1
        for zone in zones_of_start(start):
            # The zones of the number are kept only if the state keeps each of their clocks.
            if zones_in_state(state, (zone,)) != (zone,) and (state.code, zone) not in CHANGED_SINCE:
                wrong.append((start, state.code, zone))
    assert wrong == []
    assert compared > 10


@pytest.mark.parametrize(
    ("text", "number", "zones"),
    [
        ("FL", "+1", ("America/New_York", "America/Chicago")),
        ("florida", "+1", ("America/New_York", "America/Chicago")),
        ("tennessee", "+1", ("America/New_York", "America/Chicago")),
        ("N.Y.", "+1", ("America/New_York",)),
        ("BC", "+1", ("America/Vancouver", "America/Edmonton")),
        ("Québec", "+1", ("America/Toronto", "America/Blanc-Sablon")),
        ("WA", "+1", ("America/Los_Angeles",)),
        ("WA", "+61", ("Australia/Perth", "Australia/Eucla")),
        ("São Paulo", "+55", ("America/Sao_Paulo",)),
        ("MT", "+55", ("America/Cuiaba",)),
        ("MT", "+1", ("America/Denver",)),
        ("Quintana Roo", "+52", ("America/Cancun",)),
        ("LAS PALMAS", "+34", ("Atlantic/Canary",)),
        ("Málaga", "+34", ("Europe/Madrid",)),
        ("Açores", "+351", ("Atlantic/Azores",)),
        ("Lisboa", "+351", ("Europe/Lisbon",)),
    ],
)
def test_a_state_is_one_of_the_numbers_country(text: str, number: str, zones: tuple[str, ...]) -> None:
    state = state_of(text, number)
    assert state is not None
    assert state.zones == zones


@pytest.mark.parametrize(("text", "number"), [("TX", "+44"), ("active", "+1"), ("", "+1"), ("1", "+1"), ("NSW", "+1")])
def test_other_texts_are_no_states(text: str, number: str) -> None:
    assert state_of(text, number) is None


def test_the_numbers_own_zone_counts_where_the_state_has_it() -> None:
    florida = states_of("US")["FL"]
    assert zones_in_state(florida, ("America/Chicago",)) == ("America/Chicago",)
    assert zones_in_state(florida, ("America/Detroit",)) == ("America/Detroit",)
    assert zones_in_state(florida, ("America/Denver",)) == florida.zones
    assert zones_in_state(florida, ("America/Chicago", "America/Denver")) == florida.zones
    assert zones_in_state(florida, ()) == florida.zones
    assert (has_states("+12025550100"), has_states("+4930901820")) == (True, False)


@pytest.mark.parametrize(
    ("text", "number", "codes"),
    [
        ("10001", "+1", ["NY"]),
        ("10001-1234", "+1", ["NY"]),
        ("2134", "+1", ["MA"]),
        ("2134.0", "+1", ["MA"]),
        ("501", "+1", ["NY"]),
        ("79901", "+1", ["TX"]),
        ("88510", "+1", ["TX"]),
        ("99501", "+1", ["AK"]),
        ("96799", "+1", ["HI", "AS"]),
        ("96813", "+1", ["HI"]),
        ("K1A 0B1", "+1", ["ON"]),
        ("v6b1a1", "+1", ["BC"]),
        ("X0A 0H0", "+1", ["NT", "NU"]),
        ("2000", "+61", ["NSW"]),
        ("2600", "+61", ["ACT"]),
        ("800", "+61", ["NT"]),
        ("6160", "+61", ["WA"]),
        ("35001", "+34", ["GC"]),
        ("38001", "+34", ["TF"]),
        ("8001.0", "+34", ["peninsula"]),
        ("52001", "+34", ["peninsula"]),
        ("53001", "+34", []),
        ("1000-205", "+351", ["continente"]),
        ("9400-999", "+351", ["madeira"]),
        ("9500", "+351", ["acores"]),
        ("9980 999", "+351", ["acores"]),
        ("0900-100", "+351", []),
        ("1000", "+353", []),
        ("09002", "+1", []),
        ("W1A 1AA", "+1", []),
        ("10001", "+44", []),
        ("99999999", "+1", []),
        ("", "+1", []),
    ],
)
def test_postal_codes_name_states(text: str, number: str, codes: list[str]) -> None:
    assert sorted(state.code for state in states_of_code(text, number)) == sorted(codes)
