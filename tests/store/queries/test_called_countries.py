"""Tests of the countries that a campaign calls, as far as they have a known rule on abandoned calls."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event

from dialer.store.queries import called_countries as module
from dialer.store.queries.area_codes import AreaCodes, area_codes_of, phonebooks_of
from dialer.store.queries.called_countries import called_countries
from dialer.store.tables import Subscriber
from tests.databases.choice import is_postgresql
from tests.runtime.house import House

US, CANADA, UK, JAMAICA, SPAIN = "+12025550101", "+14165550101", "+442079460000", "+18765550101", "+34910000000"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    yield house
    house.database.close()


def campaign(house: House, *lists: list[str]) -> int:
    return house.campaign(house.survey({}), *(house.phonebook(*numbers) for numbers in lists))


def lists_of(connection: Connection, campaign_id: int) -> list[AreaCodes]:
    return area_codes_of(connection, campaign_id, phonebooks_of(connection, campaign_id))


def countries(house: House, campaign_id: int) -> set[str]:
    return set(house.database.read_now(lambda one: called_countries(one, lists_of(one, campaign_id))))


@pytest.mark.parametrize(
    ("numbers", "found"),
    [
        ([], set()),
        ([SPAIN, JAMAICA], set()),
        ([US], {"US"}),
        ([CANADA, "+14165550102", JAMAICA], {"CA"}),
        ([CANADA, US, UK], {"CA", "GB", "US"}),
        (["+17875550101"], {"US"}),
        (["+14365550101"], {"CA", "US"}),
    ],
)
def test_countries_are_told_by_the_numbers_of_all_lists(house: House, numbers: list[str], found: set[str]) -> None:
    assert countries(house, campaign(house, numbers[::2], numbers[1::2])) == found


def test_subscribers_count_without_contacts(house: House) -> None:
    campaign_id = campaign(house, [])
    for number in (CANADA, UK):
        person = {"duplicate_contact": number, "number": number, "zone": "UTC"}
        house.add(Subscriber, campaign_id=campaign_id, **person)
    assert countries(house, campaign_id) == {"CA", "GB"}


def test_more_area_codes_than_are_looked_up_count_as_both_countries(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AREA_CODES_MAX", 1)
    assert countries(house, campaign(house, [CANADA, JAMAICA])) == {"CA", "US"}


def test_numbers_of_one_area_code_cost_one_look_up(house: House) -> None:
    campaign_id = campaign(house, [f"+1416555{line:04}" for line in range(50)])
    asked: list[tuple[str, Any]] = []

    def read(connection: Connection) -> None:
        event.listen(connection, "before_cursor_execute", lambda *given: asked.append((given[2], given[3])))
        called_countries(connection, lists_of(connection, campaign_id))

    house.database.read_now(read)
    assert len(asked) == 6, "the phonebooks, +44 and +1 of both lists, and what follows +1416 in the phonebook"
    if not is_postgresql():
        plans = house.database.read_now(lambda connection: [_plan(connection, *one) for one in asked[1:]])
        assert [plan for plan in plans if "SCAN" in plan] == []


def _plan(connection: Connection, text: str, values: Any) -> str:  # noqa: ANN401 - the driver's parameters
    return str(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values).all())
