"""Benchmark of a campaign of a million subscribers: `python -m benchmarks.million [SUBSCRIBERS]`.

It measures the time until START is answered, the time until the first dial, and the server's memory. It also compares
the cost of a call with that in a small campaign: servers of three sizes advance by a minute in turns.
"""

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from benchmarks.advance import START_MS
from benchmarks.campaigning import ask, ready, send, start
from benchmarks.fixture_database import create_database
from benchmarks.servers import DIALER, Server, running

SUBSCRIBERS: Final = 1_000_000
SMALL: Final = 10_000
FREQUENCY: Final = 2_000
MINUTES: Final = 4
"""Minutes measured after the warm-up. The small campaign has contacts for no more."""
POLL_S: Final = 0.002
WAIT_S: Final = 120.0
MEGABYTE: Final = 1_000_000
_COLLECTED: Final = "SELECT totalcontact FROM campaign"
_CALLS: Final = "SELECT coalesce(max(id), 0) FROM callrequest"


def started(path: Path) -> dict[str, float]:
    """Start the campaign on a server whose clock runs by itself."""
    campaign_id = ready(path, START_MS, frequency=FREQUENCY)
    clock = {"clock": "x10", "clock_start": "2026-03-02T09:00:00Z"}
    with running(DIALER, path, **clock) as server:
        began_s = time.perf_counter()
        start(server, campaign_id)
        answered_s = time.perf_counter() - began_s
        dialled_s = _wait_for(path, _CALLS, 1) - began_s
        return {"start answered, s": round(answered_s, 3), "first dial, s": round(dialled_s, 2)}


class Campaign:
    """Campaign on a server of its own, under a virtual clock."""

    def __init__(self, path: Path, server: Server, subscribers: int) -> None:
        self._path: Final = path
        self._server: Final = server
        self.costs_us: Final[list[float]] = []
        """Processor time of a call in each minute."""
        self._advance()
        _wait_for(path, _COLLECTED, subscribers)

    def run_minute(self) -> None:
        """Advance the clock by a minute."""
        before_s, before = self._server.cpu_s(), ask(self._path, _CALLS)
        self._advance()
        calls = ask(self._path, _CALLS) - before
        self.costs_us.append((self._server.cpu_s() - before_s) / calls * 1_000_000)

    def figures(self) -> dict[str, float]:
        """Return the cost of a call and the server's memory."""
        memory = round(self._server.memory_bytes() / MEGABYTE)
        return {"us a call": round(statistics.median(self.costs_us), 1), "memory, MB": memory}

    def _advance(self) -> None:
        send(self._server, "POST", "/rest-api/clock/advance/", {"seconds": 60})


@contextmanager
def calling(path: Path, subscribers: int) -> Iterator[Campaign]:
    """Start a campaign and warm it up for a minute."""
    campaign_id = ready(path, START_MS, frequency=FREQUENCY)
    with running(DIALER, path, clock="virtual", clock_start="2026-03-02T09:00:00Z") as server:
        start(server, campaign_id)
        yield Campaign(path, server, subscribers)


def _wait_for(path: Path, query: str, wanted: int) -> float:
    until_s = time.perf_counter() + WAIT_S
    while time.perf_counter() < until_s:
        if ask(path, query) >= wanted:
            return time.perf_counter()
        time.sleep(POLL_S)
    raise TimeoutError(query)


def main() -> None:
    """Measure and print the results."""
    subscribers = int(sys.argv[1]) if len(sys.argv) > 1 else SUBSCRIBERS
    sizes = (SMALL, 10 * SMALL, subscribers)
    found: dict[int, dict[str, float]] = {}
    with ExitStack() as until_done:
        folders = {size: Path(until_done.enter_context(tempfile.TemporaryDirectory())) for size in sizes}
        for size in sizes:
            with tempfile.TemporaryDirectory() as folder:
                found[size] = started(create_database(Path(folder), contacts=size))
        campaigns = {
            size: until_done.enter_context(calling(create_database(folders[size], contacts=size), size))
            for size in sizes
        }
        for _ in range(MINUTES):
            for campaign in campaigns.values():
                campaign.run_minute()
        for size, campaign in campaigns.items():
            found[size] |= campaign.figures()
            sys.stderr.write(f"A campaign of {size:,}: {found[size]}\n")
    pairs = zip(campaigns[subscribers].costs_us, campaigns[SMALL].costs_us, strict=True)
    ratios = sorted(large / small for large, small in pairs)
    ratio = statistics.median(ratios)
    sys.stderr.write(
        f"  a call costs {ratio:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) times as much as in a campaign of {SMALL:,};"
        " goal: at most 1.2\n"
    )
    print(json.dumps({"title": "campaigns by size", "found": found, "ratio": ratio}))


if __name__ == "__main__":
    main()
