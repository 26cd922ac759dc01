"""Fixtures of the application on a real SQLite file, with a worker that dials nobody.

One application serves all tests of a session, because building it and verifying passwords takes longer than most tests.
Every test begins with an equal database, which is restored page by page from a file that is made once.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import create_engine, insert

from dialer.api.app import create_app
from dialer.passwords import hash_password
from dialer.settings import Settings
from dialer.store.database import Database
from dialer.store.tables import Row, User
from tests.api.builders import Estate
from tests.api.harness import HOST, NOW_MS, PASSWORD, USERS, Caller, FakeWorker, forecast_in_thread


def copy(source: Path, target: Path) -> None:
    """Copy the database at `source` over the one at `target`, which other connections may have open."""
    with closing(sqlite3.connect(source)) as origin, closing(sqlite3.connect(target)) as copied:
        origin.backup(copied)


@pytest.fixture(scope="session")
def folder_of_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("api")


@pytest.fixture(scope="session")
def users_only(folder_of_session: Path) -> Path:
    """Create a database with all tables and three users."""
    path = folder_of_session / "users.db"
    engine = create_engine(f"sqlite:///{path}")
    Row.metadata.create_all(engine)
    password_hash = hash_password(PASSWORD)
    stamp = {"created_date": NOW_MS, "updated_date": NOW_MS}
    with engine.begin() as connection:
        for user_id, (username, is_admin) in USERS.items():
            values = {
                "id": user_id,
                "username": username,
                "role": "admin" if is_admin else "manager",
                "password_hash": password_hash,
            }
            connection.execute(insert(User.__table__).values(**values, **stamp))
    engine.dispose()
    return path


@pytest.fixture(scope="session")
def database_of_session(folder_of_session: Path, users_only: Path) -> Iterator[Database]:
    path = folder_of_session / "dialer.db"
    copy(users_only, path)
    database = Database(f"sqlite:///{path}", synchronous="OFF")
    yield database
    database.close()


@pytest.fixture(scope="session")
def worker_of_session() -> FakeWorker:
    return FakeWorker()


@pytest.fixture(scope="session")
def client_of_session(database_of_session: Database, worker_of_session: FakeWorker) -> Iterator[TestClient[Litestar]]:
    app = create_app(
        Settings(seed=7), database=database_of_session, worker=worker_of_session, forecasting=forecast_in_thread
    )
    with TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=True) as client:
        yield client


@pytest.fixture
def database(database_of_session: Database, users_only: Path) -> Database:
    copy(users_only, Path(str(database_of_session.url.database)))
    return database_of_session


@pytest.fixture
def worker(worker_of_session: FakeWorker) -> FakeWorker:
    worker_of_session.reset()
    return worker_of_session


@pytest.fixture
def client(client_of_session: TestClient[Litestar], database: Database, worker: FakeWorker) -> TestClient[Litestar]:  # noqa: ARG001 - both are made as new
    return client_of_session


@pytest.fixture
def admin(client: TestClient[Litestar]) -> Caller:
    return Caller(client, "admin")


@pytest.fixture
def alice(client: TestClient[Litestar]) -> Caller:
    return Caller(client, "alice")


@pytest.fixture
def bob(client: TestClient[Litestar]) -> Caller:
    return Caller(client, "bob")


@pytest.fixture(scope="session")
def estates(
    client_of_session: TestClient[Litestar],
    database_of_session: Database,
    worker_of_session: FakeWorker,
    users_only: Path,
) -> tuple[Estate, Estate]:
    """Build the estates of Alice and Bob, and store one database with Alice's and one with both."""
    live = Path(str(database_of_session.url.database))
    copy(users_only, live)
    # An earlier test may have moved the worker's clock.
    worker_of_session.reset()
    admin = Caller(client_of_session, "admin")
    made = []
    for user_id, (username, is_admin) in USERS.items():
        if not is_admin:
            made.append(Estate(Caller(client_of_session, username), admin, database_of_session, user_id))
            copy(live, users_only.with_name(f"{username}.db"))
    return made[0], made[1]


@pytest.fixture
def estate(estates: tuple[Estate, Estate], database: Database, users_only: Path) -> Estate:
    """Return Alice's estate: one record of every resource."""
    copy(users_only.with_name("alice.db"), Path(str(database.url.database)))
    return estates[0]


@pytest.fixture
def both_estates(estates: tuple[Estate, Estate], database: Database, users_only: Path) -> tuple[Estate, Estate]:
    """Return the estates of Alice and Bob: one record of every resource for each."""
    copy(users_only.with_name("bob.db"), Path(str(database.url.database)))
    return estates
