"""Benchmark of a campaign of a million subscribers: `python -m benchmarks.million [SUBSCRIBERS ...]`.

It measures the time until START is answered, the time until the first dial, and the server's memory after START and
with 10,000 calls in progress. It also compares the cost of a call with that in a small campaign: servers of three sizes
advance by a minute in turns.
"""

import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.advance import START_MS
from benchmarks.campaigning import ask, ready, send, start
from benchmarks.fixture_database import create_database
from benchmarks.live import PARAMETERS, WORD_S
from benchmarks.measure import Figure, print_row, runs_of, sizes_of
from benchmarks.servers import DIALER, Server, running

SUBSCRIBERS: Final = 1_000_000
SMALL: Final = 10_000
FREQUENCY: Final = 2_000
WANTED: Final = 1.2
WANTED_AT: Final = "1,000,000"
WANTED_MB: Final = 250
BUSY: Final = 10_000
"""Calls in progress at once while memory is measured."""
BUSY_WORDS: Final = 100
MINUTES: Final = 4
"""Minutes measured after the warm-up. The small campaign has contacts for no more."""
POLL_S: Final = 0.002
WAIT_S: Final = 120.0
MEGABYTE: Final = 1_000_000
_COLLECTED: Final = "SELECT totalcontact FROM campaign"
_IN_PROGRESS: Final = "SELECT count(*) FROM call_in_progress"
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


def memory(path: Path, subscribers: int) -> dict[str, float]:
    """Return the server's memory after the first dials of a campaign, and with many calls in progress, in MB."""
    busy = min(BUSY, subscribers // 5)
    rate = round(60 * busy / (BUSY_WORDS * WORD_S))
    campaign_id = ready(path, START_MS, parameters=PARAMETERS, words=BUSY_WORDS, frequency=rate)
    found = {}
    with running(DIALER, path, clock="virtual", clock_start="2026-03-02T09:00:00Z") as server:
        start(server, campaign_id)
        for moment, seconds in (("after START, MB", 1), ("in the middle, MB", BUSY_WORDS * WORD_S + 10)):
            send(server, "POST", "/rest-api/clock/advance/", {"seconds": round(seconds)})
            found[moment] = round(server.memory_bytes() / MEGABYTE)
    calls = ask(path, _IN_PROGRESS)
    for moment, megabytes in found.items():
        size = f"{subscribers:,} people, {calls:,} calls" if "middle" in moment else f"{subscribers:,} people"
        print_row(Figure(f"Memory {moment}", size, "", megabytes, WANTED_MB, "MB", at_most=True))
    return {**found, "calls in progress": calls}


def _wait_for(path: Path, query: str, wanted: int) -> float:
    until_s = time.perf_counter() + WAIT_S
    while time.perf_counter() < until_s:
        if ask(path, query) >= wanted:
            return time.perf_counter()
        time.sleep(POLL_S)
    raise TimeoutError(query)


def _with_copy(database: Path, measured: Callable[[Path], dict[str, float]]) -> dict[str, float]:
    """Measure with a copy of a database."""
    with tempfile.TemporaryDirectory() as folder:
        return measured(Path(shutil.copy(database, folder)))


def main() -> None:
    """Measure and print the results."""
    sizes = sizes_of((SMALL, 10 * SMALL, SUBSCRIBERS))
    least, most = sizes[0], sizes[-1]
    found: dict[int, dict[str, float]] = {}
    with ExitStack() as until_done:
        folders = {size: Path(until_done.enter_context(tempfile.TemporaryDirectory())) for size in sizes}
        for size, folder in folders.items():
            empty = create_database(folder, contacts=size)
            found[size] = _with_copy(empty, started) | _with_copy(empty, partial(memory, subscribers=size))
        campaigns = {
            size: until_done.enter_context(calling(folder / "dialer.db", size)) for size, folder in folders.items()
        }
        for _ in range(runs_of(MINUTES)):
            for campaign in campaigns.values():
                campaign.run_minute()
        for size, campaign in campaigns.items():
            found[size] |= campaign.figures()
            sys.stderr.write(f"A campaign of {size:,}: {found[size]}\n")
    print(json.dumps({"title": "campaigns by size", "found": found}))
    if least < most:
        compare(most, campaigns[most].costs_us, least, campaigns[least].costs_us)


def compare(most: int, large_us: list[float], least: int, small_us: list[float]) -> None:
    """Print how much more a call costs in the largest campaign than in the smallest."""
    ratios = sorted(large / small for large, small in zip(large_us, small_us, strict=True))
    ratio = statistics.median(ratios)
    sys.stderr.write(
        f"  a call costs {ratio:.2f} ({ratios[0]:.2f} to {ratios[-1]:.2f}) times as much as in a campaign of {least:,};"
        f" goal: at most {WANTED}\n"
    )
    largest, other = f"{most:,}", f"one of {least:,}"
    print_row(Figure("A call in a large campaign", largest, other, ratio, WANTED, at_most=True, wanted_at=WANTED_AT))


if __name__ == "__main__":
    main()
