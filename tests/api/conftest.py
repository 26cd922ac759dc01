"""The application on a real SQLite file, with a worker that only notes what it was told."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import create_engine, insert

from dialer.api.app import create_app
from dialer.passwords import hash_password
from dialer.settings import Settings
from dialer.store.database import Database
from dialer.store.models import Row, User
from tests.api.builders import Estate
from tests.api.harness import HOST, NOW_MS, PASSWORD, USERS, Caller, FakeWorker


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with its tables and three users, to be copied for each test."""
    path = tmp_path_factory.mktemp("template") / "dialer.db"
    engine = create_engine(f"sqlite:///{path}")
    Row.metadata.create_all(engine)
    password_hash = hash_password(PASSWORD)
    stamp = {"created_date": NOW_MS, "updated_date": NOW_MS}
    with engine.begin() as connection:
        for user_id, (username, is_admin) in USERS.items():
            values = {"id": user_id, "username": username, "is_admin": is_admin, "password_hash": password_hash}
            connection.execute(insert(User.__table__).values(**values, **stamp))
    engine.dispose()
    return path


@pytest.fixture
def database(template: Path, tmp_path: Path) -> Iterator[Database]:
    path = tmp_path / "dialer.db"
    shutil.copy(template, path)
    database = Database(f"sqlite:///{path}", synchronous="OFF")
    yield database
    database.close()


@pytest.fixture
def worker() -> FakeWorker:
    return FakeWorker()


@pytest.fixture
def client(database: Database, worker: FakeWorker) -> Iterator[TestClient[Litestar]]:
    app = create_app(Settings(seed=7), database=database, worker=worker)
    with TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=True) as client:
        yield client


@pytest.fixture
def admin(client: TestClient[Litestar]) -> Caller:
    return Caller(client, "admin")


@pytest.fixture
def alice(client: TestClient[Litestar]) -> Caller:
    return Caller(client, "alice")


@pytest.fixture
def bob(client: TestClient[Litestar]) -> Caller:
    return Caller(client, "bob")


@pytest.fixture
def estate(alice: Caller, admin: Caller, database: Database) -> Estate:
    """One record of everything, Alice's."""
    return Estate(alice, admin, database, user_id=2)
