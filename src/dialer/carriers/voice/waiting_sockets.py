"""The sockets at which something has arrived.

It is asked 200 times a second for all calls, so it uses the system's own call: the standard library's selectors take
twice as long for each socket.
"""

import select
import socket
from typing import Any, Final, TypeAlias

Owner: TypeAlias = tuple[str, bool]
"""The key of a leg, and True if its socket is the one for reports."""
_HAS_EPOLL: Final = hasattr(select, "epoll")
"""False outside of Linux."""
_NO_LIMIT: Final = -1
"""The limit of answers that epoll has by itself. It takes no limit of 0."""


class WaitingSockets:
    """The sockets of all legs of a process."""

    def __init__(self) -> None:
        self._poll: Final[Any] = select.epoll() if _HAS_EPOLL else select.poll()
        self._owners: Final[dict[int, Owner]] = {}

    def register(self, bound: socket.socket, owner: Owner) -> None:
        """Look at a socket from now on."""
        self._poll.register(bound, select.POLLIN)
        self._owners[bound.fileno()] = owner

    def unregister(self, bound: socket.socket) -> None:
        """Look at a socket no longer. Do so before it is closed."""
        self._poll.unregister(bound)
        del self._owners[bound.fileno()]

    def ready(self) -> list[Owner]:
        """Return the owners of the sockets at which something has arrived. It never waits."""
        owners = self._owners
        limits = (len(owners) or _NO_LIMIT,) if _HAS_EPOLL else ()
        found: list[tuple[int, int]] = self._poll.poll(0, *limits)
        return [owners[number] for number, _ in found]

    def close(self) -> None:
        """Free what the system holds for it."""
        if _HAS_EPOLL:
            self._poll.close()
