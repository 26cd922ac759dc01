"""Pure simulation, full engine and call flow, CDRs kept: `python -m benchmarks.simulate [SUBSCRIBERS]`.

The reference is a bare loop over a heap that keeps as many CDRs of as many events, and decides nothing. If SimPy is
installed among the peers, a model of the same campaign in it is measured beside.
"""

import heapq
import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import msgspec

from benchmarks.measure import Work, costs_us, interleaved, report, report_growth, timed
from benchmarks.scene import scenario
from benchmarks.servers import PEERS
from dialer.sim.simulation import Simulation

ROOT = Path(__file__).parents[1]
SUBSCRIBERS = 100_000
RUNS = 3
EVENTS_PER_CALL = 5
"""Dial, ring, answer, one prompt, end: about what a call of the scene comes to on average."""


class BareCdr(msgspec.Struct, gc=False):
    """What the bare loop keeps of a call."""

    callid: str
    phone_number: str
    started_ms: int
    duration: int
    billsec: int


def simulated(subscribers: int) -> tuple[int, float]:
    """Run the scene; how many calls were made, in how many seconds."""
    simulation = Simulation(scenario(subscribers))

    def run() -> int:
        simulation.run()
        return len(simulation.store.cdrs)

    return timed(run)


def bare_heap(calls: int) -> int:
    """Push and pop the events of so many calls, and keep a CDR of each."""
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
    """Whether SimPy is installed among the peers."""
    if not PEERS.exists():
        return False
    return subprocess.run([PEERS, "-c", "import simpy"], check=False, capture_output=True).returncode == 0  # noqa: S603


def in_simpy(subscribers: int) -> tuple[int, float]:
    """The same campaign as a model in SimPy, in a process of its own."""
    command = [str(PEERS), "-m", "benchmarks.peers.simpy_model", str(subscribers)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, cwd=ROOT).stdout)  # noqa: S603
    return found["calls"], found["seconds"]


def main() -> None:
    """Measure and print."""
    subscribers = int(sys.argv[1]) if len(sys.argv) > 1 else SUBSCRIBERS
    calls, _ = simulated(subscribers)
    works: dict[str, Work] = {f"simulation of {subscribers:,} subscribers": partial(simulated, subscribers)}
    if has_simpy():
        works["the same campaign in SimPy"] = partial(in_simpy, subscribers)
    works["bare heap loop, as many calls"] = lambda: timed(lambda: bare_heap(calls))
    report("Pure simulation", "calls", interleaved(works, RUNS))
    sizes = (subscribers // 100, subscribers // 10, subscribers)
    report_growth(
        "Pure simulation, by subscribers", "call", costs_us(lambda size: partial(simulated, size), sizes, RUNS)
    )


if __name__ == "__main__":
    main()
