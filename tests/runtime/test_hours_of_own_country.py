"""Tests of the law of the country where a person is, as a list names it: its holidays hold beside those of the number.

Both holidays are from the laws themselves, and fall on a workday of 2027.
"""

from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

import pytest

from dialer.app.imports.imports import import_csv
from dialer.app.imports.number_rows import ContactRows
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.tables import CallRequest, Contact, Gateway
from tests.runtime.house import AS_REAL, House

FRENCH, SPANISH = "+33612345678", "+34612345678"
FRENCH_IN_SPAIN, SPANISH_IN_FRANCE = "+33612345679", "+34612345679"
FILE: Final = (f"contact,País\n{FRENCH},\n{SPANISH},\n{FRENCH_IN_SPAIN},España\n{SPANISH_IN_FRANCE},Francia\n").encode()
ZONE: Final = ZoneInfo("Europe/Paris")
"""The clock of France, and of Spain without its islands."""
SPANISH_HOLIDAY: Final = "2027-10-12"
"""Fiesta Nacional de España, a Tuesday (Ley 18/1987)."""
FRENCH_HOLIDAY: Final = "2027-07-14"
"""Fête nationale, a Wednesday (Code du travail, L3133-1)."""


def imported(house: House) -> int:
    """Import the list, and return its phonebook."""
    phonebook_id = house.phonebook()
    rows = ContactRows(phonebook_id, region="ES", user_id=house.user_id)
    report = import_csv([FILE], rows, house.perform)
    assert (report.imported, report.errors) == (4, [])
    return phonebook_id


async def first_calls(house: House, day: str) -> dict[str, str]:
    """Return when each person is called who is imported as a day begins, by the local clock."""
    midnight_ms = int(datetime.fromisoformat(day).replace(tzinfo=ZONE).timestamp()) * 1_000
    house.worker = Worker(
        house.database, VirtualClock(midnight_ms), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier,
        new_lines=None,
    )  # fmt: skip
    house.change(Gateway, house.gateway_id, **AS_REAL)
    house.callerid = "+12025550100"
    await house.started(house.survey({"type": 1, "script": "word"}), imported(house))
    await house.advance(2 * 86_400)
    calls = {row["phone_number"]: row["started_ms"] for row in house.rows(CallRequest)}
    return {number: f"{datetime.fromtimestamp(at // 1_000, ZONE):%d %H:%M}" for number, at in calls.items()}


@pytest.mark.parametrize(
    ("day", "first"),
    [
        (
            SPANISH_HOLIDAY,
            {FRENCH: "12 10:00", SPANISH: "13 10:00", FRENCH_IN_SPAIN: "13 11:00", SPANISH_IN_FRANCE: "13 10:00"},
        ),
        (
            FRENCH_HOLIDAY,
            {FRENCH: "15 10:00", SPANISH: "14 10:00", FRENCH_IN_SPAIN: "15 11:00", SPANISH_IN_FRANCE: "15 10:00"},
        ),
    ],
)
async def test_nobody_is_called_on_a_holiday_of_the_number_or_of_the_own_country(
    house: House, day: str, first: dict[str, str]
) -> None:
    """French law begins at 10:00, Spanish law at 9:00. In Spain, the clock of the Canary Islands counts too."""
    assert await first_calls(house, day) == first
    own = [row["tz_code"] for row in house.rows(Contact)]
    assert own == ["", "", "Atlantic/Canary&Europe/Madrid@ES", "Europe/Paris@FR"]
