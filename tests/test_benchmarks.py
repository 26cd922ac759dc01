"""Tests of the benchmarks: their fixtures, their table, and that a failing one stops no other."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from benchmarks import __main__ as all_benchmarks
from benchmarks.measure import Figure
from benchmarks.plan import PLAN, Run

SCRIPT: Final = """
import sys
from pathlib import Path
from benchmarks.campaigning import ready
from benchmarks.fixture_database import create_database
print(ready(create_database(Path(sys.argv[1]), contacts=3), 1_772_442_000_000))
"""
GOOD: Final = Figure("a page", "1,000", "FastAPI", 3.5, 3)
PRINTED: Final = "\n".join([json.dumps({"title": "anything"}), json.dumps({"row": GOOD._asdict()})])


def test_a_campaign_of_a_benchmark_can_be_made(tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "DIALER_SECRETS_KEY"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_every_benchmark_of_the_plan_exists() -> None:
    folder = Path(all_benchmarks.__file__).parent
    assert [run.name for run in PLAN if not (folder / f"{run.name.split()[0]}.py").exists()] == []


@pytest.mark.parametrize(
    ("figure", "is_met"),
    [
        (GOOD, True),
        (GOOD._replace(figure=2.9), False),
        (GOOD._replace(at_most=True), False),
        (GOOD._replace(wanted=None), None),
    ],
)
def test_a_figure_says_whether_it_is_as_wanted(figure: Figure, *, is_met: bool | None) -> None:
    assert figure.is_met is is_met


def test_rows_are_read_from_the_lines_of_a_benchmark_and_shown_in_a_table() -> None:
    rows = [("reading", row) for row in all_benchmarks.rows_of(PRINTED)]
    assert all_benchmarks.table(rows).splitlines()[1:] == ["reading  a page  1,000  FastAPI    3.5     at least 3  met"]


def test_a_failing_benchmark_stops_no_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def run(command: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(" ".join(command[2:]))
        if "slow" in asked[-1]:
            raise subprocess.TimeoutExpired(list(command), 1, output=PRINTED.encode())
        return subprocess.CompletedProcess(list(command), 1, stdout=PRINTED)

    plan = (Run("broken"), Run("slow"), Run("long", quick=None))
    monkeypatch.setattr(all_benchmarks, "PLAN", plan)
    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--quick"])
    assert all_benchmarks.main() == 1
    assert asked == ["benchmarks.broken --quick --once", "benchmarks.slow --quick --once"]
    said = capsys.readouterr().out
    assert said.count("a page") == 2
    assert "FAILED broken: ended with 1\nFAILED slow: not over after 115 s\nleft out long: it needs" in said
