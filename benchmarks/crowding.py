"""Benchmark of one account beside another that sends everything at once: `python -m benchmarks.crowding [SECONDS]`.

One account dials and reads. The server is measured while it is quiet, then while another account sends dry runs of
files, tests of a webhook whose receiver is silent, dry imports of a workbook, streams of events, webhooks whose names
are looked up for long, forecasts and comparisons, each from several clients at once, and then quiet again. Figures are
ratios to the quiet server of the same run.
"""

import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from socket import create_server
from typing import Final, NamedTuple

import httpx
import openpyxl
from sqlalchemy import Connection, select

from benchmarks.advance import START_MS, add, survey
from benchmarks.campaigning import MUCH_MONEY, ask, ready, start
from benchmarks.fixture_database import AUTHORIZATION, INSERT_CONTACTS, PASSWORD, PHONEBOOK, create_database
from benchmarks.load import request_bytes, run_load
from benchmarks.measure import Figure, print_row, sizes_of
from benchmarks.servers import HOST, SLOW_NAMES, Server, running
from benchmarks.slow_names import SLOW
from dialer.app.accounts.payments import record_payment
from dialer.app.work.unit import UnitOfWork
from dialer.passwords import hash_password
from dialer.store.database.database import Database
from dialer.store.tables import Campaign, CampaignPhonebook, Phonebook, User

SECONDS: Final = 30
CALLS_A_SECOND: Final = 4
READERS: Final = 2
"""Clients of the account that is measured."""
CLIENTS: Final = {"apply": 12, "test": 20, "import": 6, "stream": 12, "name": 16, "forecast": 4, "compare": 2}
"""Clients of the other account, by what they send."""
WARM_UP_S: Final = 5.0
CALLS_WANTED: Final = 0.95
P99_MS_WANTED: Final = 200.0
RIVAL: Final = "eve"
VIEWERS: Final = tuple(f"viewer{place}" for place in range(CLIENTS["forecast"]))
"""Users of the other account who read its records, and ask for its forecasts."""
PEOPLE: Final = 1_000
"""People of the other account's campaign."""
SEEDS: Final = {"forecast": 50, "compare": 20}
ROWS: Final = 20_000
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
PARAMETERS: Final = json.dumps({"answer": 1.0, "busy": 0, "rejected": 0, "invalid": 0, "machine": 0.0})
_DIALS: Final = "SELECT coalesce(max(id), 0) FROM callrequest"


class Measured(NamedTuple):
    """The calls and the answers of the account in one part of a run."""

    calls_a_second: float
    median_ms: float
    p99_ms: float


class Rival:
    """The other account, in a process of its own: its clients run in threads until its input ends."""

    def __init__(self, port: int, silent_port: int) -> None:
        self._base: Final = f"http://{HOST}:{port}/rest-api/"
        self.statuses: Final[Counter[str]] = Counter()
        self._over: Final = threading.Event()
        with self._client() as client:
            target = {"name": "CRM", "target_url": f"http://{HOST}:{silent_port}/"}
            self._webhook: Final = client.post("webhook/", json=target).raise_for_status().json()["id"]
            self._book: Final = client.post("phonebook/", json={"name": "People"}).raise_for_status().json()["id"]
            self._campaign: Final = client.get("campaigns/").raise_for_status().json()["results"][0]["id"]
        self._names: Final = count()
        books = ", ".join(f"{{name: B{place}}}" for place in range(990))
        files = [{"name": f"{place}.yaml", "content": f"phonebooks: [{books}]"} for place in range(100)]
        self._files: Final = json.dumps({"files": files, "dry_run": True}).encode()
        self._workbook: Final = _workbook()

    def crowd(self) -> None:
        """Send everything at once until the input of the process ends."""
        work = {"apply": self._apply, "test": self._test, "import": self._import, "stream": self._stream}
        work |= {"name": self._name, "forecast": self._forecast, "compare": self._compare}
        for name, clients in CLIENTS.items():
            for place in range(clients):
                user = VIEWERS[place] if name == "forecast" else RIVAL
                threading.Thread(target=self._repeat, args=(name, work[name], user), daemon=True).start()
        sys.stdin.read()
        self._over.set()
        sys.stdout.write(json.dumps(self.statuses))

    def _client(self, user: str = RIVAL) -> httpx.Client:
        return httpx.Client(base_url=self._base, auth=(user, PASSWORD), timeout=60, trust_env=False)

    def _repeat(self, name: str, work: Callable[[httpx.Client], int], user: str) -> None:
        with self._client(user) as client:
            while not self._over.is_set():
                try:
                    self.statuses[f"{name} {work(client)}"] += 1
                except httpx.HTTPError as error:
                    self.statuses[f"{name} {type(error).__name__}"] += 1

    def _apply(self, client: httpx.Client) -> int:
        return client.post("apply/", content=self._files, headers={"Content-Type": "application/json"}).status_code

    def _test(self, client: httpx.Client) -> int:
        return client.post(f"webhook/{self._webhook}/test/").status_code

    def _import(self, client: httpx.Client) -> int:
        url = f"phonebook/{self._book}/import/?dry_run=true"
        return client.post(url, content=self._workbook, headers={"Content-Type": XLSX}).status_code

    def _name(self, client: httpx.Client) -> int:
        target = {"target_url": f"http://name{next(self._names)}{SLOW}/"}
        return client.patch(f"webhook/{self._webhook}/", json=target).status_code

    def _forecast(self, client: httpx.Client) -> int:
        return client.post(f"campaigns/{self._campaign}/forecast/", json={"seeds": SEEDS["forecast"]}).status_code

    def _compare(self, client: httpx.Client) -> int:
        wanted = {"seeds": SEEDS["compare"], "settings": [{"frequency": "30"}]}
        return client.post(f"campaigns/{self._campaign}/what-if/", json=wanted).status_code

    def _stream(self, client: httpx.Client) -> int:
        with client.stream("GET", "events/", headers={"Accept": "text/event-stream"}) as answer:
            for _ in answer.iter_bytes():
                if self._over.is_set():
                    break
            return answer.status_code


