"""Tests of workers that share a service: who is alive, who is replaced, and by when."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import Connection, insert
from structlog.testing import capture_logs

from dialer.app.campaigns.change import change_campaign
from dialer.domain.calls.plans import GatewayKey
from dialer.domain.words.enums import CampaignStatus
from dialer.runtime.fleet.fleet_coordinator import FleetCoordinator
from dialer.runtime.steps.clock import NANOSECONDS, RealClock
from dialer.runtime.steps.coordinator import Alone, LeaseLostError, Wishes
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.backends.backend import backend_for
from dialer.store.database import migrate
from dialer.store.database.database import Database
from dialer.store.database.touched import NOTHING, Touched, touch
from dialer.store.fleet.changes import announce, last_change
from dialer.store.fleet.leases import LEASE_MS
from dialer.store.fleet.shards import owners
from dialer.store.fleet.worker_positions import is_seen_by_all
from dialer.store.tables import CallRequest, Cdr, DncContact, Subscriber, User
from tests.new_database import new_database
from tests.runtime.house import House

START_MS: Final = 1_795_000_000_000
LOOKS_MAX: Final = 10_000
BUSY: Final = "+12025550111"
GROWN: Final = ("callrequest", "campaign", "cdr", "contact", "seat", "service_state", "subscriber", "user_account")


class Workers:
    """Workers of one service, whose clocks all show `now_ms`."""

    def __init__(self, url: str, until_the_end: ExitStack) -> None:
        self.url: Final = url
        self.now_ms = START_MS
        self._until_the_end: Final = until_the_end
        self.database: Final = until_the_end.enter_context(closing(Database(url, announce=announce)))

    def join(self, name: str) -> FleetCoordinator:
        """Let another worker join, in a process that others can see."""
        clock = RealClock(lambda: self.now_ms * NANOSECONDS, lambda: self.now_ms * NANOSECONDS)
        fleet = FleetCoordinator(name, clock, database_ms=lambda _: self.now_ms, steady_ms=lambda: self.now_ms)
        self.show(fleet)
        self.database.write_now(fleet.join)
        return fleet

    def show(self, fleet: FleetCoordinator) -> None:
        """Show that the process of a worker lives."""
        backend = backend_for(self.url)
        presence = fleet.presence = backend.open_presence(backend.synchronous_url(self.url))
        self._until_the_end.callback(presence.close)

    def step(self, fleet: FleetCoordinator) -> None:
        """Let a worker begin a step, and build its engine if it has to."""

        def work(connection: Any) -> None:  # noqa: ANN401 - a connection
            if fleet.begin(connection) is None:
                fleet.open_state(connection, self.now_ms)
            fleet.save(connection, None, has_worked=True, wishes=Wishes())
            touch(connection, NOTHING)

        self.database.write_now(work)

    def kill(self, fleet: FleetCoordinator) -> None:
        """End the process of a worker: it says nothing any more, and the system closes its files and connections."""
        presence = fleet.presence
        assert presence is not None
        presence.close()
        backend = backend_for(self.url)
        for _ in range(LOOKS_MAX):  # A server notices it a moment later.
            if not self.ask(lambda connection: backend.present(connection, [presence.mark])):
                return
        raise AssertionError("the process seems to live")

    def ask(self, question: Callable[[Any], Any]) -> Any:  # noqa: ANN401 - whatever is asked
        """Return the answer of a query."""
        return self.database.read_now(question)

    def owners(self) -> set[int | None]:
        """Return the workers that own shards."""
        return set(self.ask(owners).values())


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    """Return a service without workers."""
    with ExitStack() as until_the_end:
        yield Workers(new_database(tmp_path), until_the_end)


def test_a_worker_whose_process_has_ended_is_replaced_before_its_lease_is_over(workers: Workers) -> None:
    first, second = workers.join("w1"), workers.join("w2")
    workers.step(first)
    assert not workers.ask(second.has_gone)
    workers.kill(first)
    assert workers.ask(second.has_gone)
    workers.database.write_now(second.arrange)
    assert workers.owners() == {second.worker_id}
    assert dict(second.takeovers) == {"process": 1}
    with pytest.raises(LeaseLostError):
        workers.step(first)


async def test_a_lost_lease_is_one_line_of_the_log(workers: Workers) -> None:
    """It is expected after a freeze, so it is no error with a traceback."""
    first, second = workers.join("w1"), workers.join("w2")
    worker = Worker(
        workers.database,
        first.clock,
        seed=1,
        service_zone="UTC",
        new_carrier=SimulatedCarrier,
        new_lines=None,
        coordinator=first,
    )
    await worker.settle()
    workers.kill(first)
    workers.database.write_now(second.arrange)
    workers.show(first)
    with capture_logs() as logs:
        await worker.settle()
    assert logs == [{"event": "lease_lost", "log_level": "warning", "why": "this worker was replaced"}]
    assert worker.problem() == "lease"


@pytest.mark.parametrize(("passed_ms", "reasons"), [(LEASE_MS - 2, {}), (LEASE_MS - 1, {"lease": 1})])
def test_a_worker_that_is_frozen_is_replaced_when_its_lease_is_over(
    workers: Workers, passed_ms: int, reasons: dict[str, int]
) -> None:
    first = workers.join("w1")
    workers.now_ms += 1
    second = workers.join("w2")
    workers.now_ms += passed_ms
    workers.database.write_now(second.renew)
    workers.database.write_now(second.arrange)
    assert (dict(second.takeovers), first.worker_id in workers.owners()) == (reasons, not reasons)


def test_a_worker_that_lost_its_sign_does_not_step_until_it_has_shown_another(workers: Workers) -> None:
    class Lost:
        """A sign that others no longer see."""

        mark = "1 1"

        def is_lost(self) -> bool:
            return True

        def close(self) -> None:
            pass

    first, second = workers.join("w1"), workers.join("w2")
    assert first.may_step()
    workers.kill(first)
    first.presence = Lost()
    assert not first.may_step()
    workers.show(first)
    assert workers.ask(second.has_gone)
    workers.database.write_now(first.renew)
    assert (first.may_step(), workers.ask(second.has_gone)) == (True, False)


def test_an_answer_waits_for_workers_that_live_only(workers: Workers) -> None:
    first, second = workers.join("w1"), workers.join("w2")
    for one in (first, second):
        workers.step(one)
    values = {"username": "ann", "username_key": "ann", "password_hash": "-", "created_date": 0, "updated_date": 0}
    workers.database.write_now(lambda connection: connection.execute(insert(User).values(**values)))

    def is_seen() -> bool:
        change = workers.ask(last_change)
        return bool(workers.ask(lambda connection: is_seen_by_all(connection, change, workers.now_ms)))

    assert not is_seen()
    workers.step(second)
    assert not is_seen()
    workers.kill(first)
    assert is_seen()


class Beside(Alone):
    """Another worker's callee asks not to be called again in the middle of a step, which sees that only at its end."""

    def __init__(self, house: House, dnc_id: int, number: str) -> None:
        super().__init__(house.database)
        self._entry: Final = {"dnc_id": dnc_id, "number": number, "phone_number": number}
        self._entry.update(created_date=0, updated_date=0)
        self.outdated = 0
        self._is_committed = False
        self._connection: Any = None

    def begin(self, connection: Connection) -> Touched | None:
        self._connection = connection
        if self.outdated and not self._is_committed:
            self._is_committed = True
            self._ask()
        return super().begin(connection)

    def take_lent(self) -> frozenset[GatewayKey]:
        if not self.outdated:
            self._ask()
        return super().take_lent()

    def _ask(self) -> None:
        self._connection.execute(insert(DncContact).values(**self._entry))

    def is_outdated(self, connection: Connection) -> bool:  # noqa: ARG002 - as the protocol
        self.outdated += 1
        return True


