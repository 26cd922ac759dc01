"""Metrics for Prometheus: requests, dialling, and the event loop that does both."""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dialer.api.http.recording_metrics import RecordingMetrics
from dialer.domain.billing.money import MONEY_SCALE
from dialer.domain.rules.invariants import Rule
from dialer.domain.words.reasons import TextReason
from dialer.runtime.steps.dial_counters import DialCounters
from dialer.store.tables import SMS, VOICE

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Methods that are labels; every other method counts as `other`."""
LAG_BUCKETS_S: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5)
MEDIA: Final = (VOICE, SMS)


class Metrics:
    """The metrics of one application, in a registry of their own. No label holds a text that a client chose.

    `figures` returns the figures of the dialling, and is called at every exposition; so are `recordings` and `others`.
    """

    def __init__(self, figures: Callable[[], DialCounters], *others: Collector, recordings: RecordingMetrics) -> None:
        self._registry: Final = CollectorRegistry()
        self.recordings: Final = recordings
        for collector in (*others, recordings):
            self._registry.register(collector)
        self._requests: Final = Counter(
            "dialer_http_requests",
            "HTTP requests by route template, method and status.",
            ("route", "method", "status"),
            registry=self._registry,
        )
        self._durations: Final = Histogram(
            "dialer_http_request_duration_seconds",
            "How long HTTP requests took, by route template and method.",
            ("route", "method"),
            registry=self._registry,
        )
        self._lags: Final = Histogram(
            "dialer_event_loop_lag_seconds",
            "How much later than it asked for a task came to its turn.",
            buckets=LAG_BUCKETS_S,
            registry=self._registry,
        )
        self._registry.register(_Dialling(figures))
        self._children: Final[dict[tuple[str, str, int], tuple[Counter, Histogram]]] = {}
        """The children of both that have been looked up: no more than the registry keeps."""

    def observe(self, method: str, route: str, status: int, duration_s: float) -> None:
        """Count one request with its route, status and duration."""
        labels = route, method if method in METHODS else "other", status
        children = self._children.get(labels)
        if children is None:
            children = self._children[labels] = self._children_of(*labels)
        requests, durations = children
        requests.inc()
        durations.observe(duration_s)

    def _children_of(self, route: str, method: str, status: int) -> tuple[Counter, Histogram]:
        return self._requests.labels(route, method, str(status)), self._durations.labels(route, method)

    def observe_lag(self, lag_s: float) -> None:
        """Count one delay of the event loop."""
        self._lags.observe(lag_s)

    def exposition(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self._registry)


class _Dialling(Collector):
    """A collector that reads the figures of the dialling at every exposition."""

    def __init__(self, figures: Callable[[], DialCounters]) -> None:
        self._figures: Final = figures

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of dialling."""
        figures = self._figures()
        in_progress = GaugeMetricFamily(
            "dialer_calls_in_progress", "Calls and text messages in progress, by medium.", labels=["medium"]
        )
        for medium in MEDIA:
            in_progress.add_metric([medium], figures.in_progress[medium])
        yield in_progress
        yield _by_medium("dialer_calls_dialled", "Calls placed and text messages sent.", figures.dialled)
        yield _by_medium("dialer_calls_answered", "Calls answered and text messages delivered.", figures.answered)
        yield _by_medium(
            "dialer_calls_taken_back", "Calls among those dialled that were certainly never placed.", figures.taken_back
        )
        dropped = CounterMetricFamily(
            "dialer_texts_not_sent", "Text messages of surveys that are not sent, by reason.", labels=["reason"]
        )
        for text_reason in TextReason:
            dropped.add_metric([text_reason], figures.texts_dropped[text_reason])
        yield dropped
        yield GaugeMetricFamily(
            "dialer_lines_down", "Gateways whose connection to their carrier does not work.", value=figures.lines_down
        )
        refused = CounterMetricFamily(
            "dialer_subscribers_refused", "Subscribers who must not be called, by reason.", labels=["reason"]
        )
        for reason, count in sorted(figures.refused.items()):
            refused.add_metric([reason], count)
        yield refused
        rests = CounterMetricFamily("dialer_gateway_rests", "Times that a gateway was put to rest.", labels=["medium"])
        for medium in MEDIA:
            rests.add_metric([medium], sum(count for (kind, _), count in figures.rests.items() if kind == medium))
        yield rests
        yield _broken(figures)
        yield CounterMetricFamily(
            "dialer_reports_ignored", "Reports of a carrier that changed nothing.", value=figures.reports_ignored
        )
        yield CounterMetricFamily(
            "dialer_reports_set_aside",
            "Reports of a carrier that could not be handled, and were set aside with their reason.",
            value=figures.reports_set_aside,
        )
        held = float(Decimal(figures.held) / MONEY_SCALE)
        yield GaugeMetricFamily("dialer_money_held", "Money held for what is in progress.", value=held)


def _broken(figures: DialCounters) -> CounterMetricFamily:
    """Count the breaks of every rule. A rule that was never broken has a zero, so its first break shows."""
    family = CounterMetricFamily(
        "dialer_invariants_broken", "Times that a rule would have been broken, by rule.", labels=["rule"]
    )
    for rule in Rule:
        family.add_metric([rule], figures.broken[rule])
    return family


def _by_medium(name: str, meaning: str, counts: Mapping[str, int]) -> CounterMetricFamily:
    family = CounterMetricFamily(name, meaning, labels=["medium"])
    for medium in MEDIA:
        family.add_metric([medium], counts.get(medium, 0))
    return family
