"""The threads in which the console reads lists: none of those that all requests share, and a few for each user."""

from collections.abc import Callable
from typing import Final, TypeVar
from weakref import WeakValueDictionary

import anyio
import anyio.to_thread
from anyio.lowlevel import RunVar

from dialer.app.imports.sheet_readers import READERS_OF_A_USER_MAX, reading_for

READINGS_MAX: Final = 16
"""Lists that are read at the same time, each in a thread. Further ones wait, without a thread."""
READINGS_OF_A_USER_MAX: Final = READERS_OF_A_USER_MAX
_Read = TypeVar("_Read")


class ListReaders:
    """The threads that read lists for one event loop, limited for each user."""

    def __init__(self) -> None:
        self._all: Final = anyio.CapacityLimiter(READINGS_MAX)
        self._of_users: Final[WeakValueDictionary[int, anyio.CapacityLimiter]] = WeakValueDictionary()

    async def read(self, user_id: int, work: Callable[..., _Read], *arguments: object) -> _Read:
        """Run `work` in a thread, once the user has few enough other reads in progress."""
        own = self._of_users.get(user_id)
        if own is None:
            own = self._of_users[user_id] = anyio.CapacityLimiter(READINGS_OF_A_USER_MAX)
        async with own:
            with reading_for(user_id):
                return await anyio.to_thread.run_sync(work, *arguments, limiter=self._all)


_READERS: Final[RunVar[ListReaders]] = RunVar("list readers")


def readers() -> ListReaders:
    """Return the list readers of this event loop."""
    found = _READERS.get(None)
    if found is None:
        found = ListReaders()
        _READERS.set(found)
    return found
