"""Runs of the plainest campaign in peers, each in a process of its own with the packages of `.venv-peers`."""

import json
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.servers import PEERS, ROOT

CHANNELS: Final = 100
RETRIES: Final = 2
RETRY_S: Final = 600
CAMPAIGN: Final[dict[str, Any]] = {"frequency": 10_000, "maxretry": RETRIES, "intervalretry": RETRY_S}
PARAMETERS: Final = {"answer": 0.45, "busy": 0, "rejected": 0, "invalid": 0, "machine": 0}
"""Callees of whom 45 % answer at each attempt, and nobody else."""


class Made(NamedTuple):
    """A call that dialer has made."""

    person: int
    started_ms: int
    seconds: int
    """From the dial to the end."""
    is_answered: bool


class Courses:
    """The calls of each person as dialer made them, from which a peer takes its own."""

    def __init__(self, calls: Iterable[Made]) -> None:
        by_person = defaultdict[int, list[Made]](list)
        for call in sorted(calls, key=itemgetter(0, 1)):
            by_person[call.person].append(call)
        self._people: Final = [[(one.seconds * 1_000, one.is_answered) for one in each] for each in by_person.values()]

    def write(self, path: Path) -> None:
        """Write the file that peers read."""
        path.write_text(json.dumps([CHANNELS, RETRIES, RETRY_S * 1_000, self._people]))

    def counts(self) -> dict[str, int]:
        """Return the counts that a peer must have, too."""
        calls = [call for person in self._people for call in person]
        answered = sum(is_answered for _, is_answered in calls)
        retries = len(calls) - len(self._people)
        held_ms = sum(held_ms for held_ms, _ in calls)
        return {"calls": len(calls), "retries": retries, "answered": answered, "held_ms": held_ms}


class RunCost(NamedTuple):
    """The processor time of a run in seconds: of the peer, and of its database's server."""

    peer_s: float
    server_s: float


def run_in_peer(
    module: str, courses: Courses, folder: Path, url: str = "", server_s: Callable[[], float] = lambda: 0.0
) -> RunCost:
    """Run the campaign in a peer, and return what it cost. `server_s` is the time of its database's server so far.

    Raises:
        RuntimeError: the peer has done other work, so there is nothing to compare.
    """
    path = folder / "courses.json"
    courses.write(path)
    command = [str(PEERS), "-m", "benchmarks.peers.plainest", module, str(path), *([url] if url else [])]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own
        if process.stdin is None or process.stdout is None or not process.stdout.readline():
            raise RuntimeError(f"{module} does not start")
        before_s = server_s()
        process.stdin.write("\n")
        process.stdin.flush()
        found = json.loads(process.stdout.readline() or "{}")
        spent_s = server_s() - before_s
        process.stdin.close()
    seconds = found.pop("seconds", 0.0)
    if found != courses.counts():
        raise RuntimeError(f"{module} has done {found} where dialer did {courses.counts()}")
    return RunCost(seconds, spent_s)
