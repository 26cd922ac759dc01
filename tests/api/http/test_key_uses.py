"""Tests of the last use of API keys: written at once, then once a minute, and never lost to a failed write."""

import anyio
import pytest
from sqlalchemy import select

from dialer.api.http.key_uses import WRITTEN_EVERY_S, KeyUses
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.tables import ApiKey
from tests.api.builders import stored

KEY = {"user_id": 2, "name": "x", "prefix": "dk_x", "secret_hash": b"x", "scopes": "read"}


def last_used(database: Database) -> int | None:
    query = select(ApiKey.last_used_date)
    found: int | None = database.read_now(lambda connection: connection.scalar(query))
    return found


async def test_the_first_use_is_written_at_once_and_the_next_ones_after_a_minute(database: Database) -> None:
    key_id, slept, wake = stored(database, ApiKey, **KEY), [], anyio.Event()

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await wake.wait()

    uses = KeyUses(database, sleep)
    async with uses.storing():
        uses.used(key_id, 1_000)
        while not slept:
            await anyio.lowlevel.checkpoint()
        assert (slept, last_used(database)) == ([WRITTEN_EVERY_S], 1_000)
        for used_ms in range(2_000, 9_000):
            uses.used(key_id, used_ms)
        assert last_used(database) == 1_000
    assert last_used(database) == 8_999


async def test_a_use_that_cannot_be_written_is_written_with_the_next(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    key_id = stored(database, ApiKey, **KEY)
    uses = KeyUses(database)

    async def fail(_: object) -> None:
        raise StorageUnavailableError("full")

    uses.used(key_id, 1_000)
    with monkeypatch.context() as patch:
        patch.setattr(database, "write", fail)
        await uses.store()
    assert last_used(database) is None
    await uses.store()
    assert last_used(database) == 1_000