def _workbook() -> bytes:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("People")
    sheet.append(["contact", "full_name"])
    for place in range(ROWS):
        sheet.append([f"+1303{place:07d}", f"Ann Other {place}"])
    with tempfile.NamedTemporaryFile(suffix=".xlsx") as file:
        book.save(file.name)
        return Path(file.name).read_bytes()


def _add_rival(path: Path, campaign_id: int) -> None:
    """Add the other account, with a campaign like that of the first one, and users who read."""
    database = Database(f"sqlite+aiosqlite:///{path}")
    database.write_now(partial(_write_rival, campaign_id=campaign_id))
    database.close()


def _write_rival(connection: Connection, *, campaign_id: int) -> None:
    password_hash = hash_password(PASSWORD)
    user_id = add(connection, User, username=RIVAL, username_key=RIVAL, password_hash=password_hash)
    for name in VIEWERS:
        viewer = {"username": name, "username_key": name, "role": "viewer", "manager_id": user_id}
        add(connection, User, **viewer, password_hash=password_hash)
    record_payment(UnitOfWork(connection=connection, now_ms=START_MS), user_id, MUCH_MONEY)
    book_id = add(connection, Phonebook, user_id=user_id, name="Own")
    numbers = [f"+1202{place:07d}" for place in range(PEOPLE)]
    zone, empty = "America/New_York", ("", "", "{}")
    rows = [(book_id, one, one, zone, *empty, user_id, START_MS, START_MS) for one in numbers]
    INSERT_CONTACTS.run(connection, rows)
    first = connection.execute(select(Campaign.__table__).where(Campaign.id == campaign_id)).mappings().one()
    own = {"user_id": user_id, "campaign_code": RIVAL, "object_id": survey(connection, user_id)}
    copied = ("name", "aleg_gateway_id", "startingdate", "expirationdate", "frequency")
    rivals_id = add(connection, Campaign, **{name: first[name] for name in copied}, **own)
    add(connection, CampaignPhonebook, campaign_id=rivals_id, phonebook_id=book_id)


@contextlib.contextmanager
def crowding(server: Server, silent_port: int, statuses: dict[str, int]) -> Iterator[None]:
    """Let the other account send everything at once; at the end `statuses` has the answers to it."""
    command = [sys.executable, "-m", "benchmarks.crowding", "--rival", str(server.address[1]), str(silent_port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        try:
            yield
        finally:
            statuses |= json.loads(process.communicate()[0] or "{}")


def measured(server: Server, path: Path, seconds: float) -> Measured:
    """Measure calls and answers for some seconds."""
    first, began_s = ask(path, _DIALS), time.perf_counter()
    one = request_bytes(server.address, "GET", f"/rest-api/phonebook/{PHONEBOOK}/", {"Authorization": AUTHORIZATION})
    load = run_load(server.address, iter(lambda: one, b""), clients=READERS, seconds=seconds)
    calls = (ask(path, _DIALS) - first) / (time.perf_counter() - began_s)
    latencies_ms = sorted(one * 1_000 for one in load.latencies_s)
    return Measured(calls, statistics.median(latencies_ms), latencies_ms[int(len(latencies_ms) * 0.99)])


def main() -> None:
    """Measure and print the results."""
    if "--rival" in sys.argv:
        Rival(*map(int, sys.argv[-2:])).crowd()
        return
    (seconds,) = sizes_of((SECONDS,))
    statuses: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder, create_server((HOST, 0), backlog=512) as silent:
        contacts = round(CALLS_A_SECOND * (3 * seconds + 60) * 1.5)
        path = create_database(Path(folder), contacts=contacts)
        campaign_id = ready(path, int(time.time() * 1_000), parameters=PARAMETERS, frequency=CALLS_A_SECOND * 60)
        _add_rival(path, campaign_id)
        with running(SLOW_NAMES, path, webhook_networks="127.0.0.0/8") as server:
            start(server, campaign_id)
            time.sleep(WARM_UP_S)
            measure = partial(measured, server, path, seconds)
            before = measure()
            with crowding(server, silent.getsockname()[1], statuses):
                time.sleep(WARM_UP_S)
                crowded = measure()
            time.sleep(WARM_UP_S)
            after = measure()
    quiet = Measured(*map(statistics.mean, zip(before, after, strict=True)))
    found = {"quiet": [before, after], "crowded": crowded, "answers to the other account": statuses}
    sys.stderr.write(f"{json.dumps(found)}\n")
    size = f"{sum(CLIENTS.values())} clients of another account"
    print_row(
        Figure("calls beside a crowd", size, "quiet", crowded.calls_a_second / quiet.calls_a_second, CALLS_WANTED)
    )
    print_row(Figure("p99 of answers", size, "", crowded.p99_ms, P99_MS_WANTED, "ms", at_most=True))
    print_row(Figure("p99 of answers", size, "quiet", crowded.p99_ms / quiet.p99_ms, at_most=True))


if __name__ == "__main__":
    main()
