"""Tests of the worker: failed steps, running clocks, and calls that outlive a restart or a campaign."""

from collections.abc import Callable
from typing import TypeVar

import pytest
from sqlalchemy import Connection, delete

from dialer.app.campaigns.change import start_campaign
from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.figures.statistics import Grouping
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.runtime.steps.clock import ScaledClock
from dialer.runtime.steps.worker import NotVirtualError, Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.tables import CallRequest, Campaign, CampaignHour, Cdr, Contact, Gateway, Subscriber, User
from tests.runtime.house import CENTS, MONDAY_NOON_MS, House

Result = TypeVar("Result")
SHORT = {"type": 1, "script": "word"}  # 1 s


class FullDisk(Database):
    """A database whose commits fail while `is_full`."""

    is_full = False

    def write_now(self, work: Callable[[Connection], Result], patience_ms: int | None = None) -> Result:
        """Do all the work, then fail and roll back if the disk is full."""
        if not self.is_full:
            return super().write_now(work, patience_ms)

        def lost(connection: Connection) -> Result:
            work(connection)
            message = "database or disk is full"
            raise StorageUnavailableError(message)

        return super().write_now(lost, patience_ms)


class HandClock:
    """A running clock that the test moves."""

    mode = "x60"

    def __init__(self) -> None:
        self.at_ms = MONDAY_NOON_MS

    def now_ms(self) -> int:
        """Return the time."""
        return self.at_ms

    def seconds_until(self, at_ms: int) -> float | None:
        """Return the seconds until a moment, on a clock at 60 times real time."""
        return (at_ms - self.at_ms) / 60_000


