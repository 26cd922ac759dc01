"""Fixtures of the console on a real SQLite file, with a worker that dials nobody.

One application serves all tests of a session. Every test begins with an equal database.
"""

from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from playwright.sync_api import Browser
from sqlalchemy import Connection, insert

from dialer.api.app import create_app
from dialer.api.http.auth import Authenticator
from dialer.console.app import Console
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.tables import User
from tests import loops
from tests.api.harness import HOST, NOW_MS, PASSWORD_HASH, Caller, FakeWorker, compare_in_thread, forecast_in_thread
from tests.console.browser import running_browser
from tests.console.visitor import Visitor
from tests.databases import choice
from tests.databases.choice import restore, save
from tests.new_database import new_database

USERS = (
    ("admin", "admin", None),
    ("alice", "manager", None),
    ("bob", "manager", None),
    ("vera", "viewer", 2),
    ("gus", "agent", None),
)
DAY_MS = 86_400_000


class Machine:
    """The clock of the machine."""

    def __init__(self) -> None:
        self.now_ms = NOW_MS


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def machine_of_session() -> Machine:
    return Machine()


@pytest.fixture(scope="session")
def database_of_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    folder = tmp_path_factory.mktemp("console")
    database = Database(choice.server_url(until_the_end=True) if choice.is_postgresql() else new_database(folder))
    yield database
    database.close()


@pytest.fixture(scope="session")
def people_only(tmp_path_factory: pytest.TempPathFactory, database_of_session: Database) -> Any:  # noqa: ANN401 - a saved database
    """Save a database with users."""
    shared = {"password_hash": PASSWORD_HASH, "created_date": NOW_MS, "updated_date": NOW_MS}

    def furnish(connection: Connection) -> None:
        for username, role, manager_id in USERS:  # Their ids follow from their order.
            values = {"username": username, "role": role, "manager_id": manager_id, **shared}
            connection.execute(insert(User).values(values))

    database_of_session.write_now(furnish)
    return save(database_of_session, tmp_path_factory.mktemp("people") / "people.db")


@pytest.fixture(scope="session")
def worker_of_session() -> FakeWorker:
    return FakeWorker()


@pytest.fixture(scope="session")
def authenticator_of_session(database_of_session: Database, worker_of_session: FakeWorker) -> Authenticator:
    def now_ms() -> int:
        return worker_of_session.clock.now_ms()  # Each test begins with another clock.

    return Authenticator(database_of_session, clock_ms=now_ms)


@pytest.fixture(scope="session")
def console_of_session(database_of_session: Database, machine_of_session: Machine) -> Console:
    return Console(database_of_session, now_ms=lambda: machine_of_session.now_ms, now_s=count().__next__)


@pytest.fixture(scope="session")
def client_of_session(
    database_of_session: Database,
    worker_of_session: FakeWorker,
    media_of_session: Path,
    authenticator_of_session: Authenticator,
    console_of_session: Console,
) -> Iterator[TestClient[Litestar]]:
    app = partial(
        create_app,
        Settings(webhook_networks=("192.0.2.0/24",), seed=7, media_dir=media_of_session),
        database=database_of_session,
        worker=worker_of_session,
        forecasting=forecast_in_thread,
        comparing=compare_in_thread,
        authenticator=authenticator_of_session,
        console=console_of_session,
    )
    with loops.serving(database_of_session, app, f"http://{HOST}") as client:
        yield client
        console_of_session.end()


@pytest.fixture(scope="session")
def media_of_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("media")


@pytest.fixture
def media(media_of_session: Path) -> Path:
    """Return the folder with sounds, which is empty."""
    for one in media_of_session.rglob("*"):
        if one.is_file():
            one.unlink()
    return media_of_session


@pytest.fixture
def machine(machine_of_session: Machine) -> Machine:
    machine_of_session.now_ms = NOW_MS
    return machine_of_session


@pytest.fixture
def worker(worker_of_session: FakeWorker) -> FakeWorker:
    worker_of_session.reset()
    return worker_of_session


@pytest.fixture
def client(
    client_of_session: TestClient[Litestar],
    database_of_session: Database,
    people_only: Any,  # noqa: ANN401 - a saved database
    console_of_session: Console,
    machine: Machine,  # noqa: ARG001 - made as new
    worker: FakeWorker,  # noqa: ARG001 - made as new
) -> TestClient[Litestar]:
    restore(database_of_session, people_only)
    console_of_session._snapshots._made.clear()  # noqa: SLF001 - parts that show an earlier database
    return client_of_session


@pytest.fixture
def database(client: TestClient[Litestar], database_of_session: Database) -> Database:  # noqa: ARG001 - it restores the database
    return database_of_session


@pytest.fixture
def visitor(client: TestClient[Litestar]) -> Visitor:
    """Return somebody who has not signed in."""
    return Visitor(client)


@pytest.fixture
def alice(client: TestClient[Litestar]) -> Visitor:
    """Return Alice, a manager, who has signed in."""
    visitor = Visitor(client)
    visitor.sign_in("alice")
    return visitor


@pytest.fixture
def bob(client: TestClient[Litestar]) -> Visitor:
    """Return Bob, another manager, who has signed in."""
    visitor = Visitor(client)
    visitor.sign_in("bob")
    return visitor


@pytest.fixture
def vera(client: TestClient[Litestar]) -> Visitor:
    """Return Vera, who works for Alice as a viewer, and has signed in."""
    visitor = Visitor(client)
    visitor.sign_in("vera")
    return visitor


@pytest.fixture
def admin(client: TestClient[Litestar]) -> Visitor:
    """Return the admin, who has signed in."""
    visitor = Visitor(client)
    visitor.sign_in("admin")
    return visitor


@pytest.fixture
def api(client: TestClient[Litestar]) -> Caller:
    """Return Alice as a client of the API."""
    return Caller(client, "alice")
