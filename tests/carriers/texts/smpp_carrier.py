"""A carrier over SMPP, which is the server of the npm package `smpp`. The test tells it what to do, and hears all."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from subprocess import PIPE, Popen
from threading import Thread
from typing import Any, Final

import msgspec

from tests.optional_tools import find_tool, install_packages

PROGRAM: Final = Path(__file__).parent / "smsc"
HEARD_S_MAX: Final = 30
"""Time for the carrier to say something."""


class SmppCarrier:
    """A running carrier."""

    def __init__(self, process: "Popen[bytes]") -> None:
        self._process: Final = process
        self._said: Final[Queue[dict[str, Any]]] = Queue()
        self.sent: Final[list[dict[str, Any]]] = []
        """The parts of messages, in their order."""
        self.thread: Final = Thread(target=self._listen)
        self.thread.start()
        self.port: Final[int] = self.heard("port")["port"]

    def tell(self, do: str, **fields: object) -> None:
        """Give an order."""
        assert self._process.stdin is not None
        self._process.stdin.write(msgspec.json.encode({"do": do, **fields}) + b"\n")
        self._process.stdin.flush()

    def heard(self, name: str) -> dict[str, Any]:
        """Return the next thing that the carrier says that has a member of this name."""
        while True:
            said = self._said.get(timeout=HEARD_S_MAX)
            if name in said:
                return said

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            said = msgspec.json.decode(line, type=dict[str, Any])
            if "to" in said:
                self.sent.append(said)
            self._said.put(said)


@contextmanager
def smpp_carrier() -> Iterator[SmppCarrier]:
    """Run the carrier."""
    node = find_tool("node")
    install_packages(PROGRAM)
    with Popen([node, str(PROGRAM / "smsc.js")], stdin=PIPE, stdout=PIPE) as process:
        carrier = SmppCarrier(process)
        try:
            yield carrier
        finally:
            process.kill()
            carrier.thread.join()
