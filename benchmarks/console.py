"""Benchmark of the console with 50 campaigns, 200 agents and 100 viewers: `python -m benchmarks.console [--quick]`.

The campaigns dial on the real clock. The benchmark measures how long each page takes, beside an answer that does
nothing, and the server's share of a processor with 100 open live pages and without.
"""

import http.client
import json
import re
import selectors
import socket
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlencode

from sqlalchemy import Connection

from benchmarks.advance import add
from benchmarks.campaigning import ready, start
from benchmarks.fixture_database import PASSWORD, USERNAME, create_database
from benchmarks.live import PARAMETERS
from benchmarks.servers import DIALER, Server, running
from dialer.passwords import hash_password
from dialer.store.database import Database
from dialer.store.tables import Agent, Queue, Tier, User

CAMPAIGNS: Final = 50
AGENTS: Final = 200
QUEUES: Final = 10
VIEWERS: Final = 100
USERS: Final = 10
"""Users among whom the viewers are shared, as each may have a few pages open."""
CONTACTS: Final = 100
CALLS_A_MINUTE: Final = 20
WORDS: Final = 30
WARM_UP_S: Final = 20
MEASURE_S: Final = 20
TIMES: Final = 15
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


class Times(NamedTuple):
    """The median and the longest time of a page, in milliseconds. The longest one makes a live part anew."""

    median: float
    longest: float


def times_of(server: Server, path: str, headers: dict[str, str]) -> Times:
    """Return the times of a page over one connection."""
    connection = http.client.HTTPConnection(*server.address, timeout=30)
    times = []
    for _ in range(TIMES):
        began_s = time.perf_counter()
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        times.append(time.perf_counter() - began_s)
        if answer.status != http.HTTPStatus.OK:
            sys.exit(f"{path} answered {answer.status}")
    connection.close()
    return Times(statistics.median(times) * 1_000, max(times) * 1_000)


def share(server: Server, sessions: list[dict[str, str]], viewers: int, seconds: float) -> tuple[float, int]:
    """Return the server's share of a processor, and the bytes that viewers of the wall board and of a campaign got."""
    received = 0
    with selectors.DefaultSelector() as open_pages:
        for place in range(viewers):
            page = "board" if place % 2 else "campaigns/1"
            request = (
                f"GET /console/{page}/live/ HTTP/1.1\r\nHost: {server.address[0]}\r\nAccept: text/event-stream\r\n"
            )
            tab = socket.create_connection(server.address)
            tab.sendall(f"{request}Cookie: {sessions[place % len(sessions)]['Cookie']}\r\n\r\n".encode())
            open_pages.register(tab, selectors.EVENT_READ)
        before_s, began_s = server.cpu_s(), time.perf_counter()
        while (left_s := seconds - (time.perf_counter() - began_s)) > 0:
            for key, _ in open_pages.select(timeout=left_s) if viewers else ():
                received += len(key.fileobj.recv(1 << 20))  # type: ignore[union-attr] # a socket
            if not viewers:
                time.sleep(left_s)
        used = (server.cpu_s() - before_s) / (time.perf_counter() - began_s)
        for key in list(open_pages.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr] # a socket
    return used, received


def main() -> None:
    """Measure and print the results."""
    warm_up_s, measure_s = (3, 3) if "--quick" in sys.argv else (WARM_UP_S, MEASURE_S)
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
            viewers = [sign_in(server, f"viewer{place}") for place in range(USERS)]
            headers = sign_in(server, USERNAME)
            bare_ms = times_of(server, BARE, {}).median
            pages = {page: times_of(server, f"/console/{page}", headers) for page in PAGES}
            alone, _ = share(server, viewers, 0, measure_s)
            watched, received = share(server, viewers, VIEWERS, measure_s)
    report(bare_ms, pages, (alone, watched), received / measure_s / VIEWERS)


def _ready(path: Path, now_ms: int, name: str) -> int:
    columns = {"frequency": CALLS_A_MINUTE, "campaign_code": name, "name": name}
    return ready(path, now_ms, parameters=PARAMETERS, words=WORDS, **columns)


def report(bare_ms: float, pages: dict[str, Times], shares: tuple[float, float], bytes_a_second: float) -> None:
    """Print a table on standard error and JSON on standard output."""
    lines = [
        f"The console with {CAMPAIGNS} campaigns and {AGENTS} agents (median ms; times an answer that does nothing)"
    ]
    lines += [
        f"  {page:<32} {took.median:>6.1f}  {took.longest:>6.1f}  {took.median / bare_ms:>6.1f}x"
        for page, took in pages.items()
    ]
    alone, watched = shares
    lines.append(
        f"  share of a processor: {alone:.3f}, with {VIEWERS} live pages {watched:.3f}; {bytes_a_second:,.0f} B/s each"
    )
    sys.stderr.write("\n".join(lines) + "\n")
    found = {
        "bare_ms": bare_ms,
        "pages_ms": {page: took.median for page, took in pages.items()},
        "share": alone,
        f"share_with_{VIEWERS}_viewers": watched,
    }
    print(json.dumps({"title": "console", **found, "bytes_a_second": bytes_a_second}))


if __name__ == "__main__":
    main()
