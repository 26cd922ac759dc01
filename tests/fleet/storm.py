"""A storm over real processes: workers are killed, frozen and ended while campaigns run and users act.

`python -m tests.fleet.storm --seconds 80 --seed 1`: the database is a file, unless DIALER_DATABASE_URL names another.
"""

import argparse
import contextlib
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, text

from dialer.store.database import Database
from tests.api.harness import PASSWORD, Caller
from tests.end_to_end.killed import BROKEN
from tests.fleet.processes import SharedService, shared_service

ACCOUNTS: Final = 6
CHANNELS: Final = 30
CPS: Final = 12
PEOPLE: Final = 400
PERSON: Final = "+1202{:03d}{:04d}"
WORKERS: Final = 3
FROZEN_S: Final = (1, 3, 18)
"""Times for which a worker is stopped; the last is longer than a lease."""
REST_S_MAX: Final = 60
"""Time in which all calls must end after the storm."""
SECOND_MS: Final = 1_000
BEHAVIOUR: Final = {"answer": 0.7, "busy": 0.2, "machine": 0, "ring": [1, 3], "talk": [1, 5], "patience": [2, 4]}
_NOT_NOW: Final = {"a callee who asked not to be called is on no list", "nothing was charged"}


class Paused(NamedTuple):
    """A campaign's number of calls when its pause was answered, and right before its next start."""

    campaign_id: int
    since_ms: int
    calls: int
    calls_later: int


class Report(NamedTuple):
    """The result of a storm."""

    calls: int
    troubles: dict[str, int]
    pauses: int
    channels_most: int
    cps_most: int
    slowest_pause_ms: int
    audit: tuple[int, str]
    broken: list[str]


def now_ms() -> int:
    """Return the time of this machine."""
    return time.time_ns() // 1_000_000


def furnish(service: SharedService) -> list[int]:
    """Create accounts with a campaign each over one gateway, and return the ids of the campaigns."""
    campaigns = []
    with service.client() as root:
        gateway = root.create("gateway", name="g", parameters=BEHAVIOUR, max_channels=CHANNELS, max_cps=CPS)
        for place in range(ACCOUNTS):
            name = f"user{place}"
            user = root.create("users", username=name, password=PASSWORD)
            root.create("payment", amount=1_000, user=user["id"], description="first")
            root.create("rate-card", user=user["id"], prefix="", rate="0.02", first_increment=1, next_increment=1)
            with service.client(name) as own:
                campaigns.append(_campaign(own, gateway["url"], place))
    return campaigns


def _campaign(own: Caller, gateway: str, place: int) -> int:
    book = own.create("phonebook", name="people")
    content = "contact\n" + "\n".join(PERSON.format(200 + place, number) for number in range(PEOPLE))
    path = f"{book['url'].rstrip('/')}/import/"
    answer = own.request("POST", path, content=content, headers={"Content-Type": "text/csv"})
    assert answer.status_code < 300, answer.text
    survey = own.create("survey-template", name="poll")
    own.create("section-template", survey=survey["url"], type=1, order=1, question="hello", script="hello")
    campaign = own.create(
        "campaigns",
        name="storm",
        aleg_gateway=gateway,
        object_id=str(survey["id"]),
        phonebook=[book["url"]],
        frequency=600,
        maxretry=2,
        intervalretry=5,
        daily_start_time="00:00:00",
        daily_stop_time="23:59:59",
        **dict.fromkeys(("saturday", "sunday"), True),
    )
    own.change(campaign["url"], status=1)
    return int(campaign["id"])


