"""Processes that run `dialer` without its imports, which take most of the time of a start.

They are forked from a process that has imported the program. `tests/test_server.py` starts the program itself, too.
"""

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import IO, Any, Final

from dialer.cli import main


class ForkedProcess:
    """A process that runs `dialer` with these arguments, with the part of `subprocess.Popen` that tests use.

    `prepare` is a function of a module. It runs in the new process before the command.
    """

    def __init__(
        self,
        arguments: list[str],
        folder: Path,
        environ: Mapping[str, str],
        prepare: Callable[[], None] | None = None,
    ) -> None:
        readers, writers = zip(*(multiprocessing.Pipe(duplex=False) for _ in range(2)), strict=True)
        self._process: Final = _forks().Process(
            target=_run, args=(arguments, str(folder), dict(environ), prepare, *writers)
        )
        self._process.start()
        for writer in writers:
            writer.close()
        self.stdout, self.stderr = map(_text, readers)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid or 0

    @property
    def returncode(self) -> int | None:
        """The exit code, negative for a signal; None while the process runs."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self._process.is_alive():
            with suppress(ProcessLookupError):  # It has ended between the two.
                os.kill(self.pid, number)

    def kill(self) -> None:
        """End the process at once."""
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> None:
        """Wait for the end of the process."""
        self._process.join(timeout)
        if self._process.exitcode is None:
            raise subprocess.TimeoutExpired("dialer", timeout or 0)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """Return the rest of the output and of the errors, once the process has ended."""
        with ThreadPoolExecutor(2) as pool:
            reading = [pool.submit(_rest, stream) for stream in (self.stdout, self.stderr)]
            try:
                out, err = [one.result(timeout) for one in reading]
            except TimeoutError:
                self.kill()
                raise subprocess.TimeoutExpired("dialer", timeout or 0) from None
        self.wait(timeout)
        return out, err


@cache
def _forks() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["dialer.cli", "dialer.commands.api", "dialer.commands.worker"])
    return context


def _text(reader: Any) -> IO[str]:  # noqa: ANN401 - a connection of either platform's type
    with reader:
        return os.fdopen(os.dup(reader.fileno()))


def _rest(stream: IO[str]) -> str:
    if stream.closed:
        return ""
    with stream:
        return stream.read()


def _run(
    arguments: list[str],
    folder: str,
    environ: dict[str, str],
    prepare: Callable[[], None] | None,
    *outputs: Any,  # noqa: ANN401 - connections
) -> None:
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(folder)
    for number, output in enumerate(outputs, start=1):
        os.dup2(output.fileno(), number)
        output.close()
    sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", 1, closefd=False)
    sys.argv = ["dialer", *arguments]
    if prepare is not None:
        prepare()
    main()
