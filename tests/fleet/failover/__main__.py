"""Kill the primary of two PostgreSQL servers under Patroni while workers dial and a client writes; then check all rows.

    python -m tests.fleet.failover
    python -m tests.fleet.failover --kills 3
    python -m tests.fleet.failover --asynchronous

It needs Debian's packages `patroni`, `etcd-server` and `python3-etcd`. Install them with a `/usr/sbin/policy-rc.d` that
exits with 101, so that no server of theirs starts. Everything runs on this machine, on free ports.

The standby receives nothing for some seconds before each kill. `--asynchronous` switches synchronous replication off,
to see what it is for: acknowledged rows are lost then, and people are dialled twice.
"""

import argparse
import contextlib
import itertools
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import httpx
import psycopg

from dialer.store.database import migrate
from dialer.store.database.database import Database
from tests.api.harness import Caller
from tests.databases.cluster import USER
from tests.fleet.failover.patroni import Failover, failover
from tests.fleet.processes import SharedService, shared_service
from tests.fleet.storm import rules
from tests.fleet.storm.scene import GATEWAYS, Place, furnish

ACCOUNTS: Final = 2
PEOPLE: Final = 900
WORKERS: Final = 2
BEFORE_S: Final = 6.0
"""Seconds of dialling before each kill."""
CUT_OFF_S: Final = 2.0
"""Seconds before each kill in which the standby receives nothing. A synchronous commit waits for it."""
BACK_S_MAX: Final = 30.0
"""Dialling must go on within this time."""
END_S_MAX: Final = 120.0
POLL_S: Final = 0.2
_NEW: Final = "+1303{:07d}"
_DIALS: Final = "SELECT id, subscriber_id, attempt, started_ms FROM callrequest"
_LAST: Final = "SELECT max(started_ms) FROM callrequest"
Dial = tuple[int, int | None, int, int]
"""The id of a call request, its subscriber, the number of the attempt, and the moment of the dial."""


class Report(NamedTuple):
    """The result of a run."""

    back_s: list[float]
    """Seconds from each kill to the next dial."""
    dials: int
    contacts: int
    """Number of contacts whose creation was acknowledged."""
    refused: int
    """Number of requests that were refused or not answered meanwhile."""
    audit: tuple[int, str]
    broken: list[str]