class Storm:
    """The troubles of the workers, and the users who pause and start meanwhile."""

    def __init__(
        self, service: SharedService, database: Database, campaigns: list[int], *, seed: int, seconds: float
    ) -> None:
        self._database: Final = database
        self._service: Final = service
        self._campaigns: Final = campaigns
        self._seed: Final = seed
        self._until_s: Final = time.monotonic() + seconds
        self.paused: Final[list[Paused]] = []
        self.slowest_ms = 0
        self.troubles: Final = dict.fromkeys(("killed", "frozen", "ended"), 0)
        self._is_over: Final = threading.Event()

    def rage(self) -> None:
        """Run until the time is over."""
        with ThreadPoolExecutor(len(self._campaigns)) as threads:
            users = [threads.submit(self._pause, place) for place in range(len(self._campaigns))]
            chance = random.Random(self._seed)  # noqa: S311 - chance for a test
            while not self._is_over.wait(chance.uniform(1, 4)):
                if time.monotonic() > self._until_s:
                    self._is_over.set()
                    break
                self._trouble(chance)
            for user in users:
                user.result()

    def _trouble(self, chance: random.Random) -> None:
        service = self._service
        kind, worker = chance.choice(sorted(self.troubles)), chance.choice(service.workers)
        self.troubles[kind] += 1
        if kind == "frozen":
            worker.send(signal.SIGSTOP)
            self._is_over.wait(chance.choice(FROZEN_S))
            worker.send(signal.SIGCONT)
            return
        worker.end(signal.SIGKILL if kind == "killed" else signal.SIGTERM)
        service.workers.remove(worker)
        service.join()

    def _pause(self, place: int) -> None:
        """Pause and start a campaign again and again."""
        chance = random.Random(f"{self._seed} {place}")  # noqa: S311 - as above
        campaign_id = self._campaigns[place]
        url = f"campaigns/{campaign_id}/"
        with self._service.client(f"user{place}") as own:
            while not self._is_over.wait(chance.uniform(0.5, 4)):
                asked_ms = now_ms()
                own.change(url, status=2)
                since_ms = now_ms()
                self.slowest_ms = max(self.slowest_ms, since_ms - asked_ms)
                calls = self._calls(campaign_id)
                time.sleep(chance.uniform(0.2, 1))
                self.paused.append(Paused(campaign_id, since_ms, calls, self._calls(campaign_id)))
                own.change(url, status=1)

    def _calls(self, campaign_id: int) -> int:
        query = text("SELECT count(*) FROM callrequest WHERE campaign_id = :campaign")
        return self._database.read_now(lambda one: int(one.scalar(query, {"campaign": campaign_id}) or 0))


def calm(service: SharedService, campaigns: list[int]) -> None:
    """Pause all campaigns and wait for the end of all calls."""
    with service.client() as root:
        for campaign_id in campaigns:
            root.change(f"campaigns/{campaign_id}/", status=2)
        until_s = time.monotonic() + REST_S_MAX
        while root.get("callrequest/", page_size=1, status=7)["count"] and time.monotonic() < until_s:
            time.sleep(0.5)


def broken_rules(connection: Connection, paused: Sequence[Paused]) -> Iterator[str]:
    """Yield the rules that the rows break."""
    for one in paused:
        if one.calls_later > one.calls:
            yield f"a dial after the answer to a pause: {one}"
    for name, query in BROKEN.items():
        if name not in _NOT_NOW and (rows := connection.execute(text(query)).all()):
            yield f"{name}: {rows[0]}"
    query = "SELECT count(*) FROM shard WHERE worker_id IS NULL"
    if connection.scalar(text(query)):
        yield "a shard has no owner"


def loads(connection: Connection) -> tuple[int, int]:
    """Return the most calls at once and the most dials in any second."""
    rows = connection.execute(text("SELECT started_ms, ended_ms FROM callrequest")).all()
    starts = sorted(row[0] for row in rows)
    densest = 0
    first = 0
    for place, at_ms in enumerate(starts):
        while starts[first] <= at_ms - SECOND_MS:
            first += 1
        densest = max(densest, place - first + 1)
    # A call that ends at a moment frees its channel for one that begins then.
    moments = sorted([(row[0], 1) for row in rows] + [(row[1], -1) for row in rows if row[1] is not None])
    carried = most = 0
    for _, change in moments:
        carried += change
        most = max(most, carried)
    return most, densest


def storm(folder: Path, *, seconds: float, seed: int, url: str | None = None) -> Report:
    """Let a storm pass over a new service, and check its rows."""
    url = url or f"sqlite+aiosqlite:///{folder / 'dialer.db'}"
    with shared_service(folder, {"DIALER_DATABASE_URL": url, "DIALER_MEDIA_DIR": str(folder / "media")}) as service:
        for _ in range(WORKERS):
            service.join()
        campaigns = furnish(service)
        database = Database(url)
        raging = Storm(service, database, campaigns, seed=seed, seconds=seconds)
        raging.rage()
        calm(service, campaigns)
        audit = service.run("audit")
    with contextlib.closing(database):
        broken = database.read_now(lambda connection: list(broken_rules(connection, raging.paused)))
        channels, cps = database.read_now(loads)
        calls = database.read_now(
            lambda connection: int(connection.scalar(text("SELECT count(*) FROM callrequest")) or 0)
        )
    if channels > CHANNELS:
        broken.append(f"{channels} calls at once, {CHANNELS} allowed")
    if cps > CPS:
        broken.append(f"{cps} dials in a second, {CPS} allowed")
    figures: Any = calls, raging.troubles, len(raging.paused), channels, cps, raging.slowest_ms, audit, broken
    return Report(*figures)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program; exit with 1 if a rule is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=80)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        url = os.environ.get("DIALER_DATABASE_URL")
        report = storm(Path(folder), seconds=given.seconds, seed=given.seed, url=url)
        if report.broken:
            sys.stderr.write((Path(folder) / "service.log").read_text()[-4_000:])
    sys.stdout.write(json.dumps(report._asdict(), indent=1) + "\n")
    sys.exit(1 if report.broken or report.audit[0] else 0)


if __name__ == "__main__":
    main()
