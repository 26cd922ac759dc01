"""Tests of jumps of the wall clock: calls keep their length; retries, windows and dates use the wall clock."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.steps.clock import NANOSECONDS, RealClock
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.queries.load_engine import figures_of
from dialer.store.tables import CallRequest, Campaign, Cdr, Gateway, Subscriber, Transfer, User
from tests.runtime.house import ALL_ANSWER, MONDAY_NOON_MS, House
from tests.sizes import examples

Result = TypeVar("Result")
HOUR_MS: Final = 3_600_000
YEAR_MS: Final = 365 * 24 * HOUR_MS
ALWAYS: Final = {"startingdate": MONDAY_NOON_MS - 3 * YEAR_MS, "expirationdate": MONDAY_NOON_MS + 3 * YEAR_MS}
MANY: Final = [f"+1202555{number}" for number in range(1_000, 1_100)]
SHORT: Final = {"type": 1, "script": "word"}  # 1 s
LONG: Final = {"type": 1, "script": "word " * 30}
TO_THE_QUEUE: Final = {"type": 6, "queue_id": 1, "script": "word", "completed": True}
BUSY: Final = "+12025550111"
NOBODY_FREE: Final = '{"answer": 0, "machine": 0, "busy": 1, "rejected": 0, "invalid": 0}'
QUICK: Final = '{"talk": 20, "answer": 3}'
JUMPS: Final = pytest.mark.parametrize("jump_ms", [0, HOUR_MS, -HOUR_MS, YEAR_MS])


class Machine:
    """A machine's two clocks. Time passes on both, and the wall clock may be set."""

    def __init__(self) -> None:
        self.wall_ms = MONDAY_NOON_MS
        self.steady_ms = 5_000

    def clock(self) -> RealClock:
        """Return the clock of a service that starts now."""
        return RealClock(lambda: self.wall_ms * NANOSECONDS, lambda: self.steady_ms * NANOSECONDS)


class RealHouse(House):
    """A service whose worker uses a machine's clock."""

    machine: Machine

    def _open_worker(self) -> Worker:
        if not hasattr(self, "machine"):
            self.machine = Machine()
        return Worker(self.database, self.machine.clock(), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)

    async def go_on(self, seconds: int) -> list[tuple[int, int, int]]:
        """Let time pass, and return for each second the placed calls, the ended calls and the pending subscribers."""
        seen = []
        for _ in range(seconds):
            self.machine.wall_ms += 1_000
            self.machine.steady_ms += 1_000
            await self.worker.settle()
            assert self.worker.problem() is None
            waiting = sum(row["status"] == 1 for row in self.rows(Subscriber))
            seen.append((len(self.rows(CallRequest)), len(self.rows(Cdr)), waiting))
        return seen


@pytest.fixture
def house(tmp_path: Path) -> Iterator[RealHouse]:
    with opened(tmp_path) as one:
        yield one


@contextmanager
def opened(folder: Path) -> Iterator[RealHouse]:
    """Open a service with a database of its own, whose callees all answer and listen."""
    one = RealHouse(folder)
    one.change(Gateway, one.gateway_id, parameters=ALL_ANSWER)
    yield one
    one.database.close()


def changes(seen: list[tuple[int, int, int]]) -> dict[int, tuple[int, int, int]]:
    """Return the seconds in which the counts changed."""
    return {second: now for second, (before, now) in enumerate(pairwise([(0, 0, 0), *seen]), 1) if now != before}


def figures(house: House) -> list[tuple[Any, ...]]:
    """Return the CDRs without their times."""
    names = ("phone_number", "leg_type", "duration", "billsec", "call_cost", "hangup_cause_q850")
    return [tuple(row[name] for name in names) for row in house.rows(Cdr)]


@JUMPS
async def test_a_call_keeps_its_length(house: RealHouse, jump_ms: int) -> None:
    """The call rings for 5 s, and talks for 12 s."""
    await house.started(house.survey(LONG), house.phonebook("+12025551000"))
    seen = await house.go_on(8)
    house.machine.wall_ms += jump_ms
    seen += await house.go_on(12)
    assert changes(seen) == {1: (1, 0, 0), 17: (1, 1, 0)}
    assert figures(house) == [("+12025551000", 1, 17, 12, 2_000, 16)]
    assert house.row(Cdr, 1)["starting_date"] == MONDAY_NOON_MS + jump_ms
    user = house.row(User, house.user_id)
    assert (user["balance"], user["held"]) == (100_000_000 - 2_000, 0)


