"""Tests of steps on the real clock: one commit serves the simulated events of a moment and of the time after it."""

import tempfile
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps.coordinator import Alone
from dialer.runtime.steps.step_extent import AHEAD_MS, QUIET_MS
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.tables import CallRequest, Campaign, Cdr, Gateway, Subscriber
from tests.runtime.house import MONDAY_NOON_MS, House
from tests.vopr.clocks import PatientClock

SHORT: Final = {"type": 1, "script": "word"}
PEOPLE: Final = 150
FIFTY_A_SECOND: Final = 3_000


class Member(Alone):
    """The coordinator of a worker beside others."""

    is_alone = False


def open_worker(house: House, coordinator: Alone | None = None) -> PatientClock:
    """Replace the worker by one on a real clock, and return that."""
    clock = PatientClock(MONDAY_NOON_MS)
    house.worker = Worker(
        house.database,
        clock,
        seed=1,
        service_zone="UTC",
        new_carrier=SimulatedCarrier,
        coordinator=coordinator,
    )
    return clock


async def start(house: House) -> int:
    """Start a campaign that dials every 20 ms."""
    numbers = [f"+1202555{number}" for number in range(1_000, 1_000 + PEOPLE)]
    return await house.started(house.survey(SHORT), house.phonebook(*numbers), frequency=FIFTY_A_SECOND)


async def proceed(house: House, clock: PatientClock, seconds: float) -> int:
    """Let the worker go on for some time, up to the end of a step. Return the number of its steps."""
    steps, until_ms = 0, clock.now_ms() + int(seconds * 1_000)
    while clock.now_ms() < until_ms:
        await house.worker.proceed()
        steps += 1
    clock.waits = False
    await house.worker.proceed()
    clock.waits = True
    return steps + 1


def written(house: House) -> dict[str, list[Any]]:
    """Return the rows of calls and subscribers."""
    return {model.__tablename__: list(map(dict, house.rows(model))) for model in (CallRequest, Cdr, Subscriber)}


def ahead_ms(house: House, clock: PatientClock) -> int:
    """Return how far the last dial is ahead of the clock; not above zero if it is not."""
    return int(max(row["started_ms"] for row in house.rows(CallRequest))) - clock.now_ms()


async def test_the_calls_are_those_of_a_virtual_clock(house: House, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = House(tmp_path / "other")
    await start(other)
    await other.advance(60)
    clock = open_worker(house)
    await start(house)
    await proceed(house, clock, 60)
    assert written(house) == written(other)
    other.database.close()


async def test_a_commit_serves_several_dials_and_none_is_late(house: House) -> None:
    clock = open_worker(house)
    await start(house)
    await proceed(house, clock, QUIET_MS / 1_000)
    before = len(house.rows(CallRequest))
    steps = await proceed(house, clock, 1)
    dials = len(house.rows(CallRequest)) - before
    assert (dials >= 50, steps <= dials // 4) == (True, True)
    assert 0 < ahead_ms(house, clock) <= AHEAD_MS


async def test_changes_in_a_row_are_answered_at_once(house: House) -> None:
    """After a change of a user nothing is decided ahead for a while, so the next one waits for nothing."""
    clock = open_worker(house)
    campaign_id = await start(house)
    await proceed(house, clock, 2)
    assert ahead_ms(house, clock) > 0
    await house.move(campaign_id, CampaignStatus.PAUSE)
    await house.move(campaign_id, CampaignStatus.START)
    await proceed(house, clock, 0.2)
    assert ahead_ms(house, clock) <= 0


@given(after_ms=st.integers(0, 2_500))
@settings(max_examples=12, deadline=None)
def test_no_dial_ever_follows_the_answer_to_a_pause(after_ms: int) -> None:
    async def pause(house: House) -> None:
        clock = open_worker(house)
        campaign_id = await start(house)
        await proceed(house, clock, after_ms / 1_000)
        await house.move(campaign_id, CampaignStatus.PAUSE)
        answered_ms, dials = clock.now_ms(), house.rows(CallRequest)
        assert max(row["started_ms"] for row in dials) <= answered_ms
        await proceed(house, clock, 3)
        assert len(house.rows(CallRequest)) == len(dials)
        assert house.row(Campaign, campaign_id)["status"] == CampaignStatus.PAUSE

    with tempfile.TemporaryDirectory() as folder:
        one = House(Path(folder))
        anyio.run(pause, one)
        one.database.close()


@pytest.mark.parametrize("takes_part", ["line", "worker"])
async def test_nothing_is_decided_ahead_where_others_take_part(house: House, takes_part: str) -> None:
    """A telephone must not ring early, and other workers share the limits of gateways."""
    if takes_part == "line":
        house.add(Gateway, name="line", protocol="sip")
    clock = open_worker(house, Member(house.database) if takes_part == "worker" else None)
    await start(house)
    await proceed(house, clock, 2)
    assert len(house.rows(CallRequest)) >= 80
    assert ahead_ms(house, clock) <= 0


async def test_a_killed_process_dials_nobody_twice(house: House) -> None:
    """Calls that were decided ahead are on record. The next process goes on after them, each subscriber called once."""
    clock = open_worker(house)
    await start(house)
    await proceed(house, clock, 2)
    assert ahead_ms(house, clock) > 0
    house.restart()
    now_ms = clock.now_ms()
    clock = open_worker(house)
    clock.go_on(now_ms - MONDAY_NOON_MS, 0)
    await proceed(house, clock, 3)
    first = [row["subscriber_id"] for row in house.rows(CallRequest) if row["attempt"] == 1]
    assert sorted(first) == [row["id"] for row in house.rows(Subscriber)]
