"""Fixtures for the tests of deliveries."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.webhooks.outbox import Outbox


@pytest.fixture
async def outbox(tmp_path: Path) -> AsyncIterator[Outbox]:
    box = Outbox(tmp_path)
    yield box
    for process in box.processes:
        process.close()
    for poster in box.posters:
        await poster.aclose()
    box.house.database.close()