@pytest.mark.parametrize(
    ("jump_ms", "second"), [(0, 61), (20_000, 41), (HOUR_MS, 31), (YEAR_MS, 31), (-20_000, 81), (-HOUR_MS, 90)]
)
async def test_a_retry_is_due_by_the_wall_and_waits_no_longer_than_its_interval(
    house: RealHouse, jump_ms: int, second: int
) -> None:
    """The number is busy after 1 s and is retried twice after a minute. The clock jumps after half a minute."""
    house.change(Gateway, house.gateway_id, parameters=NOBODY_FREE)
    retries = {"maxretry": 2, "intervalretry": 60}
    await house.started(house.survey(SHORT), house.phonebook("+12025551000"), **retries, **ALWAYS)
    seen = await house.go_on(30)
    house.machine.wall_ms += jump_ms
    seen += await house.go_on(130)
    assert changes(seen) == {
        1: (1, 1, 1),
        second: (2, 1, 0),
        second + 1: (2, 2, 1),
        second + 61: (3, 2, 0),
        second + 62: (3, 3, 0),
    }


async def test_no_dial_outside_the_window_of_the_new_time(house: RealHouse) -> None:
    """The window is 12:00 to 12:30. An hour later it is over, and an hour earlier it has not begun."""
    people = house.phonebook(*MANY)
    window = {"daily_start_time": "07:00:00", "daily_stop_time": "07:30:00"}  # in Washington
    await house.started(house.survey(SHORT), people, **window, **ALWAYS)
    placed = [(await house.go_on(10))[-1][0]]
    for jump_ms in (HOUR_MS, -2 * HOUR_MS, HOUR_MS):
        house.machine.wall_ms += jump_ms
        placed.append((await house.go_on(10))[-1][0])
    assert placed == [11, 11, 11, 21]


async def test_dates_are_those_on_the_wall(house: RealHouse) -> None:
    """A campaign waits before its starting date, and has ended after its expiration date."""
    people = house.phonebook(*MANY)
    dates = {"startingdate": MONDAY_NOON_MS, "expirationdate": MONDAY_NOON_MS + HOUR_MS}
    campaign_id = await house.started(house.survey(SHORT), people, **dates)
    assert (await house.go_on(3))[-1][0] == 4
    house.machine.wall_ms -= HOUR_MS
    assert (await house.go_on(3))[-1][0] == 4
    house.machine.wall_ms += 2 * HOUR_MS
    assert (await house.go_on(3))[-1][0] == 4
    campaign = house.row(Campaign, campaign_id)
    assert (campaign["status"], campaign["status_reason"]) == (CampaignStatus.END, "expired")


@JUMPS
async def test_agents_and_callees_keep_their_waits(house: RealHouse, jump_ms: int) -> None:
    """One agent talks for 20 s and wraps up for 15 s. The second callee waits for them, then hangs up."""
    agent_id = house.agent(parameters=QUICK, wrap_up_time=15)
    house.queue(agent_id, max_wait_time=30)
    people = house.phonebook("+12025551000", "+12025551001", "+12025551002")
    await house.started(house.survey(TO_THE_QUEUE), people, frequency=3, **ALWAYS)
    seen = await house.go_on(8)
    house.machine.wall_ms += jump_ms
    seen += await house.go_on(22)
    house.machine.wall_ms += jump_ms
    seen += await house.go_on(60)
    assert changes(seen) == {
        1: (1, 0, 2),
        20: (2, 0, 1),
        29: (2, 2, 1),
        40: (3, 2, 0),
        67: (3, 4, 0),
        76: (3, 5, 0),
    }
    waited = [(row["reason"], row["ended_ms"] - row["joined_ms"]) for row in house.rows(Transfer)]
    assert waited == [("", 23_000), ("", 41_000), ("max_wait", 30_000)]


SCRIPTS: Final = st.lists(st.tuples(st.integers(1, 25), st.integers(-2 * HOUR_MS, 2 * HOUR_MS)), min_size=1, max_size=4)


async def lived(script: list[tuple[int, int]], *, puts_clock: bool) -> tuple[list[tuple[int, int, int]], Any]:
    """Run a script of jumps, and return the counts of every second, the CDRs and the money."""
    with TemporaryDirectory() as folder, opened(Path(folder)) as house:
        house.queue(house.agent(parameters=QUICK, wrap_up_time=5), max_wait_time=10)
        people = house.phonebook(*(f"+1202555{number}" for number in (1_000, 1_001, 1_002, 1_003)), "+12025550112")
        await house.started(house.survey(SHORT, TO_THE_QUEUE), people, maxretry=0, frequency=10, **ALWAYS)
        seen = []
        for seconds, jump_ms in script:
            house.machine.wall_ms += jump_ms if puts_clock else 0
            seen += await house.go_on(seconds)
        user = house.row(User, house.user_id)
        return seen, (figures(house), user["balance"], user["held"])


@given(SCRIPTS)
@settings(max_examples=examples(6))
async def test_without_retries_jumps_of_the_clock_change_nothing(script: list[tuple[int, int]]) -> None:
    """Dials, talks, waits and wrap-up times are equal in every second."""
    assert await lived(script, puts_clock=True) == await lived(script, puts_clock=False)


