"""Pure simulation, full engine and call flow, CDRs kept: `python -m benchmarks.simulate [SUBSCRIBERS]`.

The reference is a bare loop over a heap that keeps as many CDRs of as many events, and decides nothing.
"""

import heapq
import sys

import msgspec

from benchmarks.measure import interleaved, report, timed
from benchmarks.scene import scenario
from dialer.sim.simulation import Simulation

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
        return len(simulation.book.cdrs)

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


def main() -> None:
    """Measure and print."""
    subscribers = int(sys.argv[1]) if len(sys.argv) > 1 else SUBSCRIBERS
    calls, _ = simulated(subscribers)
    works = {
        f"simulation of {subscribers:,} subscribers": lambda: simulated(subscribers),
        "bare heap loop, as many calls": lambda: timed(lambda: bare_heap(calls)),
    }
    report("Pure simulation", "calls", interleaved(works, RUNS))


if __name__ == "__main__":
    main()
