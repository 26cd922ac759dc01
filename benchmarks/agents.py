"""Benchmark of calls for agents: `python -m benchmarks.agents [--quick] [AGENTS ...]`, in a pure simulation.

A call centre dials predictively for so many agents, and each agent talks to some people. The figures of a leg,
a callee's or an agent's, are its processor time, as the median of several runs in turns, and its calls of functions.
"""

import json
import statistics
import sys
import time
from typing import Final

from benchmarks.counted_functions import counted_functions
from benchmarks.forecasting import CASES, simulation_of
from benchmarks.measure import MICROSECONDS, Figure, print_row, sizes_of

AGENTS: Final = (5, 12, 50, 500)
MIDDLE: Final = 50
"""The number of agents with which others are compared."""
PEOPLE_OF_AN_AGENT: Final = 20
PEOPLE_MIN: Final = 900
QUICK_MIN: Final = 60
RUNS: Final = 3
CALLS_WANTED: Final = 340
GROWTH_WANTED: Final = 1.5
COUNTED: Final = 12
"""The number of agents whose calls of functions have a goal."""


def people_of(agents: int) -> int:
    """Return how many people are called by so many agents."""
    return max(QUICK_MIN if "--quick" in sys.argv else PEOPLE_MIN, PEOPLE_OF_AN_AGENT * agents)


def run(agents: int) -> tuple[int, float]:
    """Simulate a day of a call centre, and return its legs and the microseconds of a leg."""
    simulation = simulation_of(CASES[1]._replace(agents=agents), people_of(agents), 0)
    began_s = time.process_time()
    simulation.run()
    seconds = time.process_time() - began_s
    legs = len(simulation.store.cdrs)
    return legs, seconds / legs * MICROSECONDS


def functions_of(agents: int) -> float:
    """Return the calls of Python functions for a leg."""
    with counted_functions() as functions:
        legs, _ = run(agents)
    return functions["call"] / legs


def main() -> None:
    """Measure and print the results."""
    sizes = sizes_of(AGENTS)
    seen: dict[int, list[float]] = {agents: [] for agents in sizes}
    for _ in range(1 if "--quick" in sys.argv else RUNS):
        for agents, costs in seen.items():
            costs.append(run(agents)[1])
    for agents, costs in seen.items():
        cost_us, functions, size = statistics.median(costs), functions_of(agents), f"{agents:,} agents"
        sys.stderr.write(f"  {size}: {cost_us:,.0f} µs and {functions:,.0f} Python calls a leg\n")
        print(json.dumps({"title": "agents", "agents": agents, "us_a_leg": cost_us, "functions": functions}))
        print_row(Figure("A leg for agents", size, "", cost_us, unit="µs"))
        calls = Figure("A leg for agents", size, "", functions, CALLS_WANTED, "Python calls", at_most=True)
        print_row(calls._replace(wanted_at=f"{COUNTED} agents"))
    for agents in sizes:
        if MIDDLE in sizes and agents != MIDDLE:
            ratio = statistics.median(seen[agents]) / statistics.median(seen[MIDDLE])
            row = Figure("A leg for agents", f"{agents:,} agents", f"{MIDDLE} agents", ratio, GROWTH_WANTED)
            print_row(row._replace(at_most=True))


if __name__ == "__main__":
    main()
