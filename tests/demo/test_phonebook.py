"""Tests of the demonstration's files: they equal the generator's output, and look real."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from dialer.demo import phonebook
from dialer.demo.places import COUNTRY_CODES, PLACE_OF_NUMBER, PLACES, Place
from dialer.demo.preparation import STARTS
from dialer.domain.calling_times.zones import zone_of_number


def test_the_shipped_files_are_the_generated_ones() -> None:
    """If this fails, run `python -m dialer.demo.phonebook`."""
    assert phonebook.PHONEBOOK.read_bytes() == phonebook.phonebook()
    assert phonebook.DO_NOT_CALL.read_bytes() == phonebook.do_not_call()


def test_the_phonebook_is_large_and_every_place_is_in_it() -> None:
    found = phonebook.numbers(phonebook.PHONEBOOK)
    assert found == PLACE_OF_NUMBER.keys()
    assert len(found) > 2_000
    assert {PLACE_OF_NUMBER[number].country for number in found} == COUNTRY_CODES.keys()


def test_some_lines_cannot_be_read_and_some_numbers_stand_there_twice() -> None:
    lines, found = phonebook.count_lines(phonebook.PHONEBOOK), phonebook.numbers(phonebook.PHONEBOOK)
    assert lines - len(found) == 14 + 26


def test_the_do_not_call_list_names_contacts_and_strangers() -> None:
    listed = phonebook.numbers(phonebook.DO_NOT_CALL)
    known = listed & phonebook.numbers(phonebook.PHONEBOOK)
    assert (len(listed), len(known)) == (48, 43)


def test_no_number_is_one_of_those_that_always_do_the_same() -> None:
    assert not any(number.startswith("+120255501") for number in PLACE_OF_NUMBER)


@pytest.mark.parametrize("place", [place for place in PLACES if place.zone], ids=lambda place: place.city)
def test_the_clock_of_a_place_is_one_of_those_its_numbers_may_have(place: Place) -> None:
    """A number with several zones is called if it is legal in all of them. The place's zone is one of them."""
    day = datetime.fromisoformat(STARTS)
    candidates = zone_of_number(place.number(0)).split("&")
    offsets: set[timedelta | None] = {day.astimezone(ZoneInfo(zone)).utcoffset() for zone in candidates}
    assert day.astimezone(ZoneInfo(place.zone)).utcoffset() in offsets
