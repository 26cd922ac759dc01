"""Benchmark of the console: `python -m benchmarks.console [--quick | --small]`.

50 campaigns dial on the real clock, and there are 200 agents. The benchmark measures how long each page takes, beside
an answer that does nothing, and the server's share of a processor with 100 open live pages, with one of each, and
without. It also measures how late dials are with and without viewers, and how long a browser works on a new live part.
"""

import http.client
import json
import re
import selectors
import socket
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from sqlalchemy import Connection

from benchmarks.advance import add
from benchmarks.campaigning import ready, start
from benchmarks.console_redraw import redraws_ms
from benchmarks.fixture_database import PASSWORD, USERNAME, create_database
from benchmarks.live import PARAMETERS, p99, watch_dials
from benchmarks.measure import Figure, print_row
from benchmarks.servers import DIALER, Server, running
from dialer.passwords import hash_password
from dialer.store.database.database import Database
from dialer.store.tables import Agent, Queue, Tier, User

IS_SMALL: Final = "--small" in sys.argv
"""True to show only that the benchmark works."""
CAMPAIGNS: Final = 3 if IS_SMALL else 50
AGENTS: Final = 10 if IS_SMALL else 200
QUEUES: Final = 10
VIEWERS: Final = 10 if IS_SMALL else 100
USERS: Final = 10
"""Users among whom the viewers are shared, as each may have a few pages open."""
CONTACTS: Final = 100
CALLS_A_MINUTE: Final = 20
WORDS: Final = 30
WARM_UP_S: Final = 20
MEASURE_S: Final = 20
WANTED_SHARE: Final = 0.1
WANTED_MS: Final = 50
TIMES: Final = 15
TIMES_ANEW: Final = 5
PAUSE_S: Final = 1.05
"""The pause after which a live part is made anew."""
LIVE: Final = ("overview/", "campaigns/1/", "board/")
PAGES: Final = (
    "overview/",
    "campaigns/",
    "campaigns/1/",
    "board/",
    "calls/",
    "calls/1/",
    "money/",
    "surveys/1/",
    "records/contact/",
    "number/?number=%2B12020000001",
)
BARE: Final = "/health/live"
_TOKEN: Final = re.compile(r'name="csrf" value="([0-9a-f]{64})"')


def add_call_centre(connection: Connection) -> None:
    """Add queues, agents and viewers of the fixture's user."""
    queues = [add(connection, Queue, user_id=1, name=f"Queue {place}") for place in range(QUEUES)]
    for place in range(AGENTS):
        agent_id = add(connection, Agent, user_id=1, name=f"Agent {place}", contact=f"+1303{place:07d}", status=2)
        add(connection, Tier, queue_id=queues[place % QUEUES], agent_id=agent_id)
    secret = hash_password(PASSWORD)
    for place in range(USERS):
        add(connection, User, username=f"viewer{place}", password_hash=secret, role="viewer", manager_id=1)


def sign_in(server: Server, username: str) -> dict[str, str]:
    """Sign in, and return the headers of requests of the session."""
    connection = http.client.HTTPConnection(*server.address, timeout=30)
    connection.request("GET", "/console/sign-in/")
    answer = connection.getresponse()
    found = _TOKEN.search(answer.read().decode())
    cookies = {line.split("=")[0]: line.split(";")[0] for line in answer.headers.get_all("Set-Cookie") or ()}
    form = urlencode({"csrf": found[1] if found else "", "username": username, "password": PASSWORD})
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": "; ".join(cookies.values())}
    connection.request("POST", "/console/sign-in/", form, headers)
    answer = connection.getresponse()
    answer.read()
    cookies |= {line.split("=")[0]: line.split(";")[0] for line in answer.headers.get_all("Set-Cookie") or ()}
    connection.close()
    return {"Cookie": "; ".join(cookies.values())}


class Share(NamedTuple):
    """The server's share of a processor, the bytes that its viewers got, and how late dials were."""

    used: float
    received: int
    late_p99_ms: float


def time_of(server: Server, path: str, headers: dict[str, str], times: int, pause_s: float = 0) -> float:
    """Return the median time of a page over one connection, in milliseconds, with pauses between the requests."""
    connection = http.client.HTTPConnection(*server.address, timeout=30)
    found = []
    for _ in range(times):
        time.sleep(pause_s)
        began_s = time.perf_counter()
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        found.append(time.perf_counter() - began_s)
        if answer.status != http.HTTPStatus.OK:
            sys.exit(f"{path} answered {answer.status}")
    connection.close()
    return statistics.median(found) * 1_000


@contextmanager
def open_pages(server: Server, sessions: list[dict[str, str]], pages: list[str]) -> Iterator[selectors.BaseSelector]:
    """Open the streams of live pages, each of the next session in turn, at moments spread over a second."""
    with selectors.DefaultSelector() as tabs:
        for place, page in enumerate(pages):
            tab = socket.create_connection(server.address)
            tab.sendall(
                f"GET /console/{page}live/ HTTP/1.1\r\nHost: {server.address[0]}\r\nAccept: text/event-stream\r\n"
                f"Cookie: {sessions[place % len(sessions)]['Cookie']}\r\n\r\n".encode()
            )
            tabs.register(tab, selectors.EVENT_READ)
            time.sleep(1 / len(pages))
        try:
            yield tabs
        finally:
            for key in list(tabs.get_map().values()):
                key.fileobj.close()  # type: ignore[union-attr] # a socket


