"""Hosts that the other ends of calls name, looked up apart from everything else.

Any callee may name a host whose name server never answers. It must not take the threads in which prompts are read.
"""

import asyncio
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from dialer.carriers.sip.outputs import LookUp

AT_ONCE: Final = 2
"""Names of one line that are looked up at the same time, each in a thread."""
NAME_S: Final = 5.0
"""Time for a name, with the time for which it waits for a thread."""
NAMES_MAX: Final = 64
"""Names of one line that wait for their addresses. Further ones count as without an address."""
SENDS_MAX: Final = 64
"""Messages that wait for one name. Further ones go on at once, as to a name without an address."""


class PeerNames:
    """The lookups of host names for one line, in threads."""

    def __init__(self, family: socket.AddressFamily, found: Callable[[LookUp, str], None]) -> None:
        """Prepare them. `found` gets each message with the address of its host, or an empty text if it has none."""
        self._family: Final = family
        self._found: Final = found
        self._threads: Final = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="names")
        self._waiting: Final[dict[str, list[LookUp]]] = {}
        self._tasks: Final[set[asyncio.Task[None]]] = set()

    def add(self, message: LookUp) -> None:
        """Start the lookup of a message's host, unless it is in progress."""
        name = message.hop.address[0]
        waiting = self._waiting.get(name)
        if len(self._waiting if waiting is None else waiting) >= (NAMES_MAX if waiting is None else SENDS_MAX):
            self._found(message, "")
        elif waiting is not None:
            waiting.append(message)
        else:
            self._waiting[name] = [message]
            task = asyncio.get_running_loop().create_task(self._look_up(name))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        """Cancel all lookups, without waiting for their threads."""
        for task in tuple(self._tasks):
            task.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _look_up(self, name: str) -> None:
        host = ""
        try:
            async with asyncio.timeout(NAME_S):
                host = await asyncio.get_running_loop().run_in_executor(self._threads, self._address, name)
        except (OSError, UnicodeError, TimeoutError):
            pass
        for message in self._waiting.pop(name):
            self._found(message, host)

    def _address(self, name: str) -> str:
        """Return the first address of a name.

        Raises:
            OSError: it has none.
        """
        endpoints = socket.getaddrinfo(name, None, family=self._family, type=socket.SOCK_DGRAM)
        return str(endpoints[0][4][0])
