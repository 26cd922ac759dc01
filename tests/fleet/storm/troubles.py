"""Troubles of a storm: what happens to which process, when, and for how long."""

import heapq
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from typing import Final, NamedTuple

import psycopg
from sqlalchemy import make_url

from tests.databases.cluster import Cluster
from tests.fleet.processes import Process, SharedService
from tests.fleet.storm.process import (
    DIE_AFTER_COMMIT,
    DIE_BEFORE_COMMIT,
    FREEZE_IN_COPY,
    FREEZE_IN_STEP,
    NEVER_MIND,
)

API: Final = "api"
DATABASE: Final = "database"
IN_COPY: Final = "freeze api in copy"
_SESSIONS: Final = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'dialer%' AND pid <> pg_backend_pid()
    ORDER BY md5(pid || '{salt}') LIMIT 1"""
FOR_GOOD_MS: Final = 1 << 62
"""The end of a trouble that a process does not survive."""
_THAWS: Final = 3
_THAW_S: Final = 0.05
_CALM_S: Final = (0.5, 4.0)
"""Shortest and longest time between two troubles."""


class Trouble(NamedTuple):
    """A plan: after `at_s` seconds something happens to a worker, to a process of the API or to the database."""

    at_s: float
    kind: str
    """A key of `Troubles.kinds`."""
    for_s: float = 0.0
    """Time after which it ends."""


class Suffered(NamedTuple):
    """A trouble that a process has had, by the clock of this machine."""

    name: str
    kind: str
    began_ms: int
    ended_ms: int


def plan_of(seed: int, seconds: float, *, lease_s: float, kinds: Sequence[str]) -> list[Trouble]:
    """Draw the troubles of a storm."""
    return list(_drawn(random.Random(seed), seconds, lease_s, kinds))  # noqa: S311 - chance for a test


def _drawn(chance: random.Random, seconds: float, lease_s: float, kinds: Sequence[str]) -> Iterator[Trouble]:
    at_s = 0.0
    while (at_s := at_s + chance.uniform(*_CALM_S)) < seconds:
        yield Trouble(at_s, chance.choice(kinds), chance.choice((0.5, 2.0, lease_s - 1, lease_s + 3)))


class Troubles:
    """The troubles of a service, as they happen."""

    def __init__(self, service: SharedService, cluster: Cluster | None = None) -> None:
        self._service: Final = service
        self._cluster: Final = cluster
        service.meanwhile = self._end_due
        self._in_trouble: Final[set[str]] = set()
        self._ends: Final[list[tuple[float, int, Callable[[], None]]]] = []
        self.suffered: Final[list[Suffered]] = []
        self.intruded: Final[list[str]] = []
        """Commands that ran beside the service, although they serve or move a database alone."""
        kinds: dict[str, Callable[[Trouble], None]] = {
            "kill": lambda _: self._lose_worker("kill", signal.SIGKILL),
            "end": lambda _: self._lose_worker("end", signal.SIGTERM),
            "die before commit": lambda _: self._lose_worker("die before commit", DIE_BEFORE_COMMIT),
            "die after commit": lambda _: self._lose_worker("die after commit", DIE_AFTER_COMMIT),
            "freeze": lambda trouble: self._freeze(trouble, signal.SIGSTOP),
            "freeze in step": lambda trouble: self._freeze(trouble, FREEZE_IN_STEP),
            "api dies before commit": lambda _: self._lose_api(DIE_BEFORE_COMMIT),
            "api dies after commit": lambda _: self._lose_api(DIE_AFTER_COMMIT),
            "api killed": lambda _: self._lose_api(signal.SIGKILL),
        }
        if any(one.link is not None for one in service.workers):
            kinds["cut"] = self._cut
        kinds["second server"] = lambda _: self._intrude()
        if not service.url.startswith("sqlite"):
            kinds["end session"] = self._end_session
            kinds[IN_COPY] = lambda trouble: self._freeze_api(trouble, FREEZE_IN_COPY)
            kinds["freeze api"] = lambda trouble: self._freeze_api(trouble, signal.SIGSTOP)
        if cluster is not None:
            kinds |= {"restart": lambda _: self._restart("fast"), "crash": lambda _: self._restart("immediate")}
        self.kinds: Final = kinds

    def rage(self, plan: Sequence[Trouble], seconds: float, is_over: threading.Event) -> None:
        """Let everything happen that is planned, then end all troubles."""
        began_s = time.monotonic()
        for trouble in plan:
            self._wait_until(began_s + trouble.at_s, is_over)
            self.kinds[trouble.kind](trouble)
        self._wait_until(began_s + seconds, is_over)
        is_over.set()
        while self._ends:
            heapq.heappop(self._ends)[2]()

    def _wait_until(self, at_s: float, is_over: threading.Event) -> None:
        while (now_s := time.monotonic()) < at_s:
            if self._ends and self._ends[0][0] <= now_s:
                heapq.heappop(self._ends)[2]()
                continue
            until_s = min(at_s, self._ends[0][0]) if self._ends else at_s
            is_over.wait(until_s - now_s)

    def _end_due(self) -> None:
        """End the troubles whose time is over. A worker that is frozen with the lock of a file lets nobody start."""
        while self._ends and self._ends[0][0] <= time.monotonic():
            heapq.heappop(self._ends)[2]()

    def _later(self, in_s: float, end: Callable[[], None]) -> None:
        heapq.heappush(self._ends, (time.monotonic() + in_s, len(self.suffered), end))

    def _victim(self) -> Process | None:
        """Return the worker that has gone without trouble for longest; None if all are in trouble."""
        found = next((one for one in self._service.workers if one.name not in self._in_trouble), None)
        if found is not None:  # Others come first from now on.
            self._service.workers.remove(found)
            self._service.workers.append(found)
        return found

    def _lose_worker(self, kind: str, number: int) -> None:
        worker = self._victim()
        if worker is None:
            return
        began_ms = _now_ms()
        worker.lose(number)
        self._service.workers.remove(worker)
        self.suffered.append(Suffered(worker.name, kind, began_ms, FOR_GOOD_MS))
        self._service.join()

    def _freeze(self, trouble: Trouble, number: int) -> None:
        worker = self._victim()
        if worker is not None:
            worker.send(number)
            self._suffer(worker, trouble, lambda: self._thaw(worker))

    def _thaw(self, worker: Process) -> None:
        worker.send(NEVER_MIND)
        for _ in range(_THAWS):  # It may be about to stop itself.
            worker.send(signal.SIGCONT)
            time.sleep(_THAW_S)

    def _cut(self, trouble: Trouble) -> None:
        worker = self._victim()
        if worker is None or worker.link is None:
            return
        link, is_lost = worker.link, int(trouble.at_s * 1_000) % 2 == 0
        link.cut()
        self._suffer(worker, trouble, lambda: link.heal(is_lost=is_lost))

    def _suffer(self, worker: Process, trouble: Trouble, heal: Callable[[], None]) -> None:
        began_ms = _now_ms()
        self._in_trouble.add(worker.name)

        def end() -> None:
            heal()
            self._in_trouble.remove(worker.name)
            self.suffered.append(Suffered(worker.name, trouble.kind, began_ms, _now_ms()))

        self._later(trouble.for_s, end)

    def _lose_api(self, number: int) -> None:
        api, began_ms = self._free_api(), _now_ms()
        if api is None:
            return
        new = self._service.serve()
        self._service.apis.remove(api)
        api.lose(number)
        self.suffered.append(Suffered(API, f"{number} {new.name}", began_ms, _now_ms()))

    def _restart(self, mode: str) -> None:
        assert self._cluster is not None
        began_ms = _now_ms()
        self._cluster.stop(mode)
        self._cluster.start()
        self._intrude()  # No process has its session yet.
        self.suffered.append(Suffered(DATABASE, mode, began_ms, _now_ms()))

    def _intrude(self) -> None:
        """Try to serve and to move the database beside the processes of the service."""
        began_ms = _now_ms()
        if ready := self._service.intrude("serve", "--port", "0"):
            self.intruded.append(f"a second server started at {began_ms}: {ready}")
        code, output = self._service.run("move", "sqlite:///moved.db")
        if code == 0:
            self.intruded.append(f"a database in use was moved at {began_ms}: {output[-200:]}")
        self.suffered.append(Suffered("intruder", "second server", began_ms, _now_ms()))

    def _end_session(self, trouble: Trouble) -> None:
        """End one session of any process, as an administrator does."""
        began_ms = _now_ms()
        url = make_url(self._service.url).set(drivername="postgresql").render_as_string(hide_password=False)
        with suppress(psycopg.OperationalError), closing(psycopg.connect(url)) as one:
            one.execute(_SESSIONS.format(salt=trouble.at_s))
        self.suffered.append(Suffered(DATABASE, "end session", began_ms, _now_ms()))

    def _free_api(self) -> Process | None:
        return next((one for one in self._service.apis if one.name not in self._in_trouble), None)

    def _freeze_api(self, trouble: Trouble, number: int) -> None:
        api = self._free_api()
        if api is not None and len(self._service.apis) > 1:
            api.send(number)
            self._suffer(api, trouble, lambda: self._thaw(api))


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
