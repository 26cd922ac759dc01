"""Metrics of dialling as a process: its steps, its part of the gateways, and its membership in a fleet."""

from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from dialer.runtime.steps.process_health import BOUNDS_S, Durations, GatewayShare, Membership, ProcessHealth

REASONS: Final = ("left", "process", "lease")
"""Reasons for which a worker is replaced: it ended, its process was killed, or its lease ran out."""
_SECOND_MS: Final = 1_000


class VitalMetrics(Collector):
    """A Prometheus collector of steps, delays, gateway shares and the membership of the fleet.

    Each scrape reads the current figures.
    """

    def __init__(self, process_health: Callable[[], ProcessHealth]) -> None:
        self._process_health: Final = process_health

    def describe(self) -> Iterable[Metric]:
        """Return nothing: the families depend on what the process does."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of this process's health."""
        now = self._process_health()
        if now.steps is not None:
            yield _histogram("dialer_step_duration_seconds", "How long steps took, with waiting for others.", now.steps)
        if now.answers is not None:
            meaning = "How long answers waited until every worker knew the change."
            yield _histogram("dialer_seen_wait_seconds", meaning, now.answers)
        if now.late_ms is not None:
            yield GaugeMetricFamily(
                "dialer_dialling_late_seconds", "How late the next event is.", value=now.late_ms / _SECOND_MS
            )
        yield from _of_gateways(now.gateways)
        if now.membership is not None:
            yield from _of_membership(now.membership)


def _histogram(name: str, meaning: str, durations: Durations) -> HistogramMetricFamily:
    totals = [float(count) for count in accumulate(durations.counts)]
    names = [*(str(bound) for bound in BOUNDS_S), "+Inf"]
    return HistogramMetricFamily(
        name, meaning, buckets=list(zip(names, totals, strict=True)), sum_value=durations.sum_s
    )


def _of_gateways(gateways: tuple[GatewayShare, ...]) -> Iterator[Metric]:
    families = [
        GaugeMetricFamily(f"dialer_gateway_{name}", meaning, labels=["gateway"])
        for name, meaning in (
            ("channels", "Channels of a gateway that this process may use."),
            ("channels_in_use", "Channels of a gateway that this process uses."),
            ("cps", "Calls per second of a gateway that this process may place."),
            ("cps_in_use", "Calls that this process placed over a gateway in the last second."),
        )
    ]
    for gateway in gateways:
        for family, value in zip(families, gateway[1:], strict=True):
            if value is not None:
                family.add_metric([str(gateway.gateway_id)], value)
    yield from families


def _of_membership(member: Membership) -> Iterator[Metric]:
    yield GaugeMetricFamily("dialer_fleet_shards", "Shards that this worker owns, of 64.", value=member.shards)
    left_s = member.lease_left_ms / _SECOND_MS
    yield GaugeMetricFamily("dialer_fleet_lease_seconds", "Time left of the lease of this worker.", value=left_s)
    takeovers = CounterMetricFamily(
        "dialer_fleet_takeovers", "Workers that this one has replaced, by reason.", labels=["reason"]
    )
    for reason in REASONS:
        takeovers.add_metric([reason], member.takeovers.get(reason, 0))
    yield takeovers
    yield CounterMetricFamily(
        "dialer_fleet_steps_fenced", "Steps given up because this worker had been replaced.", value=member.fenced
    )
