"""Tests of a connection lost during a step's commit: the worker reads the rows, and continues."""

from typing import Any

import pytest
from structlog.testing import capture_logs

from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import OutcomeUnknownError, StorageUnavailableError
from dialer.store.tables import CallRequest, Cdr, Gateway, LedgerEntry, Subscriber, User
from tests.runtime.house import ALL_ANSWER, House
from tests.store.lossy import LossyDatabase, Lost

SHORT = {"type": 1, "script": "word"}
PEOPLE = tuple(f"+1202555{number}" for number in range(1_000, 1_006))


def lose(house: House) -> LossyDatabase:
    """Replace the service's database by one that may lose its connection."""
    house.database.close()
    database = house.database = LossyDatabase(house.url)
    house.worker = Worker(database, house.worker.clock, seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
    return database


async def dial_all(house: House, lost: Lost | None) -> list[list[Any]]:
    """Run a campaign that loses every other commit, and return all rows."""
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    database = lose(house)
    await house.started(house.survey(SHORT), house.phonebook(*PEOPLE, "+12025550112"), maxretry=1, intervalretry=60)
    database.lost, database.every = lost, 2
    for _ in range(75):
        try:
            await house.advance(1)
        except StorageUnavailableError:
            assert house.worker.problem() == "storage"
    database.lost = None
    await house.advance(600)
    return [[dict(row) for row in house.rows(model)] for model in (CallRequest, Cdr, LedgerEntry, Subscriber, User)]


async def test_every_callee_is_called_and_charged_once_despite_lost_commits(house: House) -> None:
    """The rows equal those of a run without losses, for losses before and after the commit."""
    rows = {}
    for lost in (None, Lost.BEFORE, Lost.AFTER):
        folder = house.media.parent / str(lost)
        folder.mkdir()
        other = House(folder)
        with capture_logs():  # Printing the tracebacks would take longer than the test.
            rows[lost] = await dial_all(other, lost)
        other.database.close()
    assert len(rows[None][0]) == len(PEOPLE) + 2
    assert rows[Lost.BEFORE] == rows[None]
    assert rows[Lost.AFTER] == rows[None]


async def test_an_unacknowledged_pause_holds(house: House) -> None:
    """The client gets no response, but the campaign is paused, and dials no more."""
    database = lose(house)
    campaign_id = await house.started(house.survey(SHORT), house.phonebook(*PEOPLE))
    database.lost = Lost.AFTER
    with pytest.raises(OutcomeUnknownError):
        await house.move(campaign_id, CampaignStatus.PAUSE)
    database.lost = None
    await house.advance(60)
    assert house.dials_s() == [0]
