"""Tests of two API processes over one database: what one is told, the other knows, and limits hold for both."""

from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack, closing
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import Connection, create_engine
from sqlalchemy.pool import StaticPool

from dialer.api.app import create_app
from dialer.api.http.auth import Authenticator
from dialer.api.http.limits import PARTS, SharedLimits
from dialer.api.http.throttle import NAME_FAILURES_MAX, NAME_WAIT_S, PAIR_FAILURES_MAX
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.tables import Row
from tests.api.harness import HOST, NOW_MS, PASSWORD, Caller, FakeWorker
from tests.api.quick_client import QuickClient

LIMIT: Final = 100
"""Requests a minute."""
BESIDE: Final = 2 * (LIMIT // PARTS)
"""Requests that a process may allow beside the limit."""
MINUTE_MS: Final = 60_000


class Pair(NamedTuple):
    """Two API processes, and their time."""

    first: TestClient[Litestar]
    second: TestClient[Litestar]
    worker: FakeWorker


@pytest.fixture(scope="module")
def both(database_of_session: Database) -> Iterator[Pair]:
    """Start two API processes, which takes longer than the tests."""
    worker = FakeWorker()
    with ExitStack() as until_the_end:
        clients = []
        for _ in range(2):
            own = until_the_end.enter_context(
                closing(Database(database_of_session.url.render_as_string(), synchronous="OFF"))
            )
            limits = SharedLimits(own, LIMIT, worker.virtual.now_ms)
            authenticator = Authenticator(own, limits=limits, clock_ms=worker.virtual.now_ms)
            app = create_app(Settings(), database=own, worker=worker, authenticator=authenticator)
            clients.append(until_the_end.enter_context(QuickClient(app, base_url=f"http://{HOST}")))
        yield Pair(clients[0], clients[1], worker)


@pytest.fixture
def pair(both: Pair, database: Database) -> Pair:  # noqa: ARG001 - it is made as new
    """Return two processes, an hour after the last test: nobody has sent a request for long."""
    both.worker.virtual.set(both.worker.virtual.now_ms() + 60 * MINUTE_MS)
    return both


def status(client: TestClient[Litestar], name: str = "alice", password: str = PASSWORD) -> int:
    return int(client.get("/rest-api/phonebook/", auth=(name, password)).status_code)


def test_a_new_password_holds_in_every_process_at_once(pair: Pair) -> None:
    assert [status(client) for client in (pair.first, pair.second)] == [200, 200]
    Caller(pair.first, "admin").change("users/2/", password="another long password")
    assert [status(client) for client in (pair.second, pair.first)] == [401, 401]
    assert status(pair.second, password="another long password") == 200
    Caller(pair.second, "admin").change("users/2/", enabled=False)
    assert status(pair.first, password="another long password") == 401


def test_a_key_that_was_revoked_opens_no_process(pair: Pair) -> None:
    key = Caller(pair.first, "alice").create("api-key", name="k", scopes=["read"])
    bearer = {"Authorization": f"Bearer {key['key']}"}

    def answers() -> list[int]:
        return [client.get("/rest-api/phonebook/", headers=bearer).status_code for client in (pair.second, pair.first)]

    assert answers() == [200, 200]
    assert Caller(pair.first, "alice").request("DELETE", key["url"]).status_code == 204
    assert answers() == [401, 401]


def test_guesses_are_counted_over_all_processes(pair: Pair) -> None:
    guesses = [status((pair.first, pair.second)[turn % 2], password=f"guess {turn}") for turn in range(12)]
    assert guesses == [401] * PAIR_FAILURES_MAX + [429] * 2
    assert [status(client, "bob") for client in (pair.first, pair.second)] == [200, 200]
    pair.worker.virtual.set(pair.worker.virtual.now_ms() + 5 * MINUTE_MS)
    assert status(pair.second) == 200


def test_a_repeated_post_is_answered_by_any_process(pair: Pair) -> None:
    answers = [
        Caller(client, "alice").request(
            "POST", "phonebook/", json={"name": "once"}, headers={"Idempotency-Key": "one two three"}
        )
        for client in (pair.first, pair.second)
    ]
    assert [answer.headers.get("Idempotent-Replayed") for answer in answers] == [None, "true"]
    assert answers[0].json() == answers[1].json()
    assert Caller(pair.second, "alice").get("phonebook/")["count"] == 1


def test_a_user_has_one_allowance_over_all_processes(pair: Pair) -> None:
    served = [status((pair.first, pair.second)[turn % 2]) for turn in range(2 * LIMIT)].count(200)
    assert LIMIT <= served <= LIMIT + 2 * BESIDE
    refused = pair.second.get("/rest-api/phonebook/", auth=("alice", PASSWORD))
    assert refused.status_code == 429
    pair.worker.virtual.set(pair.worker.virtual.now_ms() + 1_000 * int(refused.headers["retry-after"]))
    assert status(pair.second) == 200


class MemoryDatabase:
    """A database in memory, whose units of work never wait."""

    def __init__(self) -> None:
        self._engine: Final = create_engine("sqlite://", poolclass=StaticPool)
        for name in ("request_allowance", "wrong_password"):
            Row.metadata.tables[name].create(self._engine)

    async def read(self, work: Callable[[Connection], Any]) -> Any:  # noqa: ANN401 - the result of any unit of work
        with self._engine.begin() as connection:
            return work(connection)

    write_without_lock = read


def test_a_name_that_is_guessed_from_everywhere_is_heard_slowly_in_all_processes() -> None:
    database = MemoryDatabase()
    first, second = (SharedLimits(database, None, lambda: NOW_MS) for _ in range(2))  # type: ignore[arg-type] # a fake
    waits = []
    for number in range(NAME_FAILURES_MAX):
        waits.append(at_once(second.guess_after_s("alice", "10.2.0.1", is_known=False)))
        at_once(first.failed("alice", f"10.1.0.{number}"))
    assert waits == [0] * NAME_FAILURES_MAX
    assert at_once(second.guess_after_s("alice", "10.2.0.1", is_known=False)) == NAME_WAIT_S
    assert at_once(second.guess_after_s("alice", "10.2.0.1", is_known=True)) == 0
    assert at_once(second.guess_after_s("bob", "10.2.0.1", is_known=False)) == 0


@settings(max_examples=20)
@given(
    limit=st.integers(1, 120),
    bursts=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 20_000), st.integers(1, 40)), max_size=25),
)
def test_nobody_gets_more_in_a_minute_than_the_limit_and_two_parts_for_each_process(
    limit: int, bursts: list[tuple[int, int, int]]
) -> None:
    now_ms, database = NOW_MS, MemoryDatabase()
    processes = [SharedLimits(database, limit, lambda: now_ms) for _ in range(3)]  # type: ignore[arg-type] # a fake
    served_ms: list[int] = []
    for process, pause_ms, requests in bursts:
        now_ms += pause_ms
        served_ms += [now_ms for _ in range(requests) if not at_once(processes[process].take("user 2"))]
    for first_ms in set(served_ms):
        in_a_minute = sum(first_ms <= at_ms < first_ms + MINUTE_MS for at_ms in served_ms)
        assert in_a_minute <= 2 * limit + 3 * 2 * max(1, limit // PARTS)
    over_all_ms = now_ms - NOW_MS
    assert len(served_ms) <= limit + over_all_ms * limit / MINUTE_MS + 3 * max(1, limit // PARTS) * (
        2 + over_all_ms / MINUTE_MS
    )


def at_once(work: Coroutine[Any, Any, Any]) -> Any:  # noqa: ANN401 - the result of any coroutine
    """Return the result of a coroutine that never waits."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("it waits")
