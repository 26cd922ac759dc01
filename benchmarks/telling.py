"""Benchmark of events beside calls: `python -m benchmarks.telling [CALLS_A_SECOND] [--quick]`.

A server on the real clock places calls that last a few seconds, first without events, then with a webhook that gets all
of them: four for a call. The receiver is a process of its own. The lag of an event is the time from what it tells of to
its arrival. Simulated calls may be written a tenth of a second before they are due, so their lag may be below zero.
"""

import json
import multiprocessing
import sqlite3
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from benchmarks.campaigning import ask, ready, send, start
from benchmarks.delivering import LAG_WANTED_MS, receive
from benchmarks.fixture_database import create_database
from benchmarks.live import PARAMETERS, QUICK_S, measured, p99
from benchmarks.measure import Figure, print_row, sizes_of
from benchmarks.servers import DIALER, running

CALLS_A_SECOND: Final = 250
CALL_S: Final = 5.0
MEASURE_S: Final = 20.0
WARM_UP_S: Final = CALL_S + 3
WORDS: Final = 9
"""Words of the message, of 0.4 seconds each."""
LATE_WANTED_MS: Final = 100
LOOPBACK: Final = "127.0.0.0/8"
DONE_S: Final = 0.2
_LEFT: Final = "SELECT (SELECT max(id) FROM account_event) - (SELECT min(after_event_id) FROM webhook)"
_TOLD: Final = "SELECT id, created_date, type FROM account_event WHERE created_date >= ? AND created_date < ?"
_ANSWERED: Final = "call.answered"
"""Events that are written when their call ends, so their time says nothing of their lag."""


def with_webhook(rate: int, warm_up_s: float, seconds: float, *, has_webhook: bool) -> dict[str, float]:
    """Measure calls at a rate, with a webhook or without events."""
    own, theirs = multiprocessing.Pipe()
    receiver = multiprocessing.get_context("spawn").Process(target=receive, args=(theirs,), daemon=True)
    receiver.start()
    url = f"http://127.0.0.1:{own.recv()}/events"
    with tempfile.TemporaryDirectory() as folder:
        path = create_database(Path(folder), contacts=round(rate * (warm_up_s + seconds + CALL_S) * 1.5))
        campaign_id = ready(path, _now_ms(), parameters=PARAMETERS, words=WORDS, frequency=rate * 60)
        with running(DIALER, path, webhook_networks=LOOPBACK) as server:
            if has_webhook:
                send(server, "POST", "/rest-api/webhook/", {"name": "CRM", "target_url": url})
            start(server, campaign_id)
            time.sleep(warm_up_s)
            began_ms = _now_ms()
            found = measured(server, path, seconds)
            ended_ms = _now_ms()
            time.sleep(2 * LAG_WANTED_MS / 1_000)
            send(server, "PATCH", f"/rest-api/campaigns/{campaign_id}/", {"status": 3})
            while has_webhook and ask(path, _LEFT) > 0:
                time.sleep(DONE_S)
        own.send("arrivals")
        arrivals = own.recv()
        receiver.join()
        if has_webhook:
            told = _told(path, began_ms, ended_ms)
            lags_ms = [
                arrivals[f"evt_{event_id}"] * 1_000 - at_ms for event_id, at_ms, kind in told if kind != _ANSWERED
            ]
            found |= {"events a second": round(len(told) / seconds), "lag p99, ms": round(p99(lags_ms))}
    return found


def _now_ms() -> int:
    return time.time_ns() // 1_000_000


def _told(path: Path, began_ms: int, ended_ms: int) -> list[tuple[int, int, str]]:
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        return list(connection.execute(_TOLD, (began_ms, ended_ms)).fetchall())


def main() -> None:
    """Measure and print the results."""
    is_quick = "--quick" in sys.argv
    (rate,) = sizes_of((CALLS_A_SECOND,))
    times = (QUICK_S, QUICK_S) if is_quick else (WARM_UP_S, MEASURE_S)
    before, after = (with_webhook(rate, *times, has_webhook=has_webhook) for has_webhook in (False, True))
    for title, found in (("without events", before), ("with a webhook", after)):
        sys.stderr.write(f"{rate} calls a second, {title}: {found}\n")
        print(json.dumps({"title": title, **found}))
    size = f"{rate:,} calls/s"
    lag, late, earlier = after["lag p99, ms"], after["p99 ms"], before["p99 ms"]
    print_row(Figure("events beside calls: lag, p99", size, "", lag, LAG_WANTED_MS, "ms", at_most=True))
    print_row(Figure("dials beside a webhook: late, p99", size, "", late, LATE_WANTED_MS, "ms", at_most=True))
    print_row(Figure("dials without events: late, p99", size, "", earlier, LATE_WANTED_MS, "ms", at_most=True))
    ratio = after["processor ms a call"] / before["processor ms a call"]
    print_row(Figure("processor time of a call and its events", size, "a call without events", ratio))


if __name__ == "__main__":
    main()
