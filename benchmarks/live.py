"""Benchmark of a server on the real clock: `python -m benchmarks.live [CALLS_A_SECOND [IN_PROGRESS]] [--quick]`.

Without arguments, fifty new calls start each second and last forty seconds each, so 2,000 are in progress. The
benchmark measures the server's share of a processor, its processor time for a call and the latency of its API. It also
measures the delay until another process can read a dial after it was due.
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
from benchmarks.measure import Figure, print_row
from benchmarks.servers import DIALER, Server, running

CALLS_A_SECOND: Final = 50
IN_PROGRESS: Final = 2_000
WORD_S: Final = 0.4
"""Length of a word of the message."""
RING_S: Final = 1.5
"""Length of the ringing before an answer, on average."""
SPARE_S: Final = 3.5
"""Time after the ends of the first calls, before the benchmark measures."""
WANTED: Final = {
    "share of a processor": (0.9, ""),
    "processor ms a call": (None, "ms"),
    "API p99, ms": (50, "ms"),
    "most ms": (100, "ms"),
}
MEASURE_S: Final = 20.0
QUICK_S: Final = 2.0
POLL_S: Final = 0.005
PARAMETERS: Final = json.dumps(
    {"answer": 1.0, "busy": 0, "rejected": 0, "invalid": 0, "machine": 0.0, "ring": [1, 2], "listen": 1.0}
)
_NEW: Final = "SELECT id, started_ms FROM callrequest WHERE id > ? ORDER BY id"
_DIALS: Final = "SELECT coalesce(max(id), 0) FROM callrequest"
_IN_PROGRESS: Final = "SELECT count(*) FROM call_in_progress"


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
    before_s, began_s, first = server.cpu_s(), time.perf_counter(), ask(path, _DIALS)
    answers: list[float] = []
    while time.perf_counter() - began_s < seconds:
        # Send one request at a time, ten a second. The benchmark measures latency here, not throughput.
        answers += run_load(server.address, itertools.repeat(request), clients=1, seconds=0).latencies_s
        time.sleep(0.1)
    used_s, dials = server.cpu_s() - before_s, ask(path, _DIALS) - first
    share = used_s / (time.perf_counter() - began_s)
    over.set()
    watcher.join()
    return {
        "share of a processor": round(share, 3),
        "processor ms a call": round(used_s / max(1, dials) * 1_000, 3),
        "API p99, ms": round(p99(answers) * 1_000, 1),
        "dials": dials,
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
    sizes = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
    rate, in_progress = (*sizes, *(CALLS_A_SECOND, IN_PROGRESS)[len(sizes) :])[:2]
    call_s = in_progress / rate
    warm_up_s, measure_s = (QUICK_S, QUICK_S) if is_quick else (call_s + SPARE_S, MEASURE_S)
    with tempfile.TemporaryDirectory() as folder:
        path = create_database(Path(folder), contacts=round(rate * (warm_up_s + measure_s) * 1.5))
        words = max(1, round((call_s - RING_S) / WORD_S))
        campaign_id = ready(path, int(time.time() * 1_000), parameters=PARAMETERS, words=words, frequency=rate * 60)
        with running(DIALER, path) as server:
            start(server, campaign_id)
            time.sleep(warm_up_s)
            found = {
                "new calls a second": rate,
                **measured(server, path, measure_s),
                "in progress": ask(path, _IN_PROGRESS),
                "memory, MB": round(server.memory_bytes() / 1_000_000),
            }
    sys.stderr.write(f"A server on the real clock: {found}\n")
    print(json.dumps({"title": "real clock", **found}))
    size = f"{rate:,}/s, {in_progress:,} at once"
    for figure, (wanted, unit) in WANTED.items():
        print_row(
            Figure(f"Calls on the real clock: {figure}", size, "", float(found[figure]), wanted, unit, at_most=True)
        )


if __name__ == "__main__":
    main()
