"""Tests of the tables of places: they follow from their sources, and name zones of the number's own countries only."""

from collections.abc import Iterator
from typing import Final

import phonenumbers
import pytest
from phonenumbers import PhoneMetadata, PhoneNumberDesc

from dialer.domain.calling_times.zones import countries_of_number, zone_of_number, zones_of_key
from dialer.domain.places.places import NumberPlace, Places, country_of_zone, table, zones_of_country
from tests.domain.numbers.numbering import examples
from tests.places.__main__ import FOLDER, texts
from tests.places.hand_rows import ONE_CLOCK
from tests.places.named_places import countries
from tests.places.regions import fits
from tests.places.zone_database import WITHOUT_ROW, clock, country_of_names, lines, zones_of_countries


def test_the_tables_follow_from_their_sources() -> None:
    """If this fails after an upgrade, run `python -m tests.places`, and read the difference."""
    assert {name: (FOLDER / name).read_text("utf-8") for name in texts()} == texts()


def test_no_row_has_a_zone_of_another_country() -> None:
    zones = zones_of_countries()
    for start, place in table().items():
        own = {zone for country in place.countries for zone in zones[country]}
        assert {*place.zones} <= own, start
        assert len({*map(clock, place.zones)}) == len(place.zones), f"two zones of {start} share a clock"


def test_every_country_is_one_of_iso_3166_and_has_its_zones_in_both_tables_of_the_zone_database() -> None:
    named = {line.split("\t")[0] for line in lines("iso3166.tab")}
    assert {country for place in table().values() for country in place.countries} - named == {*WITHOUT_ROW} - {"SH"}
    shared = {line.split("\t")[2]: line.split("\t")[0].split(",") for line in lines("zone1970.tab")}
    found = country_of_names()
    assert {zone for zone, its in shared.items() if found[zone] not in its} == set()


def test_the_countries_of_numbers_are_those_of_phonenumbers() -> None:
    for number in examples():
        parsed = phonenumbers.parse(number)
        region = phonenumbers.region_code_for_number(parsed)
        is_normal = number == phonenumbers.format_number(parsed, phonenumbers.PhoneNumberFormat.E164)
        own = countries_of_number(number)
        if is_normal and region not in {None, "001"} and number != OF_SEVEN_DIGITS:
            assert region in own or own == ("EH",), number


OF_SEVEN_DIGITS: Final = "+13101234"
"""A number of Canada that begins as those of an area code of the United States do."""


@pytest.mark.parametrize(
    ("number", "country"),
    [
        ("+79161234567", "RU"),
        ("+6281234567890", "ID"),
        ("+56961234567", "CL"),
        ("+67570123456", "PG"),
        ("+6919201234", "FM"),
        ("+61412345678", "AU"),
        ("+34612345678", "ES"),
        ("+16005550100", "CA"),
    ],
)
def test_nationwide_numbers_have_all_clocks_of_their_country(number: str, country: str) -> None:
    found = zones_of_key(zone_of_number(number))
    assert {*map(clock, found)} == {*map(clock, zones_of_countries()[country])}
    assert {*map(clock, zones_of_country(country))} >= {*map(clock, found)}


def test_a_taught_start_goes_before_all_rows_that_begin_with_it() -> None:
    chicago = NumberPlace(("US",), ("America/Chicago",))
    places = Places({"1436": chicago, "1850": chicago})
    assert [places.of(number) for number in ("+14365550100", "+18505550100", "+18502030100")] == [chicago] * 3
    assert places.of("+14375550100") == Places().of("+14375550100")
    assert places.digest() != Places().digest() == Places({}).digest()
    assert places.is_settled("+1436")


def test_an_old_name_of_a_zone_has_the_country_of_the_zone() -> None:
    names = ("US/Eastern", "Asia/Calcutta", "America/Coral_Harbour", "Pacific/Truk", "Navajo", "EST5EDT", "UTC", "no")
    assert [country_of_zone(name) for name in names] == ["US", "IN", "CA", "FM", "US", None, None, None]


@pytest.mark.parametrize("country", sorted(countries()))
def test_numbers_of_nationwide_kinds_have_all_clocks_of_their_country(country: str) -> None:
    """Toll-free numbers and others that belong to no area, by the patterns of phonenumbers."""
    plan = PhoneMetadata.metadata_for_region(country)
    assert plan is not None
    clocks = {clock(ONE_CLOCK[country][0])} if country in ONE_CLOCK else {*map(clock, zones_of_countries()[country])}
    for kind in NATIONWIDE:
        for start, zones in _places_of_kind(countries()[country], getattr(plan, kind)):
            assert clocks <= {*map(clock, zones)}, (kind, start, zones)


NATIONWIDE: Final = ("toll_free", "premium_rate", "shared_cost", "voip", "personal_number", "pager", "uan", "voicemail")
STARTS_DIGITS_MAX: Final = 7
PLACES: Final = Places()


def _places_of_kind(code: str, kind: PhoneNumberDesc | None, start: str = "") -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the starts of numbers of a kind, and the zones that the table has for all that begin with them."""
    lengths = () if kind is None else kind.possible_length
    if all(fits(kind, start, length) is False for length in lengths if length >= len(start)):
        return
    if PLACES.is_settled(f"+{code}{start}") or len(start) == STARTS_DIGITS_MAX:
        place = PLACES.of(f"+{code}{start}")
        assert place is not None
        yield start, place.zones
        return
    for digit in "0123456789":
        yield from _places_of_kind(code, kind, start + digit)
