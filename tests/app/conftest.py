"""Fixtures of the tests of use cases."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.runtime.house import House


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Return a house on a database of its own."""
    one = House(tmp_path)
    yield one
    one.database.close()