class Witness:
    """Threads that note what the service has promised: dials that others can see, and contacts that were acknowledged.

    PostgreSQL shows nobody a transaction before the synchronous standby has it. So a dial that was seen is one that a
    carrier may have made.
    """

    def __init__(self, url: str, service: SharedService, book: str) -> None:
        self._url: Final = url
        self._service: Final = service
        self._book: Final = book
        self._is_over: Final = threading.Event()
        self.dials: Final[set[Dial]] = set()
        self.contacts: Final[list[str]] = []
        self.refused = 0

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Watch and write while the context is entered."""
        threads = [threading.Thread(target=self._watch), threading.Thread(target=self._write)]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._is_over.set()
            for thread in threads:
                thread.join()

    def _watch(self) -> None:
        while not self._is_over.is_set():
            with contextlib.suppress(psycopg.Error), psycopg.connect(self._url, autocommit=True) as connection:
                while not self._is_over.wait(POLL_S):
                    self.dials.update(connection.execute(_DIALS).fetchall())

    def _write(self) -> None:
        with self._service.client() as root:
            for place in itertools.count():
                if self._is_over.wait(POLL_S):
                    return
                number = _NEW.format(place)
                try:
                    answer = root.request("POST", "contact/", json={"contact": number, "phonebook": self._book})
                except httpx.HTTPError:
                    self.refused += 1
                    continue
                if answer.status_code == httpx.codes.CREATED:
                    self.contacts.append(number)
                else:
                    self.refused += 1


def run(kills: int, *, is_synchronous: bool = True) -> Report:
    """Dial, kill the primary a number of times, end all calls, and check the rows."""
    with tempfile.TemporaryDirectory() as folder, failover(is_synchronous=is_synchronous) as servers:
        url = servers.url
        _create(url)
        with shared_service(Path(folder), url) as service:
            places = furnish(service, accounts=ACCOUNTS, people=PEOPLE)
            for _ in range(WORKERS):
                service.join()
            with service.client() as root:
                book = str(root.get(f"phonebook/{places[0].book_id}/")["url"])
            witness = Witness(url, service, book)
            with witness.watching():
                back_s = [_kill(servers, url) for _ in range(kills)]
                time.sleep(BEFORE_S)
            _end(service, places)
            audit = service.run("audit")
            return _report(url, witness, back_s, audit)


def _create(url: str) -> None:
    """Create the database with its tables."""
    with psycopg.connect(url.replace("/dialer?", "/postgres?"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE dialer OWNER {USER} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")
    migrate.upgrade(url)


def _kill(servers: Failover, url: str) -> float:
    """Let workers dial, kill the primary, and start it again as the standby. Return the seconds until the next dial."""
    time.sleep(BEFORE_S)
    primary = servers.wait_for_standby()
    with servers.cut_off(primary):
        time.sleep(CUT_OFF_S)
        killed_ms = time.time() * 1_000
        servers.lose(primary)
    back_s: float = (_patiently(lambda: _dialled_after(url, killed_ms), BACK_S_MAX * 4) - killed_ms) / 1_000
    servers.start(primary)
    servers.wait_for_standby()
    return round(back_s, 1)


def _dialled_after(url: str, moment_ms: float) -> int | None:
    with contextlib.suppress(psycopg.Error), psycopg.connect(url) as connection:
        ((last_ms,),) = connection.execute(_LAST).fetchall()
        return int(last_ms) if last_ms > moment_ms else None
    return None


def _end(service: SharedService, places: Sequence[Place]) -> None:
    """Pause all campaigns, and wait until all calls have ended."""
    with service.client() as root:
        for place in places:
            _patiently(lambda place=place: _paused(root, place), END_S_MAX)  # type: ignore[misc]
        _patiently(lambda: root.get("callrequest/", page_size=1, status=7)["count"] == 0 or None, END_S_MAX)


def _paused(root: Caller, place: Place) -> bool | None:
    return root.request("PATCH", f"campaigns/{place.campaign_id}/", json={"status": 2}).status_code < 300 or None


def _patiently(ask: Callable[[], Any], most_s: float) -> Any:  # noqa: ANN401 - what `ask` returns
    """Ask until there is an answer, and return it."""
    deadline_s = time.monotonic() + most_s
    while time.monotonic() < deadline_s:
        if (answer := ask()) is not None:
            return answer
        time.sleep(POLL_S)
    raise TimeoutError(f"nothing for {most_s} s")


def _report(url: str, witness: Witness, back_s: list[float], audit: tuple[int, str]) -> Report:
    with psycopg.connect(url) as connection:
        dials = set(connection.execute(_DIALS).fetchall())
        numbers = {number for (number,) in connection.execute("SELECT contact FROM contact").fetchall()}
    with contextlib.closing(Database(url)) as database:
        broken = database.read_now(lambda one: list(rules.broken_rows(one, GATEWAYS)))
    if lost := witness.dials - dials:
        broken.append(f"{len(lost)} dials that were seen are lost: {sorted(lost)[:3]}")
    if forgotten := [number for number in witness.contacts if number not in numbers]:
        broken.append(f"{len(forgotten)} acknowledged contacts are lost: {forgotten[:3]}")
    attempts = {(subscriber_id, attempt) for _, subscriber_id, attempt, _ in dials | witness.dials}
    if len(attempts) < len(dials | witness.dials):
        broken.append(f"{len(dials | witness.dials) - len(attempts)} attempts were dialled twice")
    if max(back_s, default=0) > BACK_S_MAX:
        broken.append(f"dialling was back after {max(back_s)} s, {BACK_S_MAX:.0f} s allowed")
    return Report(back_s, len(dials), len(witness.contacts), witness.refused, audit, broken)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program; exit with 1 if a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=1, help="how many times the primary is killed")
    parser.add_argument("--asynchronous", action="store_true", help="without synchronous replication")
    given = parser.parse_args(arguments)
    report = run(given.kills, is_synchronous=not given.asynchronous)
    sys.stdout.write(json.dumps(report._asdict(), indent=1) + "\n")
    sys.exit(1 if report.broken or report.audit[0] else 0)


if __name__ == "__main__":
    main()
