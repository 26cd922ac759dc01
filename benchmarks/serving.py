"""Measures of servers: requests a second and processor time a request, in turns, as ratios."""

import itertools
import json
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from typing import Final, NamedTuple

from benchmarks.fixture_database import AUTHORIZATION
from benchmarks.load import request_bytes, run_load
from benchmarks.measure import MICROSECONDS, Figure, Rate, print_row, runs_of
from benchmarks.servers import Server

CLIENTS: Final = 16
WARM_UP_S: Final = 0.3


class Sample(NamedTuple):
    """Measurement of one server."""

    requests: int
    seconds: float
    cpu_s: float

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds

    @property
    def cost_us(self) -> float:
        """Microseconds of processor time a request."""
        return self.cpu_s / self.requests * MICROSECONDS


class Target(NamedTuple):
    """Target for the ratio of two works, in requests a second and in processor time."""

    work: str
    other: str
    least: float
    size: str = ""
    """The size of which it is wanted; empty for every size."""


class Plan(NamedTuple):
    """Extent of a run: sizes of the database, number of rounds, and seconds of one measurement."""

    sizes: tuple[int, ...]
    rounds: int
    seconds: float


FULL: Final = Plan((1_000, 10_000, 100_000), 5, 0.7)
QUICK: Final = Plan((1_000,), 1, 0.2)
"""Plan that only shows that a benchmark works."""

Samples = dict[str, list[Sample]]


def plan_of(arguments: list[str]) -> Plan:
    """Return the plan for command line arguments: `--quick`, sizes to measure, or neither."""
    sizes = tuple(int(argument) for argument in arguments if argument.isdigit())
    plan = QUICK if "--quick" in arguments else FULL
    return plan._replace(sizes=sizes or plan.sizes, rounds=runs_of(plan.rounds))


def get(server: Server, target: str) -> Iterator[bytes]:
    """Yield one GET request endlessly."""
    return itertools.repeat(request_bytes(server.address, "GET", target, {"Authorization": AUTHORIZATION}))


def post(server: Server, target: str, bodies: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a POST request with each of the bodies."""
    for body in bodies:
        yield request_bytes(server.address, "POST", target, {"Authorization": AUTHORIZATION}, body)


def sample(server: Server, requests: Iterator[bytes], seconds: float, *, status: HTTPStatus = HTTPStatus.OK) -> Sample:
    """Measure a server once.

    Raises:
        RuntimeError: an answer has another status than `status`.
    """
    before_s = server.cpu_s()
    load = run_load(server.address, requests, clients=CLIENTS, seconds=seconds)
    cpu_s = server.cpu_s() - before_s
    if set(load.statuses) != {status}:
        raise RuntimeError(f"{server.name} answers {dict(load.statuses)}")
    return Sample(load.requests, load.seconds, cpu_s)


def in_turns(works: Mapping[str, Callable[[float], Sample]], plan: Plan) -> Samples:
    """Measure the works in turns, each for the plan's seconds, after a warm-up."""
    for work in works.values():
        work(min(WARM_UP_S, plan.seconds))
    samples: Samples = {name: [] for name in works}
    for _ in range(plan.rounds):
        for name, work in works.items():
            samples[name].append(work(plan.seconds))
    return samples


def report(title: str, samples: Samples, targets: tuple[Target, ...], size: str = "") -> None:
    """Print a table and the ratios on standard error, and all figures as JSON on standard output.

    The rows of processor time have this size.
    """
    rates = [_summary(name, [one.rate for one in found]) for name, found in samples.items()]
    costs = [_summary(name, [one.cost_us for one in found]) for name, found in samples.items()]
    lines = [
        f"{title} (median, least to most)",
        f"  {'':<46}{'requests a second':^28}{'µs of processor a request':^32}",
    ]
    lines += [
        f"  {rate.name:<46}{_spread(rate):<28}{_spread(cost):<32}" for rate, cost in zip(rates, costs, strict=True)
    ]
    verdicts = [_disposition(samples, target) for target in targets]
    lines += [
        f"  {target.work}: {ratios['requests'].median:.2f} times {target.other} in requests"
        f" ({ratios['requests'].slowest:.2f} to {ratios['requests'].fastest:.2f}),"
        f" {ratios['cpu'].median:.2f} in processor time"
        f" ({ratios['cpu'].slowest:.2f} to {ratios['cpu'].fastest:.2f}); goal {target.least:g}"
        for target, ratios in zip(targets, verdicts, strict=True)
    ]
    sys.stderr.write("\n".join(lines) + "\n")
    document = {
        "title": title,
        "requests_per_second": [rate._asdict() for rate in rates],
        "cpu_us_per_request": [cost._asdict() for cost in costs],
        "ratios": [
            {**target._asdict(), **{name: ratio._asdict() for name, ratio in ratios.items()}}
            for target, ratios in zip(targets, verdicts, strict=True)
        ],
    }
    sys.stdout.write(json.dumps(document) + "\n")
    for target, ratios in zip(targets, verdicts, strict=True):
        work = title if target.work == "dialer" else f"{title}: {target.work}"
        print_row(Figure(work, size, target.other, ratios["cpu"].median, target.least, wanted_at=target.size))


def median_cost_us(samples: list[Sample]) -> float:
    """Return the median processor time of a request, in microseconds."""
    return statistics.median(one.cost_us for one in samples)


def _disposition(samples: Samples, target: Target) -> dict[str, Rate]:
    """Return the ratios over all rounds. Both works of a round are measured one after the other."""
    pairs = list(zip(samples[target.work], samples[target.other], strict=True))
    return {
        "requests": _summary("ratio", [ours.rate / theirs.rate for ours, theirs in pairs]),
        "cpu": _summary("ratio", [theirs.cost_us / ours.cost_us for ours, theirs in pairs]),
    }


def _summary(name: str, values: list[float]) -> Rate:
    return Rate(name, statistics.median(values), min(values), max(values))


def _spread(rate: Rate) -> str:
    return f"{rate.median:>9,.0f}  {rate.slowest:,.0f} to {rate.fastest:,.0f}"
