"""Tests of the queue of comparisons: turns, the stop, and the limits."""

from collections.abc import Sequence

import anyio
import pytest

from dialer.app.work.errors import RefusedError
from dialer.forecast.parameters import Order, TriedSetting
from dialer.forecast.processes import ForecastFailedError, Progress
from dialer.forecast.what_if import Comparison, NamedSetting, WhatIf
from dialer.forecast.what_if_queue import (
    KEPT_MAX,
    OF_ACCOUNT_MAX,
    RUNNING_MAX,
    WAITING_MAX,
    QueueFullError,
    WhatIfQueue,
    WhatIfState,
)
from dialer.store.database.database import Database
from tests.runtime.house import House


class Paced:
    """A computation that ends when it is told to."""

    def __init__(self) -> None:
        self.begun: list[int] = []
        self.cancelled = 0
        self.may_end = anyio.Semaphore(0)

    async def __call__(
        self, _database: Database, order: Order, _named: Sequence[NamedSetting], progress: Progress
    ) -> WhatIf:
        self.begun.append(order.campaign_id)
        progress(1)
        try:
            await self.may_end.acquire()
        except BaseException:
            self.cancelled += 1
            raise
        raise ForecastFailedError("enough")


def comparison(campaign_id: int) -> Comparison:
    return Comparison(Order(campaign_id, 0, "UTC", 2), (NamedSetting({}, TriedSetting()),))


async def test_one_runs_at_a_time_and_each_can_be_stopped(house: House) -> None:
    paced = Paced()
    queue = WhatIfQueue(paced)
    async with queue.running():
        for number in range(1, RUNNING_MAX + WAITING_MAX + 1):
            queue.begin(house.database, comparison(number), user_id=number, account_id=number)
        with pytest.raises(RefusedError, match="this campaign"):
            queue.begin(house.database, comparison(1), user_id=99, account_id=99)
        with pytest.raises(RefusedError, match="settings of campaign 2"):
            queue.begin(house.database, comparison(99), user_id=2, account_id=2)
        with pytest.raises(QueueFullError):
            queue.begin(house.database, comparison(99), user_id=99, account_id=99)
        await anyio.wait_all_tasks_blocked()
        first, second = queue.of_campaign(1), queue.of_campaign(2)
        assert first is not None
        assert second is not None
        assert (paced.begun, first.state, first.done, second.state) == ([1], "running", 1, "waiting")
        assert [queue.stop(2), queue.stop(1), queue.stop(1), queue.stop(99)] == [True, True, False, False]
        await anyio.wait_all_tasks_blocked()
        assert (paced.begun, paced.cancelled, first.state, second.state) == ([1, 3], 1, "stopped", "stopped")
        paced.may_end.release()
        await anyio.wait_all_tasks_blocked()
        third = queue.of_campaign(3)
        assert third is not None
        assert (third.state, str(third.failure)) == (WhatIfState.FAILED, "enough")
    assert paced.cancelled == 2


async def test_the_only_one_of_an_account_does_not_wait_for_all_of_another(house: House) -> None:
    """An account has a few at most. The others come in turns, whoever asked first."""
    paced = Paced()
    queue = WhatIfQueue(paced)
    async with queue.running():
        for number in range(1, OF_ACCOUNT_MAX + 1):
            queue.begin(house.database, comparison(number), user_id=number, account_id=70)
        with pytest.raises(QueueFullError):
            queue.begin(house.database, comparison(60), user_id=60, account_id=70)
        queue.begin(house.database, comparison(80), user_id=80, account_id=80)
        queue.begin(house.database, comparison(81), user_id=81, account_id=80)
        for _ in range(OF_ACCOUNT_MAX + 2):
            await anyio.wait_all_tasks_blocked()
            paced.may_end.release()
        await anyio.wait_all_tasks_blocked()
    assert paced.begun == [1, 2, 80, 3, 81, 4]


async def test_a_slow_one_fails_and_the_oldest_make_room(house: House) -> None:
    queue = WhatIfQueue(Paced(), seconds_max=0)
    async with queue.running():
        for number in range(1, KEPT_MAX + 2):
            queue.begin(house.database, comparison(number), user_id=1, account_id=1)
            await anyio.wait_all_tasks_blocked()
        last = queue.of_campaign(KEPT_MAX + 1)
        assert last is not None
        assert (last.state, "fewer settings or seeds" in str(last.failure)) == ("failed", True)
        assert (queue.of_campaign(1), queue.of_campaign(2) is None) == (None, False)
