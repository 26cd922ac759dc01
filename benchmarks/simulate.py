"""Benchmark of pure simulation with full engine and call flow: `python -m benchmarks.simulate [SUBSCRIBERS]`.

CDRs are kept. The reference is a bare loop over a heap with as many CDRs and events, and without decisions. If SimPy is
installed among the peers, a SimPy model of the campaign is measured, too.
"""

import heapq
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import msgspec

from benchmarks.fixture_campaign import scenario
from benchmarks.measure import Work, costs_us, interleaved, report, report_growth, timed
from benchmarks.servers import PEERS
from dialer.sim.simulation import Simulation

ROOT = Path(__file__).parents[1]
SUBSCRIBERS = 100_000
RUNS = 3
EVENTS_PER_CALL = 5
"""Dial, ring, answer, one prompt, end: about the average of a call in the benchmark campaign."""


class BareCdr(msgspec.Struct, gc=False):
    """Call record of the bare loop."""

    callid: str
    phone_number: str
    started_ms: int
    duration: int
    billsec: int


def simulated(subscribers: int) -> tuple[int, float]:
    """Run the benchmark campaign, and return the number of calls and the seconds."""
    simulation = Simulation(scenario(subscribers))

    def run() -> int:
        simulation.run()
        return len(simulation.store.cdrs)

    return timed(run)


def bare_heap(calls: int) -> int:
    """Push and pop the events of this many calls, and keep a CDR of each."""
    heap = [(second * 6, call, 0) for second, call in enumerate(range(calls))]
    cdrs: list[BareCdr] = []
    while heap:
        at_ms, call, stage = heapq.heappop(heap)
        if stage < EVENTS_PER_CALL - 1:
            heapq.heappush(heap, (at_ms + 3_000, call, stage + 1))
        else:
            cdrs.append(BareCdr(f"call-{call}", f"+1202555{call:06d}", at_ms - 12_000, 12, 9))
    return len(cdrs)


def has_simpy() -> bool:
    """Return whether SimPy is installed among the peers."""
    if not PEERS.exists():
        return False
    return subprocess.run([PEERS, "-c", "import simpy"], check=False, capture_output=True).returncode == 0  # noqa: S603


def in_simpy(subscribers: int) -> tuple[int, float]:
    """Run the SimPy model of the campaign in a process of its own."""
    command = [str(PEERS), "-m", "benchmarks.peers.simpy_model", str(subscribers)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout)  # noqa: S603
    return found["calls"], found["seconds"]


def main() -> None:
    """Measure and print the results."""
    subscribers = int(sys.argv[1]) if len(sys.argv) > 1 else SUBSCRIBERS
    calls, _ = simulated(subscribers)
    works: dict[str, Work] = {f"simulation of {subscribers:,} subscribers": partial(simulated, subscribers)}
    if has_simpy():
        works["a SimPy model of the campaign"] = partial(in_simpy, subscribers)
    works["bare heap loop, as many calls"] = lambda: timed(lambda: bare_heap(calls))
    report("Pure simulation", "calls", interleaved(works, RUNS))
    sizes = (subscribers // 100, subscribers // 10, subscribers)
    report_growth(
        "Pure simulation, by subscribers", "call", costs_us(lambda size: partial(simulated, size), sizes, RUNS)
    )


if __name__ == "__main__":
    main()
