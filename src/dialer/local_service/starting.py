"""The wait for a server that starts: as long as it makes progress, however busy the machine is."""

import contextlib
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import click

from dialer.local_service.errors import DemoError

SILENCE_S_MAX: Final = 60
"""The longest time in which a server that starts does nothing at all: neither compute, nor write a file."""
START_S_MAX: Final = 15 * 60
"""The longest time in which a server starts, whatever it does."""
TOLD_EVERY_S: Final = 10
"""The time between two messages that a server is still waited for."""
LOOK_S: Final = 0.25
FILES_MAX: Final = 1_000
"""The most files of its folder that are looked at."""
LOG_LINES_SHOWN: Final = 12
_PROCESSES: Final = Path("/proc")
_PS_S_MAX: Final = 10
_CPU_TIMES: Final = slice(11, 15)
"""The fields of `/proc/PID/stat` behind the name of the program: user and system time, its own and its children's."""

Progress = tuple[object, ...]
"""All that a process has done so far. It is only compared: two that differ say that something was done between them."""


class Patience:
    """Decides how long to wait, from what is seen at some moments. Moments are seconds of any clock."""

    def __init__(self, started_s: float, *, silence_s: float = SILENCE_S_MAX, total_s: float = START_S_MAX) -> None:
        self._started_s: Final = started_s
        self._silence_s: Final = silence_s
        self._total_s: Final = total_s
        self._seen: Progress | None = None
        self._moved_s = started_s
        self._told_s = started_s

    def news(self, now_s: float) -> str:
        """Return what to tell the user who waits, every few seconds, or nothing."""
        if now_s - self._told_s < TOLD_EVERY_S:
            return ""
        self._told_s = now_s
        waited, silent = round(now_s - self._started_s), round(now_s - self._moved_s)
        doing = f"It has done nothing for {silent} seconds" if silent else "It makes progress"
        limit = f"this command ends it after {self._silence_s:g} seconds without progress"
        return f"Waiting for the server to start, since {waited} seconds. {doing}: {limit}."

    def why_over(self, now_s: float, progress: Progress) -> str:
        """Return why waiting longer makes no sense; an empty text while the server makes progress."""
        if progress != self._seen:
            self._seen, self._moved_s = progress, now_s
        if now_s - self._moved_s >= self._silence_s:
            return f"it did nothing for {self._silence_s:g} seconds"
        if now_s - self._started_s >= self._total_s:
            return f"it was not ready after {self._total_s:g} seconds"
        return ""


def _tell(news: str) -> None:
    click.echo(news, err=True)


def first_line(
    process: subprocess.Popen[str],
    folder: Path,
    log: Path,
    *,
    patience: Patience | None = None,
    look: Callable[[int, Path], Progress] | None = None,
    tell: Callable[[str], None] = _tell,
) -> str:
    """Return the first line that a server prints, in whose `folder` its files are, and in whose `log` its errors.

    Where that takes long, `tell` gets a message every few seconds.

    Raises:
        DemoError: the server ended, or it was ended here as it made no progress. The error says which, and has the
            end of the log.
    """
    patience, look = patience or Patience(time.monotonic()), look or seen_of
    printed = _lines_of(process)
    while True:
        with contextlib.suppress(queue.Empty):
            if line := printed.get(timeout=LOOK_S):
                return line
            raise _not_started(_how_it_ended(process.wait()), log)
        if reason := patience.why_over(time.monotonic(), look(process.pid, folder)):
            process.kill()
            raise _not_started(f"{reason}, so this command ended it", log)
        if news := patience.news(time.monotonic()):
            tell(news)


def seen_of(pid: int, folder: Path) -> Progress:
    """Return the progress of a process: its processor time, where the system tells it, and the state of its files."""
    return (_computed(pid), *_files(folder))


def _lines_of(process: subprocess.Popen[str]) -> queue.Queue[str]:
    """Return a queue that gets the first line which the process prints, or nothing when it closes its output."""
    printed: queue.Queue[str] = queue.Queue()

    def read() -> None:
        with contextlib.suppress(ValueError):  # the output is closed here, as nobody waits any longer
            printed.put(process.stdout.readline() if process.stdout else "")

    threading.Thread(target=read, daemon=True).start()
    return printed


def _how_it_ended(code: int) -> str:
    if code >= 0:
        return f"it ended by itself, with exit status {code}"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return f"{name} ended it, which did not come from this command"


def _not_started(reason: str, log: Path) -> DemoError:
    tail = log.read_text(encoding="utf-8", errors="replace").splitlines()[-LOG_LINES_SHOWN:]
    return DemoError("\n".join([f"the server did not start: {reason}", *tail]))


def _computed(pid: int) -> str:
    """Return the processor time of a process as the system writes it: Linux in a file, others in a command."""
    with contextlib.suppress(OSError):
        behind_name = (_PROCESSES / f"{pid}" / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2]
        return " ".join(behind_name.split()[_CPU_TIMES])
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        command = ["ps", "-o", "time=", "-p", str(pid)]
        return subprocess.run(command, capture_output=True, text=True, timeout=_PS_S_MAX, check=False).stdout  # noqa: S603 - a number of ours
    return ""


def _files(folder: Path) -> list[tuple[str, int, int]]:
    """Return names, sizes and moments of the files in a folder: the log and the database are among them."""
    found: list[tuple[str, int, int]] = []
    for path in sorted(folder.iterdir())[:FILES_MAX]:
        with contextlib.suppress(OSError):  # it is gone again: a journal of the database
            status = path.stat()
            found.append((path.name, status.st_size, status.st_mtime_ns))
    return found