async def test_a_wish_that_another_worker_commits_meanwhile_stops_the_dial_and_nobody_else(house: House) -> None:
    asked, other = "+12025550111", "+12025550114"
    dnc_id = house.dnc_list()
    campaign_id = house.campaign(
        house.survey({"type": 1, "script": "hello"}), house.phonebook(asked, other), dnc_id=dnc_id
    )
    house.perform(lambda unit: change_campaign(unit, campaign_id, {"status": CampaignStatus.START}))
    beside = Beside(house, dnc_id, asked)
    house.worker = Worker(
        house.database,
        house.worker.clock,
        seed=1,
        service_zone="UTC",
        new_carrier=SimulatedCarrier,
        coordinator=beside,
    )
    await house.advance(3_600)
    assert beside.outdated == 1
    assert {row["phone_number"] for row in house.rows(CallRequest)} == {other}
    assert house.rows(Subscriber)[0]["status_reason"] == "dnc"
    assert dict(house.worker.figures().broken) == {}


async def test_dialling_goes_on_while_a_later_revision_adds_to_the_tables(house: House) -> None:
    """Code of this revision reads and writes tables that have more columns, and starts on them."""
    added = [f"ALTER TABLE {table} ADD COLUMN later VARCHAR(9) DEFAULT 'x' NOT NULL" for table in GROWN]
    removed = [f"ALTER TABLE {table} DROP COLUMN later" for table in GROWN]

    def run(*statements: str) -> None:
        house.database.write_now(lambda connection: [connection.exec_driver_sql(one) for one in statements])

    newest = house.database.read_now(
        lambda one: one.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    )
    survey_id, phonebook_id = house.survey({"type": 1, "script": "hello"}), house.phonebook(BUSY)
    await house.started(survey_id, phonebook_id, maxretry=2, intervalretry=600)
    await house.advance(1)
    calls = [len(house.rows(CallRequest))]
    try:
        run(*added, "UPDATE alembic_version SET version_num = '9999_from_0001'")
        await house.advance(700)
        calls.append(len(house.rows(CallRequest)))
        migrate.check(house.url)
        house.restart()
        await house.advance(700)
    finally:
        run(*removed, f"UPDATE alembic_version SET version_num = '{newest}'")  # noqa: S608 - a revision
    assert [*calls, len(house.rows(CallRequest))] == [1, 2, 3]
    assert len(house.rows(Cdr)) == len(calls) + 1
