"""Metrics of recordings of whole calls, and the word of the health check about them."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from dialer.domain.calls.call_recording import FREE_BYTES_MIN
from dialer.runtime.steps.recording_figures import RecordingFigures

AWAY: Final = "away"
NO_ROOM: Final = "no_room"


class RecordingMetrics(Collector):
    """A Prometheus collector of the state of recordings. `folder` is the one in which calls are recorded."""

    def __init__(self, figures: RecordingFigures, folder: Path) -> None:
        self._figures: Final = figures
        self._folder: Final = folder

    def problem(self) -> str:
        """Return `no_room` if calls go on without being recorded, `away` if recordings cannot be stored; else empty."""
        room = self._room_bytes()
        if room is not None and room < FREE_BYTES_MIN:
            return NO_ROOM
        return "" if self._figures.is_in_place else AWAY

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics. There is no room to tell of before the first call is recorded."""
        figures, room = self._figures, self._room_bytes()
        if room is not None:
            meaning = "Room on the disk of the folder of recordings. Below 256 MiB, calls are not recorded."
            yield GaugeMetricFamily("dialer_recordings_room_bytes", meaning, value=room)
        meaning = "1 while the folder or the bucket of recordings is there, and is the right one."
        yield GaugeMetricFamily("dialer_recordings_in_place", meaning, value=int(figures.is_in_place))
        meaning = "Recordings of calls that are over which wait to be stored."
        yield GaugeMetricFamily("dialer_recordings_waiting", meaning, value=figures.waiting)
        meaning = "Recordings that could not be read for a day."
        yield CounterMetricFamily("dialer_recordings_failed", meaning, value=figures.lost)
        meaning = "Attempts to send a recording to the bucket that failed. Each is repeated."
        yield CounterMetricFamily("dialer_recordings_not_sent", meaning, value=figures.send_failures)
        meaning = "Recordings that wait until what they say is written down."
        yield GaugeMetricFamily("dialer_transcripts_waiting", meaning, value=figures.texts_waiting)
        meaning = "Recordings that could not be written down."
        yield CounterMetricFamily("dialer_transcripts_failed", meaning, value=figures.texts_failed)

    def _room_bytes(self) -> int | None:
        try:
            room = os.statvfs(self._folder)
        except OSError:
            return None
        return room.f_bavail * room.f_frsize
