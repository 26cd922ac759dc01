"""A campaign of a million subscribers: `python -m benchmarks.million [SUBSCRIBERS]`.

How soon its START is answered, how soon the first call is dialled, how much memory the server takes, and whether a call
costs as much as in a small campaign.
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from benchmarks.advance import START_MS
from benchmarks.campaigning import ask, ready, send, start
from benchmarks.estate import furnish
from benchmarks.servers import DIALER, Server, running

SUBSCRIBERS: Final = 1_000_000
SMALL: Final = 10_000
FREQUENCY: Final = 2_000
MINUTES: Final = 4
WARM_UP_MINUTES: Final = 1
POLL_S: Final = 0.002
WAIT_S: Final = 120.0
MEGABYTE: Final = 1_000_000
_COLLECTED: Final = "SELECT totalcontact FROM campaign"
_CALLS: Final = "SELECT coalesce(max(id), 0) FROM callrequest"


def started(path: Path) -> dict[str, float]:
    """Start the campaign on a server whose clock goes by itself."""
    campaign_id = ready(path, START_MS, frequency=FREQUENCY)
    clock = {"clock": "x10", "clock_start": "2026-03-02T09:00:00Z"}
    with running(DIALER, path, **clock) as server:
        began_s = time.perf_counter()
        start(server, campaign_id)
        answered_s = time.perf_counter() - began_s
        dialled_s = _wait_for(path, _CALLS, 1) - began_s
        return {"start answered, s": round(answered_s, 3), "first dial, s": round(dialled_s, 2)}


def called(path: Path, subscribers: int) -> dict[str, float]:
    """Let a campaign run for some minutes under a virtual clock; what a call costs, and the memory it takes."""
    campaign_id = ready(path, START_MS, frequency=FREQUENCY)
    with running(DIALER, path, clock="virtual", clock_start="2026-03-02T09:00:00Z") as server:
        start(server, campaign_id)
        _advance(server, WARM_UP_MINUTES)
        _wait_for(path, _COLLECTED, subscribers)
        before_s, before = server.cpu_s(), ask(path, _CALLS)
        _advance(server, MINUTES)
        calls = ask(path, _CALLS) - before
        cost_us = (server.cpu_s() - before_s) / calls * 1_000_000
        return {"us a call": round(cost_us, 1), "memory, MB": round(server.memory_bytes() / MEGABYTE)}


def _advance(server: Server, minutes: int) -> None:
    send(server, "POST", "/rest-api/clock/advance/", {"seconds": minutes * 60})


def _wait_for(path: Path, query: str, wanted: int) -> float:
    until_s = time.perf_counter() + WAIT_S
    while time.perf_counter() < until_s:
        if ask(path, query) >= wanted:
            return time.perf_counter()
        time.sleep(POLL_S)
    raise TimeoutError(query)


def main() -> None:
    """Measure and print."""
    subscribers = int(sys.argv[1]) if len(sys.argv) > 1 else SUBSCRIBERS
    found: dict[int, dict[str, float]] = {}
    for size in (SMALL, 10 * SMALL, subscribers):
        with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
            path = furnish(Path(first), contacts=size)
            found[size] = {**started(path), **called(furnish(Path(second), contacts=size), size)}
        sys.stderr.write(f"A campaign of {size:,}: {found[size]}\n")
    ratio = found[subscribers]["us a call"] / found[SMALL]["us a call"]
    sys.stderr.write(f"  a call costs {ratio:.2f} of what it costs in a campaign of {SMALL:,}; wanted at most 1.2\n")
    print(json.dumps({"title": "campaigns by size", "found": found, "ratio": ratio}))


if __name__ == "__main__":
    main()
