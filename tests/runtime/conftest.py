"""Fixtures of the worker's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from dialer.store.tables import Gateway
from tests.runtime.house import ALL_ANSWER, House
from tests.runtime.recordings_archive import Archive, opened_archive


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Return a service with a database of its own."""
    one = House(tmp_path)
    yield one
    one.database.close()


@pytest.fixture
def sociable(house: House) -> House:
    """Return a service whose callees all answer and listen."""
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    return house


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    """Return recordings of an account, with a database of their own."""
    with opened_archive(tmp_path) as made:
        yield made


@pytest.fixture
def quiet() -> Iterator[None]:
    """Write no log: each failed step is planned, and to print it takes a second."""
    before = structlog.get_config()
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory(), processors=[])
    yield
    structlog.configure(**before)
