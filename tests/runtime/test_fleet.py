"""Tests of workers that share a service: who is alive, who is replaced, and by when."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any, Final

import pytest

from dialer.runtime.clock import NANOSECONDS, RealClock
from dialer.runtime.coordinator import LeaseLostError
from dialer.runtime.fleet import Fleet
from dialer.store.backends.backend import backend_for
from dialer.store.database import Database
from dialer.store.fleet.changes import announce, last_change
from dialer.store.fleet.leases import LEASE_MS
from dialer.store.fleet.seats import is_seen_by_all
from dialer.store.fleet.shards import owners
from dialer.store.tables import User
from dialer.store.touched import NOTHING, touch
from tests.new_database import new_database

START_MS: Final = 1_795_000_000_000
LOOKS_MAX: Final = 10_000


class Workers:
    """Workers of one service, whose clocks all show `now_ms`."""

    def __init__(self, url: str, until_the_end: ExitStack) -> None:
        self.url: Final = url
        self.now_ms = START_MS
        self._until_the_end: Final = until_the_end
        self.database: Final = until_the_end.enter_context(closing(Database(url, announce=announce)))

    def join(self, name: str) -> Fleet:
        """Let another worker join, in a process that others can see."""
        clock = RealClock(lambda: self.now_ms * NANOSECONDS, lambda: self.now_ms * NANOSECONDS)
        fleet = Fleet(name, clock, database_ms=lambda _: self.now_ms, steady_ms=lambda: self.now_ms)
        self.show(fleet)
        self.database.write_now(fleet.join)
        return fleet

    def show(self, fleet: Fleet) -> None:
        """Show that the process of a worker lives."""
        backend = backend_for(self.url)
        presence = fleet.presence = backend.open_presence(backend.synchronous_url(self.url))
        self._until_the_end.callback(presence.close)

    def step(self, fleet: Fleet) -> None:
        """Let a worker begin a step, and build its engine if it has to."""

        def work(connection: Any) -> None:  # noqa: ANN401 - a connection
            if fleet.begin(connection) is None:
                fleet.open_state(connection, self.now_ms)
            fleet.save(connection, None, has_worked=True, wishes=0)
            touch(connection, NOTHING)

        self.database.write_now(work)

    def kill(self, fleet: Fleet) -> None:
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
    workers.database.write_now(lambda connection: connection.execute(User.__table__.insert().values(**values)))

    def is_seen() -> bool:
        change = workers.ask(last_change)
        return bool(workers.ask(lambda connection: is_seen_by_all(connection, change, workers.now_ms)))

    assert not is_seen()
    workers.step(second)
    assert not is_seen()
    workers.kill(first)
    assert is_seen()
