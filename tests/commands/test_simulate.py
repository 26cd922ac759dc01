"""`dialer simulate`, as a person runs it."""

import csv
import json
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from dialer.domain.digest import cdr_digest
from tests.commands.conftest import Run
from tests.sim.scenes import SURVEY

SCENARIO: Final[dict[str, Any]] = {
    "start": "2026-11-20T10:00:00Z",
    "survey": SURVEY,
    "account": {"balance": "100", "call_rate": "0.06"},
    "campaign": {"frequency": 60, "callerid": "=1+1"},
    "contacts": [{"contact": "+12025550105"}, {"contact": "+12025550111"}],
}


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "scenario.json"
    path.write_bytes(msgspec.json.encode(SCENARIO))
    return path


def test_the_report_goes_to_standard_output(run: Run, scenario: Path) -> None:
    done = run("simulate", str(scenario))
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("From 2026-11-20T10:00:00Z to 2026-11-20T10:00:19Z: completed\n2 subscribers, 2 calls")


def test_json_for_programs_and_a_seed_instead_of_the_scenarios_own(run: Run, scenario: Path) -> None:
    report = run("simulate", str(scenario), "--seed", "7", "--json").data
    assert (report["seed"], report["calls"], report["cost"]) == (7, 2, "0.06000")


def test_results_go_into_a_directory(run: Run, scenario: Path, tmp_path: Path) -> None:
    """The same rows in both files, a caller ID that looks like a formula defused in the one for spreadsheets."""
    out = tmp_path / "deep" / "results"
    done = run("simulate", str(scenario), "--out", str(out))
    assert done.err == f"Wrote 2 call detail records, the report and the digest to {out}.\n"
    records = [json.loads(line) for line in (out / "cdr.ndjson").read_text("utf-8").splitlines()]
    assert [(record["phone_number"], record["callerid"], record["billsec"]) for record in records] == [
        ("+12025550111", "=1+1", 0),
        ("+12025550105", "=1+1", 14),
    ]
    with (out / "cdr.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    texts = [{name: "" if value is None else str(value) for name, value in record.items()} for record in records]
    assert rows == [text | {"callerid": "'=1+1"} for text in texts]
    digest = cdr_digest(records)
    assert json.loads((out / "report.json").read_bytes())["digest"] == digest
    assert (out / "digest.txt").read_text("ascii") == f"{digest}\n"


def test_a_scenario_that_is_none_is_wrong_usage_told_in_one_line(run: Run, scenario: Path) -> None:
    scenario.write_bytes(b'{"start": 1}')
    done = run("simulate", str(scenario))
    assert (done.code, done.out) == (2, "")
    assert done.err == f"dialer: {scenario}: start: Expected `datetime`, got `int`; try: dialer simulate --help\n"


def test_a_scenario_that_is_not_there_is_wrong_usage(run: Run) -> None:
    done = run("simulate", "none.json")
    assert (done.code, done.out, len(done.err.splitlines())) == (2, "", 1)


def test_a_directory_that_cannot_be_written_is_a_failure(run: Run, scenario: Path) -> None:
    done = run("simulate", str(scenario), "--out", str(scenario / "results"))
    assert (done.code, done.out) == (1, "")
    assert done.err == f"dialer: {scenario / 'results'} cannot be written: Not a directory\n"


def test_the_help_begins_with_examples(run: Run) -> None:
    done = run("simulate", "--help")
    assert done.code == 0
    assert "dialer simulate examples/reminder.json --out results" in done.out
