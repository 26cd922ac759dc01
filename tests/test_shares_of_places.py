"""Tests of pools that accounts share: nobody takes the places of others, and nobody waits beside a free one."""

from collections import Counter

import anyio
from hypothesis import given
from hypothesis import strategies as st

from dialer.shares import Shares


@given(
    most=st.integers(1, 5),
    of_each=st.integers(1, 4),
    moves=st.lists(st.tuples(st.integers(1, 4), st.booleans()), max_size=40),
)
def test_places_are_limited_in_all_and_for_each_and_none_stays_free(
    most: int, of_each: int, moves: list[tuple[int, bool]]
) -> None:
    """Accounts come, leave with their oldest place, or give up waiting, in any order."""

    async def play() -> None:
        shares, held, wanted = Shares(most, of_each), Counter[int](), Counter[int]()
        open_scopes: list[tuple[int, anyio.CancelScope]] = []

        async def hold(account_id: int, scope: anyio.CancelScope) -> None:
            with scope:
                async with shares.place(account_id):
                    held[account_id] += 1
                    try:
                        await anyio.sleep_forever()
                    finally:
                        held[account_id] -= 1
            wanted[account_id] -= 1

        async with anyio.create_task_group() as tasks:
            for account_id, comes in moves:
                if comes:
                    scope = anyio.CancelScope()
                    open_scopes.append((account_id, scope))
                    wanted[account_id] += 1
                    tasks.start_soon(hold, account_id, scope)
                elif open_scopes:
                    open_scopes.pop(len(moves) % len(open_scopes))[1].cancel()
                for _ in range(5):
                    await anyio.lowlevel.checkpoint()
                assert held.total() <= most
                assert max(held.values(), default=0) <= of_each
                entitled = sum(min(count, of_each) for count in wanted.values())
                assert held.total() == min(most, entitled)
            tasks.cancel_scope.cancel()
        async with shares.place(9):
            pass

    anyio.run(play)


async def test_who_holds_the_fewest_places_comes_next() -> None:
    shares, order = Shares(2, 2), list[int]()
    first, second = anyio.Event(), anyio.Event()

    async def hold(account_id: int, until: anyio.Event) -> None:
        async with shares.place(account_id):
            order.append(account_id)
            await until.wait()

    async with anyio.create_task_group() as tasks:
        for until in (first, second, second, second):
            tasks.start_soon(hold, 1, until)
        await anyio.wait_all_tasks_blocked()
        tasks.start_soon(hold, 2, second)
        await anyio.wait_all_tasks_blocked()
        assert order == [1, 1]
        first.set()
        await anyio.wait_all_tasks_blocked()
        assert order == [1, 1, 2]
        second.set()
    assert order == [1, 1, 2, 1, 1]
