"""Benchmark of a server on the real clock with 2,000 calls in progress: `python -m benchmarks.live [--quick]`.

Fifty new calls start each second and last forty seconds each. The benchmark measures the server's share of a processor
and the latency of its API. It also measures the delay until another process can read a dial after it was due.
"""

import itertools
import json
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from benchmarks.campaigning import ask, ready, start
from benchmarks.fixture_database import AUTHORIZATION, PHONEBOOK, create_database
from benchmarks.load import request_bytes, run_load
from benchmarks.servers import DIALER, Server, running

CALLS_A_SECOND: Final = 50
WORDS: Final = 100
"""Length of the message in words: forty seconds."""
WARM_UP_S: Final = 45
MEASURE_S: Final = 30
POLL_S: Final = 0.005
PARAMETERS: Final = json.dumps(
    {"answer": 1.0, "busy": 0, "rejected": 0, "invalid": 0, "machine": 0.0, "ring": [1, 2], "listen": 1.0}
)
_NEW: Final = "SELECT id, started_ms FROM callrequest WHERE id > ? ORDER BY id"
_IN_PROGRESS: Final = "SELECT count(*) FROM callrequest WHERE status = 7"


def watch_dials(path: Path, late_ms: list[float], until: threading.Event) -> None:
    """Record the delay until each new dial is visible, in milliseconds after it was due. Polling adds to the delay.

    Simulated calls may be written up to a tenth of a second before they are due: their delay is below zero.
    """
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        last = connection.execute("SELECT coalesce(max(id), 0) FROM callrequest").fetchone()[0]
        while not until.is_set():
            rows = connection.execute(_NEW, (last,)).fetchall()
            now_ms = time.time() * 1_000
            late_ms += [now_ms - started_ms for _, started_ms in rows]
            last = rows[-1][0] if rows else last
            time.sleep(POLL_S)


def measured(server: Server, path: Path, seconds: float) -> dict[str, float]:
    """Measure the server for this many seconds."""
    target = f"/rest-api/contact/?phonebook_id={PHONEBOOK}"
    request = request_bytes(server.address, "GET", target, {"Authorization": AUTHORIZATION})
    late_ms: list[float] = []
    over = threading.Event()
    watcher = threading.Thread(target=watch_dials, args=(path, late_ms, over))
    watcher.start()
    before_s, began_s = server.cpu_s(), time.perf_counter()
    answers: list[float] = []
    while time.perf_counter() - began_s < seconds:
        # Send one request at a time, ten a second. The benchmark measures latency here, not throughput.
        answers += run_load(server.address, itertools.repeat(request), clients=1, seconds=0).latencies_s
        time.sleep(0.1)
    share = (server.cpu_s() - before_s) / (time.perf_counter() - began_s)
    over.set()
    watcher.join()
    return {
        "share of a processor": round(share, 3),
        "API p99, ms": round(p99(answers) * 1_000, 1),
        "dials": len(late_ms),
        "dials seen late, median ms": round(statistics.median(late_ms), 1),
        "p99 ms": round(p99(late_ms), 1),
        "most ms": round(max(late_ms), 1),
    }


def p99(values: list[float]) -> float:
    """Return the value that 99 % of the values do not exceed."""
    return sorted(values)[int(len(values) * 0.99)]


def main() -> None:
    """Measure and print the results."""
    is_quick = "--quick" in sys.argv
    warm_up_s, measure_s = (3, 3) if is_quick else (WARM_UP_S, MEASURE_S)
    with tempfile.TemporaryDirectory() as folder:
        path = create_database(Path(folder), contacts=CALLS_A_SECOND * (warm_up_s + measure_s) * 2)
        start_ms = int(time.time() * 1_000)
        campaign_id = ready(path, start_ms, parameters=PARAMETERS, words=WORDS, frequency=CALLS_A_SECOND * 60)
        with running(DIALER, path) as server:
            start(server, campaign_id)
            time.sleep(warm_up_s)
            found = {**measured(server, path, measure_s), "in progress": ask(path, _IN_PROGRESS)}
    sys.stderr.write(f"A server on the real clock: {found}\n")
    print(json.dumps({"title": "real clock", **found}))


if __name__ == "__main__":
    main()
