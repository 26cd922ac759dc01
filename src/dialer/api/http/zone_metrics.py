"""Metrics of the rules of time zones, and the warning about old rules in the log."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final

import structlog
from prometheus_client.core import GaugeMetricFamily, InfoMetricFamily, Metric
from prometheus_client.registry import Collector

from dialer.time_zone_rules import RULES, ZoneRules

_SECOND_MS: Final = 1_000
_log: Final = structlog.get_logger(__name__)


class ZoneMetrics(Collector):
    """A Prometheus collector of the releases of the rules of time zones, and of the age of those in use.

    `now_ms` returns the time of the service's clock.
    """

    def __init__(self, now_ms: Callable[[], int], rules: ZoneRules = RULES) -> None:
        self._now_ms: Final = now_ms
        self._rules: Final = rules

    def collect(self) -> Iterator[Metric]:
        """Yield the releases, and the age if the release in use is known."""
        rules = self._rules
        releases = {"version": rules.version, "package": rules.package, "system": rules.system}
        yield InfoMetricFamily(
            "dialer_time_zone_rules",
            "IANA releases of the rules of time zones: in use, of the package tzdata, and of the system.",
            value=releases | {"source": rules.source.value},
        )
        age = rules.age(moment_of(self._now_ms()))
        if age is not None:
            meaning = "Time since the release of the rules of time zones in use, by the service's clock."
            yield GaugeMetricFamily("dialer_time_zone_rules_age_seconds", meaning, value=age.total_seconds())


def moment_of(now_ms: int) -> datetime:
    """Return a moment in milliseconds since the epoch as an aware datetime."""
    return datetime.fromtimestamp(now_ms / _SECOND_MS, UTC)


@asynccontextmanager
async def logging_zone_rules(now_ms: Callable[[], int], rules: ZoneRules = RULES) -> AsyncIterator[None]:
    """Log the rules in use at the start of a process, as a warning if they are older than a year."""
    about = {"version": rules.version, "source": rules.source.value, "package": rules.package, "system": rules.system}
    if rules.is_old(moment_of(now_ms())):
        _log.warning("time_zone_rules_old", hint=rules.warning(), **about)
    else:
        _log.info("time_zone_rules", **about)
    yield