async def test_a_step_that_cannot_be_committed_leaves_nothing_and_is_done_later(house: House) -> None:
    """There is no dial while the disk is full, and all dials are made once there is space."""
    await house.started(house.survey(SHORT), house.phonebook("+12025550111", "+12025550100"))
    house.database.close()
    database = FullDisk(house.url)
    house.database = database
    house.worker = Worker(database, house.worker.clock, seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
    database.is_full = True
    with pytest.raises(StorageUnavailableError):
        await house.advance(60)
    assert house.worker.problem() == "storage"
    assert (len(house.rows(CallRequest)), house.now_ms()) == (1, MONDAY_NOON_MS)
    database.is_full = False
    await house.advance(60)
    assert house.worker.problem() is None
    figures = [(row["phone_number"], row["starting_date"] - MONDAY_NOON_MS) for row in house.rows(Cdr)]
    assert figures == [("+12025550111", 0), ("+12025550100", 1_000)]
    user = house.row(User, house.user_id)
    assert (user["balance"], user["held"]) == ((100_000 - 2) * CENTS, 0)


async def test_a_running_clock_is_followed(house: House) -> None:
    """Events that are due at a step happen at the moments at which they were due."""
    clock = HandClock()
    house.worker = Worker(house.database, clock, seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
    await house.started(house.survey(SHORT), house.phonebook("+12025550111", "+12025550114", "+12025550115"))
    clock.at_ms += 60_000
    await house.worker.settle()
    assert [row["starting_date"] - MONDAY_NOON_MS for row in house.rows(Cdr)] == [0, 1_000, 2_000]
    with pytest.raises(NotVirtualError):
        await house.worker.advance(clock.at_ms + 1)


def test_a_scaled_clock_waits_so_many_times_shorter() -> None:
    """A minute of a clock at x60 is at most a second. A past moment is due at once."""
    clock = ScaledClock(MONDAY_NOON_MS, 60)
    rest = clock.seconds_until(MONDAY_NOON_MS + 60_000)
    assert rest is not None
    assert 0 <= rest <= 1
    assert clock.seconds_until(MONDAY_NOON_MS - 1) == 0


async def test_a_call_outlives_a_restart_and_its_campaign(house: House) -> None:
    """The campaign ends while the call rings. After a restart the call ends as before, and no retry follows."""
    campaign_id = await house.started(house.survey(SHORT), house.phonebook("+12025550112"), maxretry=5)
    await house.advance(10)
    await house.move(campaign_id, CampaignStatus.END)
    house.restart()
    await house.advance(3_600)
    assert [(row["duration"], row["hangup_cause_q850"]) for row in house.rows(Cdr)] == [(45, 19)]
    assert [row["status"] for row in house.rows(Subscriber)] == [SubscriberStatus.PENDING]


async def test_a_call_keeps_the_behaviour_it_was_dialled_under(house: House) -> None:
    """The gateway's parameters change while it rings, and the worker restarts. The callee still answers."""
    patient = '{"answer": 1, "machine": 0, "busy": 0, "rejected": 0, "invalid": 0, "ring": 30}'
    house.change(Gateway, house.gateway_id, parameters=patient)
    await house.started(house.survey(SHORT), house.phonebook("+12025551000"))
    await house.advance(10)
    house.change(CallRequest, 1, parameters=patient)
    house.change(Gateway, house.gateway_id, parameters='{"answer": 0}')
    house.restart()
    await house.advance(60)
    assert [(row["duration"], row["billsec"]) for row in house.rows(Cdr)] == [(32, 1)]


async def test_a_subscriber_whose_contact_went_is_not_called_again(house: House) -> None:
    """The contact is deleted during the call. The call ends normally, and ABORT replaces the retry."""
    await house.started(house.survey(SHORT), house.phonebook("+12025550112"), maxretry=5)
    await house.advance(10)
    house.change(Subscriber, 1, halt_reason="contact_deleted", contact_id=None)
    await house.advance(3_600)
    states = [(row["status"], row["status_reason"]) for row in house.rows(Subscriber)]
    assert states == [(SubscriberStatus.ABORT, "contact_deleted")]
    assert len(house.rows(Cdr)) == 1


async def test_an_invalid_campaign_holds_up_no_other(house: House) -> None:
    """Its row has an unknown `amd_behavior`: the campaign stands still, and another one dials."""
    broken = await house.started(house.survey(SHORT), house.phonebook("+12025550112"))
    other = house.campaign(house.survey(SHORT), house.phonebook("+12025550111"))
    house.change(Campaign, broken, amd_behavior=9)
    await house.move(other, CampaignStatus.START)
    await house.advance(100)
    figures = [(row["campaign_id"], row["hangup_cause_q850"]) for row in house.rows(Cdr)]
    assert figures == [(other, 17), (broken, 19)]


async def test_a_zone_that_this_machine_does_not_know_holds_up_nobody(house: House) -> None:
    """The database is from a machine with newer zones. That subscriber is refused, and the others are called."""
    window = {"daily_start_time": "01:00:00"}
    campaign_id = house.campaign(house.survey(SHORT), house.phonebook("+12025550111", "+12025550114"), **window)
    house.perform(lambda unit: start_campaign(unit, campaign_id))
    house.change(Subscriber, 1, zone="Atlantis/Capital")
    await house.advance(100)
    states = [(row["status"], row["status_reason"]) for row in house.rows(Subscriber)]
    assert states == [(SubscriberStatus.NOT_AUTHORIZED, "tz_unknown"), (SubscriberStatus.FAIL, "invalid_number")]


async def test_a_cdr_names_the_contact_of_the_dial(house: House) -> None:
    """The contact is deleted while it rings, and the worker restarts. The CDR still names it."""
    await house.started(house.survey(SHORT), house.phonebook("+12025550112"))
    await house.advance(10)
    house.database.write_now(lambda connection: connection.execute(delete(Contact)))
    house.restart()
    await house.advance(100)
    assert [row["contact_id"] for row in house.rows(Cdr)] == [1]


async def test_a_number_that_may_be_in_many_time_zones_is_dialled_and_counted(house: House) -> None:
    """The zone key of a toll-free number has hundreds of characters."""
    await house.started(house.survey(SHORT), house.phonebook("+18005550100"))
    await house.advance(60)
    zone = zone_of_number("+18005550100")
    assert [row["zone"] for row in house.rows(Cdr)] == [zone]
    assert [row["member"] for row in house.rows(CampaignHour) if row["grouping"] == Grouping.ZONE] == [zone]
