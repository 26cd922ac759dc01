"""Notes in memory that a task of the application writes to the database now and then."""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import anyio


@asynccontextmanager
async def stored_in_background(
    store_forever: Callable[[], Coroutine[Any, Any, None]], store: Callable[[], Coroutine[Any, Any, None]]
) -> AsyncIterator[None]:
    """Run `store_forever` while the context is entered, and at its end `store`, which writes what is left."""
    async with anyio.create_task_group() as group:
        group.start_soon(store_forever)
        try:
            yield
        finally:
            group.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                await store()
