"""What Prometheus is told about requests: how many, by route and outcome, and how long they took."""

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""A method is a label; those that a client invents are all counted as `other`."""


class Metrics:
    """The metrics of one application, in a registry of their own. No label holds anything that a client chose."""

    def __init__(self) -> None:
        self._registry: Final = CollectorRegistry()
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

    def observe(self, method: str, route: str, status: int, duration_s: float) -> None:
        """Count one request."""
        known = method if method in METHODS else "other"
        self._requests.labels(route, known, str(status)).inc()
        self._durations.labels(route, known).observe(duration_s)

    def exposition(self) -> bytes:
        """All metrics in Prometheus' text format."""
        return generate_latest(self._registry)
