"""Tests of a short storm over real processes. `python -m tests.fleet.storm` makes long ones."""

from pathlib import Path

from tests.databases.choice import server_url
from tests.fleet.storm.run import Sky, storm
from tests.fleet.storm.troubles import Trouble

LEASE_MS = 16_000
"""So long that a worker keeps its lease on a machine that is slow, and does much besides."""
SECONDS = 36.0
PLAN = (
    Trouble(1.0, "cut", 20.0),
    Trouble(2.0, "kill"),
    Trouble(12.0, "freeze in step", 20.0),
)
"""A network that is cut for longer than a lease, a worker that is killed, and one that freezes before a commit."""


def test_a_short_storm_breaks_no_rule(tmp_path: Path) -> None:
    sky = Sky(1, SECONDS, plan=PLAN, workers=2, accounts=3, lease_ms=LEASE_MS)
    report = storm(tmp_path, sky, url=server_url())
    assert report.broken == []
    assert report.audit[0] == 0
    assert sorted(report.troubles) == ["cut", "freeze in step", "kill"]
    assert min(report.calls, report.replaced, report.answers["pause 202"], report.answers["list 201"]) > 0