def share(server: Server, sessions: list[dict[str, str]], pages: list[str], seconds: float) -> Share:
    """Return the server's share of a processor, with a stream for each of the live pages."""
    received, late_ms, over = 0, list[float](), threading.Event()
    watcher = threading.Thread(target=watch_dials, args=(server.database, late_ms, over))
    with open_pages(server, sessions, pages) as tabs:
        watcher.start()  # Not before: to open a hundred pages at once is another load.
        before_s, began_s = server.cpu_s(), time.perf_counter()
        while (left_s := seconds - (time.perf_counter() - began_s)) > 0:
            for key, _ in tabs.select(timeout=left_s) if pages else ():
                received += len(key.fileobj.recv(1 << 20))  # type: ignore[union-attr] # a socket
            if not pages:
                time.sleep(left_s)
        used = (server.cpu_s() - before_s) / (time.perf_counter() - began_s)
    over.set()
    watcher.join()
    return Share(used, received, p99(late_ms) if late_ms else 0.0)


def measured(server: Server, seconds: float) -> dict[str, Any]:
    """Measure the server."""
    viewers = [sign_in(server, f"viewer{place}") for place in range(USERS)]
    headers = sign_in(server, USERNAME)
    console = {page: f"/console/{page}" for page in PAGES}
    pages_ms = {page: time_of(server, path, headers, TIMES) for page, path in console.items()}
    anew_ms = {page: time_of(server, console[page], headers, TIMES_ANEW, PAUSE_S) for page in LIVE}
    alone = share(server, viewers, [], seconds)
    one = {page: share(server, viewers, [page], seconds).used - alone.used for page in LIVE}
    many = share(server, viewers, ["board/", "campaigns/1/"] * (VIEWERS // 2), seconds)
    return {
        "bare_ms": time_of(server, BARE, {}, TIMES),
        "pages_ms": pages_ms,
        "anew_ms": anew_ms,
        "share": alone.used,
        "share_of_one_viewer": one,
        f"share_with_{VIEWERS}_viewers": many.used,
        "late_p99_ms": alone.late_p99_ms,
        f"late_p99_ms_with_{VIEWERS}_viewers": many.late_p99_ms,
        "bytes_a_second": many.received / seconds / VIEWERS,
        "redraws_ms": redraws_ms(server.address, headers["Cookie"], LIVE, seconds),
    }


def main() -> None:
    """Measure and print the results."""
    warm_up_s, measure_s = (4, 1) if IS_SMALL else (15, 5) if "--quick" in sys.argv else (WARM_UP_S, MEASURE_S)
    with tempfile.TemporaryDirectory() as folder:
        path = create_database(Path(folder), contacts=CONTACTS)
        now_ms = int(time.time() * 1_000)
        ids = [_ready(path, now_ms, f"c{one}") for one in range(CAMPAIGNS)]
        database = Database(f"sqlite+aiosqlite:///{path}")
        database.write_now(add_call_centre)
        database.close()
        with running(DIALER, path) as server:
            for campaign_id in ids:
                start(server, campaign_id)
            time.sleep(warm_up_s)
            _await_call(server.database)
            found = measured(server, measure_s)
    report(found)


def _await_call(database: Path) -> None:
    """Wait until a call is over: there is no page of one before."""
    with closing(sqlite3.connect(database)) as connection:
        while connection.execute("SELECT count(*) FROM cdr").fetchone() == (0,):
            time.sleep(0.1)


def _ready(path: Path, now_ms: int, name: str) -> int:
    columns = {"frequency": CALLS_A_MINUTE, "campaign_code": name, "name": name}
    return ready(path, now_ms, parameters=PARAMETERS, words=WORDS, **columns)


def report(found: dict[str, Any]) -> None:
    """Print a table on standard error and JSON on standard output."""
    bare_ms, many = found["bare_ms"], f"with_{VIEWERS}_viewers"
    lines = [
        f"The console with {CAMPAIGNS} campaigns and {AGENTS} agents (median ms; times an answer that does nothing)"
    ]
    lines += [f"  {page:<36} {took:>7.1f} {took / bare_ms:>7.1f}x" for page, took in found["pages_ms"].items()]
    lines += [
        f"  {page + ', made anew':<36} {took:>7.1f} {took / bare_ms:>7.1f}x" for page, took in found["anew_ms"].items()
    ]
    lines.append(
        f"  share of a processor: {found['share']:.3f}, with {VIEWERS} live pages {found[f'share_{many}']:.3f}"
    )
    lines += [
        f"  one viewer of {page:<22} {added * 1_000:>7.1f} ms of the server a second"
        for page, added in found["share_of_one_viewer"].items()
    ]
    lines.append(f"  dials late, p99: {found['late_p99_ms']:.0f} ms, {found[f'late_p99_ms_{many}']:.0f} ms {many}")
    lines.append(f"  {found['bytes_a_second']:,.0f} B/s for each of {VIEWERS} viewers")
    lines += [f"  a browser redraws {page:<18} {took:>7.1f} ms" for page, took in found["redraws_ms"].items()]
    sys.stderr.write("\n".join(lines) + "\n")
    print(json.dumps({"title": "console", **found}))
    size = f"{VIEWERS} viewers"
    viewers = found[f"share_{many}"] - found["share"]
    print_row(Figure("Live pages of the console: processor", size, "no viewers", viewers, WANTED_SHARE, at_most=True))
    print_row(
        Figure(
            "The slowest page of the console", size, "", max(found["pages_ms"].values()), WANTED_MS, "ms", at_most=True
        )
    )


if __name__ == "__main__":
    main()
