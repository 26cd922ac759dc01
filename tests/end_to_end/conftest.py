"""Fixtures of a service with two users, one of whom has money, on a virtual clock at a Monday noon."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import Connection, insert

from dialer.api.app import create_app
from dialer.console.app import Console
from dialer.domain.calling_times.calling_hours import read_calling_hours
from dialer.runtime.steps.clock import VirtualClock
from dialer.runtime.steps.worker import Worker
from dialer.settings import Settings
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.backends.backend import BUSY_TIMEOUT_MS
from dialer.store.database.database import Database
from dialer.store.media.files import Media
from dialer.store.media.folder import FolderMedia
from dialer.store.tables import User
from tests.api.harness import PASSWORD_HASH, Caller
from tests.end_to_end.service import START_MS
from tests.new_database import new_database


@pytest.fixture
def busy_timeout_ms() -> int:
    """Return the busy timeout of the database."""
    return BUSY_TIMEOUT_MS


@pytest.fixture
def calling_hours() -> str | None:
    """Return the calling hours of the service, as in its settings."""
    return None


@pytest.fixture
def client(tmp_path: Path, busy_timeout_ms: int, calling_hours: str | None) -> Iterator[TestClient[Litestar]]:
    """Return the application. Everything but the network is real."""
    url = new_database(tmp_path)
    database = Database(url, synchronous="OFF", busy_timeout_ms=busy_timeout_ms)

    def furnish(connection: Connection) -> None:
        stamps = {"created_date": START_MS, "updated_date": START_MS, "password_hash": PASSWORD_HASH}
        connection.execute(insert(User).values(username="admin", role="admin", **stamps))
        connection.execute(insert(User).values(username="ann", call_rate=2_000, sms_rate=5_000, **stamps))

    database.write_now(furnish)
    media = tmp_path / "media"
    settings = Settings(media_dir=media, clock="virtual", clock_start=START_MS, seed=1, calling_hours=calling_hours)
    worker = Worker(
        database,
        VirtualClock(START_MS),
        seed=1,
        service_zone="UTC",
        new_carrier=SimulatedCarrier,
        recordings=Media(FolderMedia(settings.media_dir)),
        hours=read_calling_hours(calling_hours),
    )
    with TestClient(create_app(settings, database=database, worker=worker, console=Console(database))) as client:
        yield client
    database.close()


@pytest.fixture
def admin(client: TestClient[Litestar]) -> Caller:
    """Return the administrator."""
    return Caller(client, "admin")


@pytest.fixture
def ann(client: TestClient[Litestar], admin: Caller) -> Caller:
    """Return a user with a balance of 1.00 and a rate of 0.02 a minute."""
    admin.create("payment", amount=1, user="/rest-api/users/2/")
    return Caller(client, "ann")
