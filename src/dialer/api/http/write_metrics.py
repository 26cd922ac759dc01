"""Metrics of the turns to write: how long units of work wait before they begin."""

from collections.abc import Iterator
from typing import Final

from prometheus_client.core import Metric, SummaryMetricFamily
from prometheus_client.registry import Collector

from dialer.store.database.write_waits import WriteWaits


class WriteMetrics(Collector):
    """A Prometheus collector of the waits before transactions that write, by what they wait for."""

    def __init__(self, waits: WriteWaits) -> None:
        self._waits: Final = waits

    def collect(self) -> Iterator[Metric]:
        """Yield the number of transactions and their seconds of waiting."""
        meaning = "How long transactions that write waited: for a turn in this process, or for the lock of all."
        family = SummaryMetricFamily("dialer_write_wait_seconds", meaning, labels=["waits_for"])
        for waits_for, seconds in self._waits.seconds.items():
            family.add_metric([waits_for], count_value=self._waits.count, sum_value=seconds)
        yield family
