"""Tests of the state of a process, as health checks and metrics show it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from litestar.testing import TestClient

from dialer.api.app import create_worker_app
from dialer.runtime.steps.process_health import Durations, GatewayShare, Membership, ProcessHealth
from dialer.settings import Settings
from dialer.store.database.database import Database
from tests.api.harness import FakeWorker
from tests.gateways import FIRST, TEXTS


def durations(*seconds: float) -> Durations:
    found = Durations()
    for one in seconds:
        found.add(one)
    return found


STATE = ProcessHealth(
    steps=durations(0.002, 0.004, 0.3),
    late_ms=1_500,
    gateways=(GatewayShare(FIRST, 30, 12, None, 0), GatewayShare(TEXTS, None, 0, 4, 2)),
    membership=Membership("w1", 3, 32, 13_250, {"process": 2}, 1),
)
HEALTH = {
    "name": "w1",
    "number": 3,
    "shards": 32,
    "lease_seconds": 13.25,
    "late_seconds": 1.5,
    "takeovers": 2,
    "steps_fenced": 1,
}
METRICS = [
    'dialer_step_duration_seconds_bucket{le="0.001"} 0.0',
    'dialer_step_duration_seconds_bucket{le="0.0025"} 1.0',
    'dialer_step_duration_seconds_bucket{le="0.005"} 2.0',
    'dialer_step_duration_seconds_bucket{le="0.25"} 2.0',
    'dialer_step_duration_seconds_bucket{le="0.5"} 3.0',
    'dialer_step_duration_seconds_bucket{le="+Inf"} 3.0',
    "dialer_step_duration_seconds_count 3.0",
    "dialer_dialling_late_seconds 1.5",
    'dialer_gateway_channels{gateway="1"} 30.0',
    'dialer_gateway_channels_in_use{gateway="1"} 12.0',
    'dialer_gateway_cps{gateway="sms:1"} 4.0',
    'dialer_gateway_cps_in_use{gateway="sms:1"} 2.0',
    "dialer_fleet_shards 32.0",
    "dialer_fleet_lease_seconds 13.25",
    'dialer_fleet_takeovers_total{reason="left"} 0.0',
    'dialer_fleet_takeovers_total{reason="process"} 2.0',
    'dialer_fleet_takeovers_total{reason="lease"} 0.0',
    "dialer_fleet_steps_fenced_total 1.0",
]


def test_a_worker_shows_its_part_of_the_fleet(database: Database, worker: FakeWorker) -> None:
    @asynccontextmanager
    async def running() -> AsyncIterator[None]:
        yield

    worker.state = STATE
    with TestClient(create_worker_app(Settings(), database=database, worker=worker, running=running)) as client:
        shown = client.get("/metrics").text.splitlines()
        assert [line for line in METRICS if line not in shown] == []
        assert client.get("/health/ready").json() == {"status": "ok", "worker": HEALTH}
        worker.trouble = "lease"
        worker.state = STATE._replace(membership=STATE.membership._replace(worker_id=None))  # type: ignore[union-attr]
        answer = client.get("/health/ready")
        assert (answer.status_code, answer.json()) == (503, {"status": "lease", "worker": {**HEALTH, "number": None}})
        worker.trouble, worker.state, worker.done.lines_down = None, ProcessHealth(answers=durations(0.004)), 2
        assert client.get("/health/ready").json() == {"status": "ok", "lines_down": 2}
        shown = client.get("/metrics").text.splitlines()
        assert 'dialer_seen_wait_seconds_bucket{le="0.005"} 1.0' in shown
        assert [line for line in shown if line.startswith(("dialer_fleet", "dialer_step", "dialer_gateway_ch"))] == []
