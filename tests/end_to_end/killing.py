"""Kill a server again and again while clients write and a campaign runs, then check its database.

`python -m tests.end_to_end.killing --kills 20` kills it 20 times; the test suite kills it a few times.
"""

import argparse
import contextlib
import itertools
import json
import random
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import httpx
from litestar.testing import TestClient

from tests.api.harness import Caller
from tests.end_to_end.killed import Memory, Promise, broken_rules, sizes
from tests.end_to_end.service import START, advance
from tests.test_server import ADMIN, DIALER, serving

CLOCK: Final = {"DIALER_CLOCK": "x60", "DIALER_CLOCK_START": START}
PERSON: Final = "+1202556{:04d}"
PEOPLE_PER_KILL: Final = 300
NEW_PERSON: Final = "+1202557{:04d}"
WAITS: Final = "+12025580000"
"""A subscriber who is not called before the end, so that the campaign stays open."""
NO_TLS: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""A TLS context that all clients share. The default context reads all certificates of the machine, and needs none."""
WRITES_MAX: Final = 60
"""The largest number of acknowledged writes between two kills."""
LIFE_S_MAX: Final = 120
HOURS_MAX: Final = 48
"""The campaign must end within this time after the last kill."""
BEHAVIOUR: Final = {
    "answer": 0.75,
    "machine": 0.1,
    "busy": 0.1,
    "ring": [3, 20],
    "talk": [20, 90],
    "patience": [5, 60],
    "keys": {"1": 0.4, "2": 0.2, "3": 0.2},
}


class Acknowledged:
    """A counter of acknowledged writes, which lets a kill wait for the next few."""

    def __init__(self) -> None:
        self._changed: Final = threading.Condition()
        self._count = 0

    def one_more(self) -> None:
        """Count an acknowledged write."""
        with self._changed:
            self._count += 1
            self._changed.notify_all()

    def wait_for(self, more: int) -> None:
        """Wait until `more` further writes are acknowledged."""
        with self._changed:
            wanted = self._count + more
            assert self._changed.wait_for(lambda: self._count >= wanted, LIFE_S_MAX), "the server acknowledges nothing"


class Poster:
    """A client that creates record after record. It repeats an unacknowledged request with its idempotency key."""

    def __init__(self, path: str, bodies: Iterator[dict[str, Any]], memory: list[Promise]) -> None:
        self._path: Final = path
        self._bodies: Final = bodies
        self._memory: Final = memory
        self._key = 0
        self._body = next(bodies)

    def write(self, root: Caller) -> None:
        """Create one record."""
        key = {"Idempotency-Key": f"{self._path}-{self._key}"}
        answer = root.request("POST", self._path, json=self._body, headers=key)
        body, self._key, self._body = self._body, self._key + 1, next(self._bodies)
        if answer.json() == _listed_already(body):
            return
        assert answer.status_code == 201, answer.text
        promise = Promise(body, answer.json()["id"])
        self._memory.append(promise)
        if "phone_number" in body:
            promise.calls = _calls(root, phone_number=body["phone_number"])


class Pauser:
    """A client that pauses and starts a campaign, and checks its status."""

    def __init__(self, campaign: str, memory: list[int]) -> None:
        self._memory: Final = memory
        self._campaign: Final = campaign
        self._status = self._wanted = 1
        self._calls: int | None = None
        """The number of calls at the pause, while the campaign is paused."""

    def write(self, root: Caller) -> None:
        """Check the campaign's status, then change it."""
        status = root.get(self._campaign)["status"]
        assert status in {self._status, self._wanted}
        if self._status == self._wanted == 2:
            assert self._calls in {None, _calls(root)}, "a dial after the answer to a pause"
        self._wanted = 3 - self._status
        root.change(self._campaign, status=self._wanted)
        self._status = self._wanted
        self._memory.append(self._status)
        self._calls = _calls(root) if self._status == 2 else None


def _listed_already(body: dict[str, Any]) -> dict[str, list[str]]:
    """Return the refusal of a number that is on the list already, by the wish of a callee in a call."""
    return {"phone_number": [f"{body.get('phone_number')!r} is on the list already."]}


def _calls(root: Caller, **filters: str) -> int:
    return int(root.get("callrequest/", page_size=1, **filters)["count"])


def furnish(root: Caller, people: list[str]) -> str:
    """Create a campaign whose survey transfers to a queue or a number, or puts the callee on a do-not-call list."""
    root.create("payment", amount=1_000, user=1, description="first")
    rate = {"rate": "0.02", "connection_fee": "0.00125", "first_increment": 30, "next_increment": 7}
    root.create("rate-card", user=1, prefix="", **rate)
    gateway = root.create("gateway", name="sim", parameters=BEHAVIOUR)
    book = root.create("phonebook", name="people")
    content = "contact\n" + "\n".join(people)
    answer = root.request("POST", "phonebook/1/import/", content=content, headers={"Content-Type": "text/csv"})
    assert answer.status_code < 300, answer.text
    campaign = root.create(
        "campaigns",
        name="killed",
        aleg_gateway=gateway["url"],
        object_id=str(survey_of_transfers(root, _queue(root))),
        phonebook=[book["url"]],
        dnc=root.create("dnc-list", name="never")["url"],
        frequency=120,
        callmaxduration=180,
        maxretry=2,
        intervalretry=60,
    )
    root.create("subscriber-list", campaign=campaign["url"], duplicate_contact=WAITS, status=2)
    root.change(campaign["url"], status=1)
    return f"/rest-api/campaigns/{campaign['id']}/"


