"""Tests of live parts: one making for all viewers, and streams that end."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus

import anyio.lowlevel
import pytest

from dialer.console.serving.live_parts import (
    DESK_STREAMS_OF_ACCOUNT_MAX,
    STREAMS_OF_ACCOUNT_MAX,
    STREAMS_OF_USER_MAX,
    Snapshots,
)
from dialer.resources.words.errors import AnsweredError


class Parts:
    """A maker of parts that counts them, with a clock."""

    def __init__(self) -> None:
        self.made = 0
        self.now_s = 0.0
        self.snapshots = Snapshots(lambda: self.now_s)

    async def make(self) -> str:
        self.made += 1
        number = self.made
        await anyio.lowlevel.checkpoint()
        return str(number)


@asynccontextmanager
async def viewers(parts: Parts, count: int, found: list[str]) -> AsyncIterator[None]:
    async def view() -> None:
        found.append(await parts.snapshots.get("page", parts.make))

    async with anyio.create_task_group() as group:
        for _ in range(count):
            group.start_soon(view)
        yield


async def test_a_part_that_was_changed_is_made_anew_at_once() -> None:
    parts = Parts()
    shown = [await parts.snapshots.get("page", parts.make), await parts.snapshots.get("other", parts.make)]
    parts.snapshots.forget("page")
    shown += [await parts.snapshots.get("page", parts.make), await parts.snapshots.get("other", parts.make)]
    assert (shown[0] != shown[2], shown[1] == shown[3]) == (True, True)


async def test_a_part_that_is_changed_while_it_is_made_is_made_anew_for_the_next_viewer() -> None:
    parts = Parts()

    async def make() -> str:
        parts.snapshots.forget("page")
        return await parts.make()

    assert [await parts.snapshots.get("page", make) for _ in range(2)] == ["1", "2"]


async def test_a_part_is_made_once_a_second_for_all_viewers() -> None:
    parts, found = Parts(), list[str]()
    for second in range(3):
        parts.now_s = float(second)
        async with viewers(parts, 50, found):
            pass
    assert (parts.made, sorted(found)) == (3, ["1"] * 50 + ["2"] * 50 + ["3"] * 50)


async def test_other_rights_have_a_part_of_their_own() -> None:
    parts = Parts()
    assert [await parts.snapshots.get(key, parts.make) for key in ("a", "b", "a")] == ["1", "2", "1"]


async def test_a_failure_is_not_kept() -> None:
    parts = Parts()

    async def fail() -> str:
        raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, "gone")

    with pytest.raises(AnsweredError, match="gone"):
        await parts.snapshots.get("a", fail)
    assert await parts.snapshots.get("a", parts.make) == "1"


async def test_a_user_and_an_account_have_a_limited_number_of_streams() -> None:
    places = Snapshots().places
    users, taken = range(3, 3 + STREAMS_OF_ACCOUNT_MAX), []
    taken += [places.take(2, 2) for _ in range(STREAMS_OF_USER_MAX)]
    with pytest.raises(AnsweredError, match="Too many pages are open"):
        places.take(2, 2)
    taken += [places.take(2, user) for user in users[: STREAMS_OF_ACCOUNT_MAX - STREAMS_OF_USER_MAX]]
    with pytest.raises(AnsweredError, match="Too many pages are open"):
        places.take(2, 999)
    places.take(1_000, 1_000)
    taken.pop(0).release()
    places.take(2, 2)


def test_the_desks_of_an_account_leave_its_boards_their_streams() -> None:
    snapshots = Snapshots()
    desks = [snapshots.desk_places.take(2, user) for user in range(3, 3 + DESK_STREAMS_OF_ACCOUNT_MAX)]
    with pytest.raises(AnsweredError, match="Too many pages are open"):
        snapshots.desk_places.take(2, 999)
    assert len([*desks, snapshots.places.take(2, 2)]) == DESK_STREAMS_OF_ACCOUNT_MAX + 1


async def test_the_end_of_the_service_ends_streams_at_once() -> None:
    snapshots = Snapshots()
    snapshots.end()
    assert [tick async for tick in snapshots.ticks()] == []
