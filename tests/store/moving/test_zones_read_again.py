"""Tests of stored zones that follow the table of places, and what an administrator teaches."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, update

from dialer.commands.taught_places import BYTES_MAX, learn_places, let_stored_numbers_follow
from dialer.domain.calling_times.zones import NUMBER_ZONES, zone_of_number
from dialer.settings import Settings, SettingsError
from dialer.store.database.service_state import open_state
from dialer.store.moving import zones_read_again
from dialer.store.tables import Contact, Subscriber
from tests.runtime.house import House

OHIO, JAMAICA = "+14365550100", "+18765550100"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    yield house
    house.database.close()
    NUMBER_ZONES.learn({})


def taught(folder: Path, text: str) -> Settings:
    path = folder / "places"
    path.write_text(text, "utf-8")
    return Settings(places_file=path)


def zones(house: House) -> tuple[list[str], list[str]]:
    def read(table: type[Contact | Subscriber]) -> list[str]:
        return list(house.database.read_now(lambda unit: unit.scalars(select(table.zone).order_by(table.id)).all()))

    return read(Contact), read(Subscriber)


def test_stored_zones_follow_the_file_and_an_older_table(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The key of an earlier version is that of all of +1."""
    monkeypatch.setattr(zones_read_again, "SLICE", 2)
    house.database.write_now(lambda unit: open_state(unit, 0))
    campaign_id = house.campaign(house.survey({}), house.phonebook(OHIO, JAMAICA, "+12025550100"))
    house.database.write_now(lambda unit: unit.execute(update(Contact).values(zone="America/Guam")))
    people: tuple[dict[str, str], ...] = ({}, {"tz_code": "Europe/Berlin"}, {"gmt_offset": "-5"})
    for line, own in enumerate(people):
        number = f"{OHIO[:-1]}{line}"
        values = {"duplicate_contact": number, "number": number, "zone": "old", **own}
        house.add(Subscriber, campaign_id=campaign_id, **values)
    learn_places(taught(tmp_path, "+1436 America/New_York\n"))
    let_stored_numbers_follow(house.database)
    contacts, subscribers = zones(house)
    assert contacts == ["America/New_York", "America/Jamaica", "America/New_York"]
    assert subscribers == ["America/New_York", "Europe/Berlin@US", "UTC-05:00@US"]
    assert "The zones of 6 stored numbers changed" in capsys.readouterr().err
    let_stored_numbers_follow(house.database)
    assert capsys.readouterr().err == "", "the same rows are not read again"
    learn_places(Settings())
    let_stored_numbers_follow(house.database)
    assert zones(house)[0][0] == zone_of_number(OHIO) != "America/New_York"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "it cannot be read: No such file or directory"),
        (b"\xff\xfe+", "it is no text in UTF-8"),
        (b"#" * (BYTES_MAX + 1), f"it has more than {BYTES_MAX} bytes"),
        (b"+1436 Ohio", "line 1: 'Ohio' is no time zone: write an IANA name, such as 'America/New_York'"),
    ],
)
def test_a_wrong_file_keeps_the_service_from_starting(tmp_path: Path, content: bytes | None, problem: str) -> None:
    path = tmp_path / "places"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SettingsError) as error:
        learn_places(Settings(places_file=path))
    assert str(error.value) == f"DIALER_PLACES_FILE is {str(path)!r}: {problem}"
