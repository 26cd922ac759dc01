"""The readings of lists that one user begins at once take no thread of others."""

import threading

import anyio
import anyio.to_thread

from dialer.console.lists.list_readers import READINGS_OF_A_USER_MAX, readers


async def test_many_readings_of_a_user_hold_up_nobody() -> None:
    started, may_end = threading.Semaphore(0), threading.Event()
    ended: list[int] = []

    def hold() -> None:
        started.release()
        may_end.wait()

    async def read() -> None:
        await readers().read(1, hold)
        ended.append(1)

    async with anyio.create_task_group() as tasks:
        for _ in range(40):
            tasks.start_soon(read)
        for _ in range(READINGS_OF_A_USER_MAX):
            await anyio.to_thread.run_sync(started.acquire)
        assert await readers().read(2, lambda: "read") == "read"
        assert (ended, started.acquire(blocking=False)) == ([], False)
        assert anyio.to_thread.current_default_thread_limiter().borrowed_tokens == 0
        may_end.set()
    assert len(ended) == 40
