"""Tests of the watchdog: a call whose end is never reported is ended, also after a restart."""

from pathlib import Path
from typing import Final

import pytest

from dialer.domain.calls.call_events import CallEnded
from dialer.domain.calls.events import Event
from dialer.domain.engine.watchdog import GRACE_MS, LOOKS_EVERY_MS
from dialer.domain.words.enums import CampaignStatus, Cause, SubscriberStatus
from dialer.runtime.steps.kernel import Kernel
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.tables import CallRequest, Campaign, Cdr, Gateway, Subscriber
from tests.runtime.house import ALL_ANSWER, House
from tests.runtime.test_clock_jumps import ALWAYS, SHORT, Machine

STARTS_ANEW_S: Final = (1, 30, 100, 400, 100_000)


class SilentKernel(Kernel):
    """A kernel that drops every report of a call's end."""

    def _happen(self, at_ms: int, rank: int, key: int, sequence: int, event: Event) -> None:
        if not isinstance(event, CallEnded):
            super()._happen(at_ms, rank, key, sequence, event)


class SilentHouse(House):
    """A service on a machine's clock, whose carrier reports nothing after the answer."""

    machine: Machine

    def _open_worker(self) -> Worker:
        if not hasattr(self, "machine"):
            self.machine = Machine()
        return Worker(
            self.database,
            self.machine.clock(),
            seed=1,
            service_zone="UTC",
            new_carrier=SimulatedCarrier,
            new_kernel=lambda engine, carrier, store, now_ms: SilentKernel(engine, carrier, store, now_ms=now_ms),
        )

    async def go_on(self, seconds: int) -> None:
        """Advance the clock, and let the worker handle everything that is due."""
        self.machine.wall_ms += seconds * 1_000
        self.machine.steady_ms += seconds * 1_000
        await self.worker.settle()


@pytest.fixture
async def house(tmp_path: Path) -> SilentHouse:
    one = SilentHouse(tmp_path)
    one.change(Gateway, one.gateway_id, parameters=ALL_ANSWER)
    limits = {"calltimeout": 10, "callmaxduration": 60, "maxretry": 0}
    await one.started(one.survey(SHORT), one.phonebook("+12025550001"), **ALWAYS, **limits)
    await one.go_on(20)
    return one


def gives_up_ms(house: House) -> int:
    """Return the first full minute at which the watchdog ends the only call."""
    call = house.rows(CallRequest)[0]
    overdue_ms: int = call["started_ms"] + call["ring_limit_ms"] + call["talk_limit_ms"] + GRACE_MS
    return -(-overdue_ms // LOOKS_EVERY_MS) * LOOKS_EVERY_MS


def is_given_up(house: House) -> bool:
    """Return whether the only call has failed, at no cost; otherwise it must be in progress."""
    cdrs = [(row["hangup_cause_q850"], row["billsec"], row["call_cost"]) for row in house.rows(Cdr)]
    statuses = [SubscriberStatus(row["status"]) for row in house.rows(Subscriber)]
    assert (cdrs, statuses) in (
        ([], [SubscriberStatus.IN_PROCESS]),
        ([(Cause.TEMPORARY_FAILURE, 0, 0)], [SubscriberStatus.FAIL]),
    )
    return bool(cdrs)


async def test_a_silent_call_is_ended_on_the_full_minute(house: SilentHouse) -> None:
    for _ in range(400):
        await house.go_on(1)
        assert is_given_up(house) is (house.now_ms() >= gives_up_ms(house))
    assert house.row(Campaign, 1)["status"] == CampaignStatus.END


@pytest.mark.parametrize("seconds", STARTS_ANEW_S)
async def test_a_silent_call_is_ended_by_the_next_process_at_its_start(house: SilentHouse, seconds: int) -> None:
    house.database.close()
    house.machine.wall_ms += seconds * 1_000
    house.machine.steady_ms += seconds * 1_000
    house.restart()
    await house.worker.settle()
    assert is_given_up(house) is (house.now_ms() >= gives_up_ms(house))
    await house.go_on(400)
    assert is_given_up(house)
