"""Processes of a shared service: the API and workers, each of which may freeze or die."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

import httpx
from litestar.testing import TestClient

from tests.api.harness import Caller
from tests.end_to_end.killing import NO_TLS
from tests.test_server import ADMIN, DIALER

END_S: Final = 30


class Process:
    """One process of a service."""

    def __init__(self, folder: Path, environ: Mapping[str, str], *arguments: str) -> None:
        with (folder / "service.log").open("ab") as log:
            self._process: Final = subprocess.Popen(
                [DIALER, *arguments],
                cwd=folder,
                env={**os.environ, **environ},
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout is not None
        self.ready: Final = self._process.stdout.readline()
        """The line that the process prints when it is ready."""

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """Send a signal that ends the process, and return its exit code."""
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)
        self._process.communicate(timeout=END_S)
        return self._process.returncode


class SharedService:
    """The API and the workers of one database."""

    def __init__(self, folder: Path, environ: Mapping[str, str]) -> None:
        self._folder: Final = folder
        self._environ: Final = {**ADMIN, **environ}
        self.workers: Final[list[Process]] = []
        self._born = 0
        self.run("database", "upgrade", "--create")
        self.api = Process(folder, self._environ, "api", "--port", "0")
        self._base: Final = self.api.ready.removeprefix("dialer is ready at ").strip()

    def run(self, *arguments: str) -> tuple[int, str]:
        """Run a command to its end, and return its exit code and its output."""
        done = subprocess.run(
            [DIALER, *arguments],
            cwd=self._folder,
            env={**os.environ, **self._environ},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return done.returncode, done.stdout + done.stderr

    def join(self) -> Process:
        """Start another worker."""
        self._born += 1
        worker = Process(self._folder, self._environ, "worker", "--name", f"w{self._born}")
        self.workers.append(worker)
        return worker

    @contextlib.contextmanager
    def client(self, username: str = "root") -> Iterator[Caller]:
        """Return a client of the API."""
        with httpx.Client(base_url=self._base.removesuffix("/rest-api/"), timeout=60, verify=NO_TLS) as client:
            yield Caller(cast("TestClient[Any]", client), username)


@contextlib.contextmanager
def shared_service(folder: Path, environ: Mapping[str, str]) -> Iterator[SharedService]:
    """Start the API of a shared service; end all its processes at the end."""
    service = SharedService(folder, environ)
    try:
        yield service
    finally:
        for process in (*service.workers, service.api):
            with contextlib.suppress(subprocess.TimeoutExpired, ValueError):
                process.send(signal.SIGCONT)
                process.end(signal.SIGKILL)
