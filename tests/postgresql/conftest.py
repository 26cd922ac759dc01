"""Fixtures of empty databases of the run's cluster."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from dialer.store.database.database import Database
from tests.databases.choice import server_url


@pytest.fixture
def url() -> str:
    """Return the URL of an empty database with tables."""
    return server_url()


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    """Open the database, with little patience for others."""
    with closing(Database(url, synchronous="OFF", busy_timeout_ms=100)) as one:
        yield one


@pytest.fixture
def beside(url: str) -> Iterator[Database]:
    """Open the database as another process does."""
    with closing(Database(url, synchronous="OFF", busy_timeout_ms=100)) as one:
        yield one
