"""Benchmark of the plainest campaign beside other simulators: `python -m benchmarks.plainest [PEOPLE ...] [--once]`.

People are called over 100 channels; 45 % answer, and the others are called again at most twice, after ten minutes.
dialer plays a survey meanwhile, bills, keeps hours and writes CDRs with UUIDs. The peers only wait: a loop over a heap
by hand, plain SimPy, salabim and Ciw. They are given the course of each call, and must make as many calls and retries,
otherwise nothing is compared. SimPy with dialer's rules must have the same CDRs. Figures are processor time.
"""

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final

from benchmarks.fixture_campaign import document
from benchmarks.measure import MICROSECONDS, Figure, print_row, runs_of, sizes_of, timed
from benchmarks.peer_runs import CAMPAIGN, CHANNELS, PARAMETERS, Courses, Made, run_in_peer
from benchmarks.servers import require_peers
from benchmarks.simulate import digests, find_simpy_model, in_simpy
from dialer.domain.words.enums import Cause
from dialer.sim.scenario import parse_scenario
from dialer.sim.simulation import Simulation

SIZES: Final = (10_000,)
RUNS: Final = 3
OURS: Final = "dialer"
WITH_RULES: Final = "SimPy with dialer's rules"
PEERS: Final = {
    "in_heap": "a heap by hand",
    "in_simpy": "SimPy, plain",
    "in_salabim": "salabim",
    "in_ciw": "Ciw",
}
PARTS: Final[dict[str, Any]] = {
    "gateway": {"max_channels": CHANNELS, "parameters": PARAMETERS},
    "campaign": CAMPAIGN,
}
"""The parts of the scenario that differ from those of the benchmark campaign."""


def simulated(people: int) -> Simulation:
    """Return dialer's simulation of the campaign, which is still to run."""
    return Simulation(parse_scenario(document(people, **PARTS)))


def courses_of(simulation: Simulation) -> Courses:
    """Return the calls that a simulation has made."""
    return Courses(
        Made(cdr.subscriber_id or 0, cdr.starting_ms, cdr.duration, cdr.hangup_cause_q850 is Cause.NORMAL_CLEARING)
        for cdr in simulation.store.cdrs
    )


def ours_s(people: int) -> float:
    """Run dialer's simulation, and return the seconds of processor."""
    simulation = simulated(people)

    def run() -> int:
        simulation.run()
        return len(simulation.store.cdrs)

    return timed(run, time.process_time)[1]


def measure(people: int) -> dict[str, float]:
    """Return the microseconds of a call in each engine, measured in turns."""
    first = simulated(people)
    first.run()
    courses, model = courses_of(first), find_simpy_model()
    calls = courses.counts()["calls"]
    with tempfile.TemporaryDirectory() as folder:
        works: dict[str, Callable[[], float]] = {OURS: partial(ours_s, people)}
        for module, name in PEERS.items():
            works[name] = lambda module=module: run_in_peer(module, courses, Path(folder)).peer_s  # type: ignore[misc]
        if model is not None:
            ours, theirs = digests(model, document(people, **PARTS))
            if ours != theirs:
                sys.exit("The SimPy model has other CDRs, so there is nothing to compare.")
            works[WITH_RULES] = lambda: in_simpy(model, people, **PARTS)[1]
        seconds: dict[str, list[float]] = {name: [] for name in works}
        for _ in range(runs_of(RUNS)):
            for name, work in works.items():
                seconds[name].append(work())
    return {name: statistics.median(each) / calls * MICROSECONDS for name, each in seconds.items()}


def main() -> None:
    """Measure and print the results."""
    require_peers()
    for people in sizes_of(SIZES):
        costs = measure(people)
        sys.stderr.write(f"The plainest campaign of {people:,}, µs of processor a call: {costs}\n")
        sys.stdout.write(json.dumps({"title": "plainest", "people": people, "us_a_call": costs}) + "\n")
        print_row(Figure("The plainest campaign, simulated", f"{people:,}", "", costs[OURS], unit="µs a call"))
        for name in (*PEERS.values(), WITH_RULES):
            ratio = costs[name] / costs[OURS]
            print_row(Figure("The plainest campaign, simulated", f"{people:,}", name, ratio))


if __name__ == "__main__":
    main()
