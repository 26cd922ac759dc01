"""Benchmark of pure simulation with full engine and call flow: `python -m benchmarks.simulate [SUBSCRIBERS ...]`.

CDRs are kept. The reference is a bare loop over a heap with as many CDRs and events, and without decisions. If SimPy is
installed among the peers, a SimPy model that does the same work is measured, too: its CDRs have the same digest. The
figures are processor time, because all works run in this process.
"""

import heapq
import importlib
import sys
import time
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import msgspec

from benchmarks.counted_functions import counted_functions
from benchmarks.fixture_campaign import CAMPAIGN, document
from benchmarks.measure import (
    MICROSECONDS,
    Figure,
    Work,
    interleaved,
    print_row,
    report,
    report_growth,
    runs_of,
    sizes_of,
    timed,
)
from dialer.domain.figures.digest import cdr_digest
from dialer.sim.report import cdr_record
from dialer.sim.scenario import parse_scenario
from dialer.sim.simulation import Simulation

PEERS: Final = Path(__file__).parents[1] / ".venv-peers"
SIZES: Final = (1_000, 10_000, 100_000)
MILLION: Final = 1_000_000
CHECKED: Final = 1_000
"""Subscribers of the runs whose digests are compared."""
RUNS: Final = 3
SIMPY_WANTED: Final = {"Pure simulation": 2.4, "Pure simulation, with limits": 2.9}
BARE_WANTED: Final = 0.20
CALLS_WANTED: Final = 64
WANTED_AT: Final = "30,000"
"""The number of subscribers of which all this is wanted."""
EVENTS_PER_CALL: Final = 5
"""Dial, ring, answer, one prompt, end: about the average of a call in the benchmark campaign."""
LIMITED: Final[dict[str, Any]] = {
    "gateway": {"max_channels": 2_000, "max_cps": 100, "parameters": {"congestion": 0.05, "listen": 0.8}},
    "campaign": CAMPAIGN | {"daily_start_time": "09:00:00", "daily_stop_time": "20:00:00"},
    "dnc": [f"+12025{number:06d}" for number in range(0, MILLION, 50)],
}
"""Parts of a scenario in which limits of the gateway, calling hours and a do-not-call list take effect."""


class BareCdr(msgspec.Struct, gc=False):
    """Call record of the bare loop."""

    callid: str
    phone_number: str
    started_ms: int
    duration: int
    billsec: int


def simulated(subscribers: int, **changes: Any) -> tuple[int, float]:  # noqa: ANN401 - parts of the scenario
    """Run the benchmark campaign, and return the number of calls and the seconds."""
    simulation = Simulation(parse_scenario(document(subscribers, **changes)))

    def run() -> int:
        simulation.run()
        return len(simulation.store.cdrs)

    return timed(run, time.process_time)


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


def find_simpy_model() -> ModuleType | None:
    """Return the SimPy model, or None if SimPy is not installed among the peers."""
    for packages in PEERS.glob("lib/python*/site-packages"):
        if (packages / "simpy").exists():
            sys.path.append(str(packages))  # At the end, so that nothing else comes from there.
            try:
                return importlib.import_module("benchmarks.peers.simpy_model")
            finally:
                sys.path.remove(str(packages))
    return None


def in_simpy(model: ModuleType, subscribers: int, **changes: Any) -> tuple[int, float]:  # noqa: ANN401 - as above
    """Run the SimPy model of the campaign."""
    campaign = model.Campaign(parse_scenario(document(subscribers, **changes)))
    return timed(campaign.run, time.process_time)


def digests(model: ModuleType, scenario: bytes) -> tuple[str, str]:
    """Return the digests of the CDRs of our simulation and of the SimPy model."""
    simulation = Simulation(parse_scenario(scenario))
    simulation.run()
    campaign = model.Campaign(parse_scenario(scenario))
    campaign.run()
    return cdr_digest(map(cdr_record, simulation.store.cdrs)), model.digest_of(campaign.cdrs)


def functions_of_a_call(subscribers: int) -> float:
    """Return the calls of Python functions for each call of the benchmark campaign."""
    simulation = Simulation(parse_scenario(document(subscribers)))
    with counted_functions() as functions:
        simulation.run()
    return functions["call"] / len(simulation.store.cdrs)


def measure(title: str, model: ModuleType | None, subscribers: int, **changes: Any) -> float:  # noqa: ANN401 - as above
    """Measure a scenario beside the SimPy model, whose CDRs must be the same, and beside a bare loop.

    Return the microseconds of a call.
    """
    works: dict[str, Work] = {f"simulation of {subscribers:,} subscribers": partial(simulated, subscribers, **changes)}
    if model is not None:
        ours, theirs = digests(model, document(CHECKED, **changes))
        if ours != theirs:
            sys.exit(f"{title}: The SimPy model has other CDRs, so there is nothing to compare.")
        works["SimPy, the same work"] = partial(in_simpy, model, subscribers, **changes)
    calls, _ = simulated(subscribers, **changes)
    works["bare heap loop, as many calls"] = lambda: timed(lambda: bare_heap(calls), time.process_time)
    rates = interleaved(works, runs_of(RUNS))
    report(title, "calls", rates)
    rate, *others = rates
    for other in others:
        wanted = SIMPY_WANTED[title] if other.name.startswith("SimPy") else BARE_WANTED
        ratio = rate.median / other.median
        print_row(Figure(title, f"{subscribers:,}", other.name, ratio, wanted, wanted_at=WANTED_AT))
    return MICROSECONDS / rate.median


def main() -> None:
    """Measure and print the results."""
    model, costs = find_simpy_model(), {}
    for subscribers in sizes_of(SIZES):
        costs[subscribers] = measure("Pure simulation", model, subscribers)
        measure("Pure simulation, with limits", model, subscribers, **LIMITED)
        functions, unit = functions_of_a_call(subscribers), "Python calls"
        row = Figure("A call of pure simulation", f"{subscribers:,}", "", functions, CALLS_WANTED, unit, at_most=True)
        print_row(row._replace(wanted_at=WANTED_AT))
    report_growth("Pure simulation, by subscribers", "call", costs)


if __name__ == "__main__":
    main()
