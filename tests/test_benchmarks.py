"""Tests of the benchmarks: each runs at its smallest size, and a failing one stops no other."""

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from benchmarks import __main__ as all_benchmarks
from benchmarks.measure import Figure
from benchmarks.plan import PLAN, POSTGRESQL, Run
from benchmarks.servers import PEERS
from tests.databases.cluster import ClusterError, programs
from tests.optional_tools import find_tool, leave_out
from tests.sizes import EVERY_BENCHMARK, SEEDS_FROM

SCRIPT: Final = """
import sys
from pathlib import Path
from benchmarks.campaigning import ready
from benchmarks.fixture_database import create_database
print(ready(create_database(Path(sys.argv[1]), contacts=3), 1_772_442_000_000))
"""
GOOD: Final = Figure("a page", "1,000", "FastAPI", 3.5, 3)
SMALLEST: Final = list({(run.name, run.smallest): run for run in PLAN}.values())
CHOSEN: Final = SMALLEST[SEEDS_FROM % EVERY_BENCHMARK :: EVERY_BENCHMARK]
SMALLEST_S_MAX: Final = 900
PROGRAMS: Final = {"calling": "sipp"}
"""The programs without which a benchmark measures nothing."""
PRINTED: Final = "\n".join([json.dumps({"title": "anything"}), json.dumps({"row": GOOD._asdict()})])


def test_a_campaign_of_a_benchmark_can_be_made(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DIALER_SECRETS_KEY"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("1\n", "")


@pytest.mark.parametrize("run", CHOSEN, ids=lambda run: run.name)
def test_a_benchmark_prints_each_of_its_rows_once_at_its_smallest_size(run: Run) -> None:
    leave_out_without(run)
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{run.name}", *run.smallest.split()],
        capture_output=True,
        text=True,
        timeout=SMALLEST_S_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    named = Counter((row.work, row.size, row.reference, row.unit) for row in all_benchmarks.rows_of(done.stdout))
    assert named, "no row was printed"
    assert {name: times for name, times in named.items() if times > 1} == {}


def leave_out_without(run: Run) -> None:
    """Leave a benchmark out whose peers or programs are not installed."""
    if not PEERS.exists():
        leave_out("the frameworks to compare with are missing: make .venv-peers/.ready")
    if run.name in PROGRAMS:
        find_tool(PROGRAMS[run.name])
    if run.needs == POSTGRESQL:
        try:
            programs()
        except ClusterError as missing:
            leave_out(str(missing))


@pytest.mark.parametrize(
    ("figure", "is_met"),
    [
        (GOOD, True),
        (GOOD._replace(figure=2.9), False),
        (GOOD._replace(at_most=True), False),
        (GOOD._replace(wanted=None), None),
        (GOOD._replace(wanted_at="1,000"), True),
        (GOOD._replace(wanted_at="1,000", figure=2.9), False),
        (GOOD._replace(wanted_at="100,000", figure=2.9), None),
    ],
)
def test_a_figure_says_whether_it_is_as_wanted(figure: Figure, *, is_met: bool | None) -> None:
    assert figure.is_met is is_met


def test_rows_are_read_from_the_lines_of_a_benchmark_and_shown_in_a_table() -> None:
    rows = [("reading", row) for row in all_benchmarks.rows_of(PRINTED)]
    assert all_benchmarks.table(rows).splitlines()[1:] == ["reading  a page  1,000  FastAPI    3.5     at least 3  met"]


def test_a_goal_of_another_size_is_not_shown() -> None:
    rows = [("reading", GOOD._replace(wanted_at="100,000"))]
    assert all_benchmarks.table(rows).splitlines()[1:] == ["reading  a page  1,000  FastAPI    3.5"]


def test_a_failing_benchmark_stops_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def run(command: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(" ".join(command[2:]))
        if "slow" in asked[-1]:
            raise subprocess.TimeoutExpired(list(command), 1, output=PRINTED.encode())
        return subprocess.CompletedProcess(list(command), 1, stdout=PRINTED)

    plan = (Run("broken", "", "1"), Run("slow", "", "2"), Run("long", "", "3", needs="time"))
    monkeypatch.setattr(all_benchmarks, "PLAN", plan)
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--quick"])
    assert all_benchmarks.main() == 1
    assert asked == ["benchmarks.broken 1", "benchmarks.slow 2"]
    said = capsys.readouterr().out
    assert said.count("a page") == 2
    assert "FAILED broken: ended with 1\nFAILED slow: not over after 115 s\nleft out long: it needs time" in said