@given(SCRIPTS)
@settings(max_examples=examples(3))
async def test_every_attempt_is_made_and_charged_once_despite_jumps_of_the_clock(
    script: list[tuple[int, int]],
) -> None:
    """Two callees answer, and one is busy and is retried twice, by the wall clock."""
    with TemporaryDirectory() as folder, opened(Path(folder)) as house:
        people = house.phonebook(*MANY[:2], BUSY)
        retries = {"maxretry": 2, "intervalretry": 20, "frequency": 30}
        await house.started(house.survey(LONG), people, **retries, **ALWAYS)
        for seconds, jump_ms in script:
            house.machine.wall_ms += jump_ms
            await house.go_on(seconds)
        await house.go_on(70)
        answered = [(number, 1, 17, 12, 2_000, 16) for number in MANY[:2]]
        assert sorted(figures(house)) == sorted([*answered, *[(BUSY, 1, 1, 0, 0, 17)] * 3])
        user = house.row(User, house.user_id)
        assert (user["balance"], user["held"]) == (100_000_000 - 2 * 2_000, 0)


async def test_rows_of_a_clock_that_was_ahead_hold_up_nothing(house: RealHouse) -> None:
    """The clock was a year ahead, and was corrected while the service was down."""
    house.machine.wall_ms += YEAR_MS
    house.restart()
    people = house.phonebook("+12025550112", "+12025551000", "+12025551001")
    await house.started(house.survey(LONG), people, frequency=12, maxretry=1, intervalretry=60, **ALWAYS)
    seen = await house.go_on(12)
    for years in (-1, 0):
        house.machine.wall_ms += years * YEAR_MS
        house.restart()
        await house.worker.settle()
        seen += await house.go_on(50)
    assert changes(seen) == {
        1: (1, 0, 2),
        5: (2, 0, 1),
        10: (3, 0, 0),
        22: (3, 1, 0),
        27: (3, 2, 0),
        45: (3, 3, 1),
        105: (4, 3, 0),
    }
    assert max(row["starting_date"] for row in house.rows(Cdr)) < MONDAY_NOON_MS + HOUR_MS


class UnsureDatabase(Database):
    """A database that loses its connection before (`is_lost`) or during (`is_unsure`) commits."""

    is_unsure = False
    is_lost = False

    def write_now(self, work: Any, patience_ms: int | None = None) -> Any:  # noqa: ANN401 - the result of `work`
        """Do the work, unless the connection is lost before, and report a lost connection."""
        if self.is_lost:
            raise StorageUnavailableError("the connection was lost before the commit")
        result = super().write_now(work, patience_ms)
        if self.is_unsure:
            raise StorageUnavailableError("the connection was lost during the commit")
        return result


@pytest.mark.parametrize("fault", ["is_unsure", "is_lost"])
@JUMPS
async def test_a_jump_is_followed_once(house: RealHouse, jump_ms: int, fault: str) -> None:
    """The commit of the jump fails three times, so its outcome must be read from the database."""
    house.database.close()
    database = house.database = UnsureDatabase(house.url)
    house.worker = Worker(database, house.machine.clock(), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
    await house.started(house.survey(LONG), house.phonebook("+12025551000"))
    seen = await house.go_on(8)
    house.machine.wall_ms += jump_ms
    setattr(database, fault, True)
    for _ in range(3):
        with capture_logs():
            await house.worker.settle()
        assert jump_ms == 0 or house.worker.problem() == "storage"
    setattr(database, fault, False)
    seen += await house.go_on(12)
    assert changes(seen) == {1: (1, 0, 0), 17: (1, 1, 0)}
    assert figures(house) == [("+12025551000", 1, 17, 12, 2_000, 16)]


def test_the_clock_does_not_jump_with_the_machines() -> None:
    machine = Machine()
    clock = machine.clock()
    machine.wall_ms -= HOUR_MS
    machine.steady_ms += 250
    machine.wall_ms += 250
    assert (clock.now_ms(), clock.jumped_ms(), clock.seconds_until(MONDAY_NOON_MS + 1_250)) == (
        MONDAY_NOON_MS + 250,
        -HOUR_MS,
        1.0,
    )
    clock.follow(-HOUR_MS)
    assert (clock.now_ms(), clock.jumped_ms()) == (machine.wall_ms, 0)


@pytest.mark.parametrize("jump_ms", [HOUR_MS, -HOUR_MS, YEAR_MS])
async def test_periods_of_a_limit_of_abandoned_calls_move_with_the_clock(house: RealHouse, jump_ms: int) -> None:
    queue_id = house.queue(house.agent(parameters=QUICK))
    survey = house.survey({**TO_THE_QUEUE, "queue_id": queue_id})
    campaign_id = await house.started(survey, house.phonebook(*MANY[:5]), dial_method=3, **ALWAYS)
    await house.go_on(3)
    before = figures_of(house.row(Campaign, campaign_id)["pacing_figures"]).periods
    house.machine.wall_ms += jump_ms
    await house.go_on(2)
    after = figures_of(house.row(Campaign, campaign_id)["pacing_figures"]).periods
    assert [(one.from_ms, one.until_ms) for one in after] == [
        (one.from_ms + jump_ms, one.until_ms + jump_ms) for one in before
    ]
    assert len(before) == 1
