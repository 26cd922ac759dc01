"""Processes of a shared service: the API and workers, each of which may freeze, die, or lose its network."""

import contextlib
import os
import random
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, cast

import httpx
from litestar.testing import TestClient

from tests.api.harness import Caller
from tests.end_to_end.killing import NO_TLS
from tests.fleet.storm.network import Link, Network
from tests.fleet.storm.process import Preparation, prepare
from tests.forked import ForkedProcess
from tests.test_server import ADMIN, address_in

END_S: Final = 30
COMMAND_S: Final = 120
STARTS_MAX: Final = 30
"""Attempts to start a process. While the database restarts, or somebody holds its lock, a process says so and ends."""
CLIENT_S: Final = 90
"""Longest time of a request: longer than the API waits for a worker that is frozen."""


class Process:
    """One process of a service."""

    def __init__(self, name: str, forked: ForkedProcess, link: Link | None) -> None:
        self.name: Final = name
        self._forked: Final = forked
        self.link: Final = link
        """Its way to the database, if it can be cut."""
        self.ready: Final = forked.stdout.readline()
        """The line that the process prints when it is ready."""
        self.base: Final = address_in(self.ready)
        """The URL at its end."""

    def send(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        self._forked.send_signal(number)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._forked.pid

    @property
    def is_over(self) -> bool:
        """Return whether the process has ended."""
        return self._forked.returncode is not None

    def lose(self, number: int) -> None:
        """Send a signal that ends the process, or sets a trap for it. Kill it if it does not end."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.end(number)

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal that ends the process, and return its exit code."""
        self.send(number)
        self._forked.communicate(timeout=END_S)
        return self._forked.returncode or 0


class SharedService:
    """The API and the workers of one database."""

    def __init__(
        self,
        folder: Path,
        url: str,
        *,
        network: Network | None = None,
        preparation: Preparation = Preparation(),  # noqa: B008 - it is immutable
        ahead_ms_max: int = 0,
        seed: int = 0,
    ) -> None:
        self._folder: Final = folder
        self._network: Final = network
        self._preparation: Final = preparation
        self._ahead_ms_max: Final = ahead_ms_max
        self._chance: Final = random.Random(seed)  # noqa: S311 - chance for a test
        self.url: Final = url
        self.workers: Final[list[Process]] = []
        self.apis: Final[list[Process]] = []
        self.meanwhile: Callable[[], None] = lambda: None
        """Is called before each attempt to start a process, which may wait for one that is frozen with a lock."""
        self._born = self._apis_born = 0
        self.serve()

    def run(self, *arguments: str) -> tuple[int, str]:
        """Run a command to its end, and return its exit code and its output."""
        process = ForkedProcess(list(arguments), self._folder, self._environ(self.url))
        out, err = process.communicate(timeout=COMMAND_S)
        return process.returncode or 0, out + err

    def join(self) -> Process:
        """Start another worker."""
        self._born += 1
        name = f"w{self._born}"
        link = None if self._network is None else self._network.link(self.url)
        worker = self._started(name, link, "worker", "--name", name)
        self.workers.append(worker)
        return worker

    def serve(self) -> Process:
        """Start another process of the API."""
        self._apis_born += 1
        api = self._started(f"api{self._apis_born}", None, "api", "--port", "0")
        self.apis.append(api)
        return api

    def intrude(self, *arguments: str) -> str:
        """Start a command that must be refused. Return what it says when it is ready, and end it then; empty if not."""
        intruder = self._start("intruder", None, *arguments)
        intruder.lose(signal.SIGKILL)
        return intruder.ready

    @contextlib.contextmanager
    def client(self, username: str = "root", api: Process | None = None) -> Iterator[Caller]:
        """Return a client of the API, or of one of its processes."""
        base = (api or self.apis[-1]).base.removesuffix("/rest-api/")
        with httpx.Client(base_url=base, timeout=CLIENT_S, verify=NO_TLS) as client:
            yield Caller(cast("TestClient[Any]", client), username)

    def _started(self, name: str, link: Link | None, *arguments: str) -> Process:
        for _ in range(STARTS_MAX):
            self.meanwhile()
            process = self._start(name, link, *arguments)
            if process.base:
                return process
            process.lose(signal.SIGKILL)
        raise AssertionError(f"{name} does not start")

    def _start(self, name: str, link: Link | None, *arguments: str) -> Process:
        ahead_ms = self._chance.randint(-self._ahead_ms_max, self._ahead_ms_max)
        odd = Preparation(self._preparation.bug, ahead_ms, self._preparation.lease_ms)
        environ = self._environ(self.url if link is None else link.url) | odd.environ()
        return Process(name, ForkedProcess(list(arguments), self._folder, environ, prepare), link)

    def _environ(self, url: str) -> dict[str, str]:
        own = {"DIALER_DATABASE_URL": url, "DIALER_MEDIA_DIR": str(self._folder / "media")}
        return {**os.environ, **ADMIN, **own}


@contextlib.contextmanager
def shared_service(folder: Path, url: str, **options: Any) -> Iterator[SharedService]:  # noqa: ANN401 - as SharedService
    """Start the API of a shared service on an empty database with tables; end all its processes at the end."""
    service = SharedService(folder, url, **options)
    try:
        yield service
    finally:
        for process in (*service.workers, *service.apis):
            process.send(signal.SIGCONT)
            process.lose(signal.SIGKILL)
