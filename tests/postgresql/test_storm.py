"""Tests of a short storm over real processes. `python -m tests.fleet.storm` makes long ones."""

from pathlib import Path

from tests.databases.choice import server_url
from tests.fleet.storm.run import Sky, storm
from tests.fleet.storm.troubles import Trouble

LEASE_MS = 4_000
SECONDS = 11.0
PLAN = (
    Trouble(0.5, "cut", 5.5),
    Trouble(1.0, "kill"),
    Trouble(4.5, "freeze in step", 5.5),
)
"""A network that is cut for longer than a lease, a worker that is killed, and one that freezes before a commit."""


def test_a_short_storm_breaks_no_rule(tmp_path: Path) -> None:
    sky = Sky(1, SECONDS, plan=PLAN, workers=2, accounts=3, lease_ms=LEASE_MS)
    report = storm(tmp_path, sky, url=server_url())
    assert report.broken == []
    assert report.audit[0] == 0
    assert sorted(report.troubles) == ["cut", "freeze in step", "kill"]
    assert min(report.calls, report.replaced, report.answers["pause 202"], report.answers["list 201"]) > 0