def _queue(root: Caller) -> str:
    queue = root.create("queue", name="desk", max_wait_time=40)
    for place in range(20):
        agent = root.create("agent", name=f"agent {place}", status=2, parameters={"talk": [10, 60], "answer": [0, 4]})
        root.create("tier", queue=queue["url"], agent=agent["url"])
    return str(queue["url"])


def survey_of_transfers(root: Caller, queue: str) -> int:
    """Create a survey in which keys lead to a queue, to a number, or on a do-not-call list, and return its id."""
    survey = root.create("survey-template", name="poll")
    common = {"survey": survey["url"], "script": "one moment please"}
    sections: list[dict[str, Any]] = [
        {"type": 2, "key_1": "desk", "key_2": "number", "key_3": "never", "timeout": 4},
        {"type": 6, "queue": queue, "completed": True},
        {"type": 6, "phonenumber": "+33199000002"},
        {"type": 9},
    ]
    made = [
        root.create("section-template", **common, order=order, question=f"section {order}", **section)
        for order, section in enumerate(sections, 1)
    ]
    for keys in (1, 2, 3):
        root.create("branching-template", section=made[0]["url"], keys=str(keys), goto=made[keys]["url"])
    return int(survey["id"])


def writers(memory: Memory, campaign: str, never_again: Iterable[str]) -> list[Poster | Pauser]:
    """Return one client for each kind of write."""
    new = ({"phonebook": "/rest-api/phonebook/1/", "contact": NEW_PERSON.format(place)} for place in itertools.count())
    never = ({"dnc": "/rest-api/dnc-list/1/", "phone_number": number} for number in never_again)
    payments = ({"user": 1, "amount": "0.00001", "description": f"{place}"} for place in itertools.count())
    return [
        Poster("contact/", new, memory.contacts),
        Poster("dnc-contact/", never, memory.never),
        Poster("payment/", payments, memory.payments),
        Pauser(campaign, memory.states),
    ]


def write_until_killed(base: str, writer: Poster | Pauser, acknowledged: Acknowledged) -> None:
    """Write until the server is killed."""
    with client_of(base) as root, contextlib.suppress(httpx.TransportError):
        while True:
            writer.write(root)
            acknowledged.one_more()


@contextlib.contextmanager
def client_of(base: str) -> Iterator[Caller]:
    """Return a client of the API, logged in as the administrator."""
    with httpx.Client(base_url=base.removesuffix("/rest-api/"), timeout=60, verify=NO_TLS) as client:
        yield Caller(cast("TestClient[Any]", client), "root")


def live_and_die(folder: Path, clients: list[Poster | Pauser], writes: int) -> dict[str, Any]:
    """Start the server, kill it after `writes` acknowledged writes, and return what it logged at its start."""
    acknowledged = Acknowledged()
    with serving(folder, **ADMIN, **CLOCK) as served, ThreadPoolExecutor(len(clients)) as threads:
        running = [threads.submit(write_until_killed, served.base, client, acknowledged) for client in clients]
        try:
            acknowledged.wait_for(writes)
        finally:
            _, _, err = served.end(signal.SIGKILL)
        for future in running:
            future.result()
    (rules, start, *others) = (json.loads(line) for line in err.splitlines())
    assert rules["event"] == "time_zone_rules"
    assert others == []
    return dict(start)


def begin(folder: Path, people: list[str]) -> str:
    """Create and start the campaign, and return its path."""
    with serving(folder, **ADMIN, **CLOCK) as served, client_of(served.base) as root:
        campaign = furnish(root, people)
        served.end(signal.SIGKILL)
    return campaign


def finish(folder: Path, campaign: str) -> None:
    """Run the campaign to its end without kills."""
    with serving(folder, **ADMIN, DIALER_CLOCK="virtual") as served, client_of(served.base) as root:
        waiting = root.get("subscriber-list/", duplicate_contact=WAITS)[0]
        root.change(waiting["url"], status=1)
        root.change(campaign, status=1)
        for _ in range(HOURS_MAX):
            advance(root, 3_600)
            if root.get(campaign)["status"] == 4:
                break
        assert root.get(campaign)["status_reason"] == "completed"
        advance(root, 3_600)
        code, _, _ = served.end()
    assert code == 0


def audit(folder: Path) -> tuple[int, str]:
    """Run `dialer audit`, and return its exit code and its output."""
    done = subprocess.run([DIALER, "audit"], cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout + done.stderr


class Report(NamedTuple):
    """The result of a run: the starts, the acknowledged writes, the rows, and the rules that are broken."""

    starts: list[dict[str, Any]]
    acknowledged: dict[str, int]
    sizes: dict[str, int]
    audit: tuple[int, str]
    broken: list[str]


def kill_often(
    folder: Path, *, kills: int, seed: int, people_per_kill: int = PEOPLE_PER_KILL, writes_max: int = WRITES_MAX
) -> Report:
    """Kill a server `kills` times, run its campaign to the end, and check the database."""
    chance = random.Random(seed)  # noqa: S311 - chance for a test
    memory = Memory()
    people = [PERSON.format(place) for place in range(kills * people_per_kill)]
    campaign = begin(folder, people)
    clients = writers(memory, campaign, chance.sample(people, len(people)))
    starts = [live_and_die(folder, clients, chance.randint(1, writes_max)) for _ in range(kills)]
    finish(folder, campaign)
    acknowledged = {name: len(getattr(memory, name)) for name in memory.__struct_fields__}
    path = folder / "dialer.db"
    return Report(starts, acknowledged, sizes(path), audit(folder), broken_rules(path, memory))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program; exit with 1 if a rule is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        report = kill_often(Path(folder), kills=given.kills, seed=given.seed)
    sys.stdout.write(json.dumps(report._asdict(), indent=1) + "\n")
    sys.exit(1 if report.broken or report.audit[0] else 0)


if __name__ == "__main__":
    main()
