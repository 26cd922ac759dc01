"""A clock that goes by itself: settling comes to its end, and what a restart takes up has happened once."""

from typing import Final

import pytest

from dialer.domain.enums import TransferStatus
from dialer.store.models import Cdr, Gateway, Transfer
from dialer.worker.worker import Worker
from tests.worker.house import ALL_ANSWER, MONDAY_NOON_MS, House

SHORT: Final = {"type": 1, "script": "word"}
TO_THE_QUEUE: Final = {"type": 6, "queue_id": 1, "script": "word", "completed": True}


class HandClock:
    """A clock that goes by itself: moved by the test, and by `hurry_ms` whenever anybody looks."""

    mode = "x60"

    def __init__(self) -> None:
        self.at_ms = MONDAY_NOON_MS
        self.hurry_ms = 0

    def now_ms(self) -> int:
        """The time."""
        self.at_ms += self.hurry_ms
        return self.at_ms

    def seconds_until(self, at_ms: int) -> float | None:
        """As if it were real."""
        return (at_ms - self.at_ms) / 1_000


async def test_settling_ends_though_more_falls_due_all_the_time(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """One event a step, and a minute of the service a look: what is due at the beginning is done, and no more."""
    monkeypatch.setattr("dialer.worker.worker.EVENTS_PER_STEP", 1)
    people = house.phonebook(*(f"+1202555{number}" for number in range(1_000, 1_030)))
    clock = HandClock()
    house.worker = Worker(house.database, clock, seed=1, service_zone="UTC")
    await house.started(house.survey(SHORT), people, frequency=6)
    clock.hurry_ms = 60_000
    await house.worker.settle()
    assert house.dials_s() == [0, 10, 20, 30, 40, 50, 60]
    assert house.worker.problem() is None


async def test_what_has_happened_in_a_call_does_not_happen_again(house: House) -> None:
    """It comes to its queue half a second after the clock was stored last; then the process ends."""
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    house.queue(house.agent(parameters='{"talk": 20, "answer": 3}'))
    clock = HandClock()
    house.worker = Worker(house.database, clock, seed=1, service_zone="UTC")
    await house.started(house.survey(TO_THE_QUEUE), house.phonebook("+12025551000"))
    for _ in range(60):
        clock.at_ms += 700
        await house.worker.settle()
        house.worker = Worker(house.database, clock, seed=1, service_zone="UTC")
        await house.worker.settle()
    transfers = [(row["place"], row["status"]) for row in house.rows(Transfer)]
    assert (transfers, len(house.rows(Cdr))) == ([(1, TransferStatus.OVER)], 2)
