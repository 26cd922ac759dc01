"""Fixtures of the application on a real database, with a worker that dials nobody.

One application serves all tests of a session, because building it and verifying passwords takes longer than most tests.
Every test begins with an equal database, which is restored from a copy that is made once.
"""

import shutil
import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import Connection, insert

from dialer.api.app import create_app
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.tables import User
from tests import loops
from tests.api.builders import Estate
from tests.api.harness import (
    HOST,
    NOW_MS,
    PASSWORD_HASH,
    USERS,
    Caller,
    FakeWorker,
    compare_in_thread,
    forecast_in_thread,
)
from tests.databases import choice
from tests.databases.choice import restore, save
from tests.new_database import new_database

MEDIA: Final = "media"


@pytest.fixture(scope="session", autouse=True)
def names_of_examples() -> Iterator[None]:
    """Let the names of the documentation's examples lead to an address that the settings of the tests list."""
    resolve = socket.getaddrinfo

    def resolved(host: Any, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - as in the library
        return resolve("192.0.2.7" if str(host).endswith(".example") else host, *args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", resolved)
        yield


@pytest.fixture(scope="session")
def folder_of_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("api")


@pytest.fixture(scope="session")
def database_of_session(folder_of_session: Path) -> Iterator[Database]:
    url = choice.server_url(until_the_end=True) if choice.is_postgresql() else new_database(folder_of_session)
    database = Database(url, synchronous="OFF")
    yield database
    database.close()


@pytest.fixture(scope="session")
def users_only(folder_of_session: Path, database_of_session: Database) -> Any:  # noqa: ANN401 - a saved database
    """Save a database with all tables and three users."""
    stamp = {"created_date": NOW_MS, "updated_date": NOW_MS}

    def furnish(connection: Connection) -> None:
        for username, is_admin in USERS.values():  # Their ids follow from their order.
            role = "admin" if is_admin else "manager"
            values = {"username": username, "role": role, "password_hash": PASSWORD_HASH}
            connection.execute(insert(User).values(**values, **stamp))

    database_of_session.write_now(furnish)
    return save(database_of_session, folder_of_session / "users.db")


@pytest.fixture(scope="session")
def worker_of_session() -> FakeWorker:
    return FakeWorker()


@pytest.fixture(scope="session")
def client_of_session(
    folder_of_session: Path, database_of_session: Database, worker_of_session: FakeWorker
) -> Iterator[TestClient[Litestar]]:
    app = partial(
        create_app,
        Settings(seed=7, webhook_networks=("192.0.2.0/24",), media_dir=folder_of_session / MEDIA),
        database=database_of_session,
        worker=worker_of_session,
        forecasting=forecast_in_thread,
        comparing=compare_in_thread,
    )
    with loops.serving(database_of_session, app, f"http://{HOST}") as client:
        yield client


@pytest.fixture
def database(database_of_session: Database, users_only: Any) -> Database:  # noqa: ANN401 - a saved database
    restore(database_of_session, users_only)
    return database_of_session


@pytest.fixture
def worker(worker_of_session: FakeWorker) -> FakeWorker:
    worker_of_session.reset()
    return worker_of_session


@pytest.fixture
def client(client_of_session: TestClient[Litestar], database: Database, worker: FakeWorker) -> TestClient[Litestar]:  # noqa: ARG001 - both are made as new
    return client_of_session


@pytest.fixture
def folder(folder_of_session: Path) -> Path:
    """Return the media folder, which is empty."""
    media = folder_of_session / MEDIA
    shutil.rmtree(media, ignore_errors=True)
    media.mkdir()
    return media


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
    users_only: Any,  # noqa: ANN401 - a saved database
    folder_of_session: Path,
) -> tuple[tuple[Estate, Any], tuple[Estate, Any]]:
    """Build the estates of Alice and Bob, and save a database with Alice's and one with both."""
    restore(database_of_session, users_only)
    # An earlier test may have moved the worker's clock.
    worker_of_session.reset()
    admin = Caller(client_of_session, "admin")
    made = []
    for user_id, (username, is_admin) in USERS.items():
        if not is_admin:
            estate = Estate(Caller(client_of_session, username), admin, database_of_session, user_id)
            made.append((estate, save(database_of_session, folder_of_session / f"{username}.db")))
    return made[0], made[1]


@pytest.fixture
def estate(estates: tuple[tuple[Estate, Any], tuple[Estate, Any]], database: Database) -> Estate:
    """Return Alice's estate: one record of every resource."""
    (alices, saved), _ = estates
    restore(database, saved)
    return alices


@pytest.fixture
def both_estates(estates: tuple[tuple[Estate, Any], tuple[Estate, Any]], database: Database) -> tuple[Estate, Estate]:
    """Return the estates of Alice and Bob: one record of every resource for each."""
    (alices, _), (bobs, saved) = estates
    restore(database, saved)
    return alices, bobs
