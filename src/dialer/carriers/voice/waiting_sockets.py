"""The sockets at which something has arrived.

It is asked 200 times a second for all calls, so it uses the system's own call: the standard library's selectors take
twice as long for each socket.
"""

import select
import socket
from typing import Final, TypeAlias

Owner: TypeAlias = tuple[str, bool]
"""The key of a leg, and True if its socket is the one for reports."""
_NO_LIMIT: Final = -1
"""The limit of answers that epoll has by itself. It takes no limit of 0."""


class WaitingSockets:
    """The sockets of all legs of a process."""

    def __init__(self) -> None:
        self._poll: Final = select.epoll() if hasattr(select, "epoll") else select.poll()
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
        if isinstance(self._poll, select.epoll):
            found = self._poll.poll(0, len(owners) or _NO_LIMIT)
        else:
            found = self._poll.poll(0)
        return [owners[number] for number, _ in found]

    def close(self) -> None:
        """Free what the system holds for it."""
        if isinstance(self._poll, select.epoll):
            self._poll.close()
