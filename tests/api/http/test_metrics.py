"""Tests of the Prometheus metrics of the dialling and the event loop."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.http.loop_lag import PROBE_S, LoopLag
from dialer.api.http.metrics import Metrics
from dialer.api.http.recording_metrics import RecordingMetrics
from dialer.api.http.write_metrics import WriteMetrics
from dialer.runtime.steps.dial_counters import DialCounters
from dialer.runtime.steps.recording_figures import RecordingFigures
from dialer.store.database.write_waits import WriteWaits
from tests.api.harness import FakeWorker
from tests.gateways import FIRST, SECOND

FIGURES = DialCounters(
    dialled=Counter(voice=7, sms=2),
    answered=Counter(voice=3),
    refused=Counter(dnc=4, tz_unknown=1),
    rests=Counter({FIRST: 2, SECOND: 1}),
    in_progress=Counter(voice=5),
    held=1_234_567,
    reports_ignored=3,
    reports_set_aside=2,
    broken=Counter(I4=2),
)


def lines(text: str, prefix: str) -> list[str]:
    """Return the samples whose names have a prefix, in order."""
    return [line for line in text.splitlines() if line.startswith(prefix)]


def test_the_dialling_is_told_as_it_stands_now(client: TestClient[Litestar], worker: FakeWorker) -> None:
    worker.done = FIGURES
    text = client.get("/metrics").text
    assert [
        *lines(text, "dialer_calls"),
        *lines(text, "dialer_lines"),
        *lines(text, "dialer_subscribers"),
        *lines(text, "dialer_gateway"),
        *lines(text, "dialer_money"),
        *lines(text, "dialer_reports"),
    ] == [
        'dialer_calls_in_progress{medium="voice"} 5.0',
        'dialer_calls_in_progress{medium="sms"} 0.0',
        'dialer_calls_dialled_total{medium="voice"} 7.0',
        'dialer_calls_dialled_total{medium="sms"} 2.0',
        'dialer_calls_answered_total{medium="voice"} 3.0',
        'dialer_calls_answered_total{medium="sms"} 0.0',
        'dialer_calls_taken_back_total{medium="voice"} 0.0',
        'dialer_calls_taken_back_total{medium="sms"} 0.0',
        "dialer_lines_down 0.0",
        'dialer_subscribers_refused_total{reason="dnc"} 4.0',
        'dialer_subscribers_refused_total{reason="tz_unknown"} 1.0',
        'dialer_gateway_rests_total{medium="voice"} 3.0',
        'dialer_gateway_rests_total{medium="sms"} 0.0',
        "dialer_money_held 12.34567",
        "dialer_reports_ignored_total 3.0",
        "dialer_reports_set_aside_total 2.0",
    ]
    rules = [(f"I{place}", 2.0 if place == 4 else 0.0) for place in (*range(1, 11), 14, 16, 23)]
    assert lines(text, "dialer_invariants_broken") == [
        f'dialer_invariants_broken_total{{rule="{rule}"}} {count}' for rule, count in rules
    ]
    worker.done = DialCounters()
    assert 'dialer_calls_in_progress{medium="voice"} 0.0' in client.get("/metrics").text


def test_the_waits_before_writes_are_told_by_what_they_are_for() -> None:
    waits = WriteWaits()
    waits.add(turn_s=0.25, lock_s=0.5)
    waits.add(turn_s=0.5, lock_s=0)
    told = [
        (sample.name, *sample.labels.values(), sample.value) for sample in next(WriteMetrics(waits).collect()).samples
    ]
    name = "dialer_write_wait_seconds"
    assert told == [
        (f"{name}_count", "turn", 2),
        (f"{name}_sum", "turn", 0.75),
        (f"{name}_count", "lock", 2),
        (f"{name}_sum", "lock", 0.5),
    ]


async def test_the_lag_of_the_loop_is_measured_beyond_the_requested_sleep() -> None:
    """The loop wakes on time, a little early, and a quarter of a second late."""
    moments = iter([10.0, 10.0 + PROBE_S, 20.0, 20.0 + PROBE_S - 0.001, 30.0, 30.0 + PROBE_S + 0.25, 40.0])
    asked: list[float] = []
    observed: list[float] = []

    async def sleep(seconds: float) -> None:
        asked.append(seconds)
        if len(asked) > 3:
            raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await LoopLag(observed.append, now_s=lambda: next(moments), sleep=sleep).watch()
    assert (observed, asked) == ([0.0, 0.0, 0.25], [PROBE_S] * 4)


def test_the_lags_become_a_histogram() -> None:
    metrics = Metrics(DialCounters, recordings=RecordingMetrics(RecordingFigures(), Path("nowhere")))
    for lag_s in (0.0, 0.25, 0.75):
        metrics.observe_lag(lag_s)
    text = metrics.exposition().decode()
    assert 'dialer_event_loop_lag_seconds_bucket{le="0.25"} 2.0' in text
    assert lines(text, "dialer_event_loop_lag_seconds_sum") == ["dialer_event_loop_lag_seconds_sum 1.0"]
