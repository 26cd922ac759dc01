"""Tests of `dialer simulate`."""

import csv
import json
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

from dialer.domain.figures.digest import cdr_digest
from dialer.domain.pacing.strategies import STRATEGIES
from tests.commands.conftest import Run
from tests.sim.scenes import SURVEY

SCENARIO: Final[dict[str, Any]] = {
    "start": "2026-11-20T10:00:00Z",
    "survey": SURVEY,
    "account": {"balance": "100", "call_rate": "0.06"},
    "campaign": {"frequency": 60, "callerid": "=1+1"},
    "contacts": [{"contact": "+12025550105"}, {"contact": "+12025550111"}],
}
CALL_CENTRE: Final[dict[str, Any]] = {
    "seed": 3,
    "start": "2026-11-20T10:00:00Z",
    "survey": {"sections": [{"id": 1, "type": 6, "question": "An agent", "queue": 1}]},
    "gateway": {"parameters": {"answer": 0.6, "talk": [10, 200], "patience": [5, 60]}},
    "queues": [{"id": 1}],
    "agents": [{"id": 1, "count": 2}],
    "population": {"size": 30, "patterns": ["+331990xxxxx"]},
}


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    path = tmp_path / "scenario.json"
    path.write_bytes(msgspec.json.encode(SCENARIO))
    return path


@pytest.fixture
def call_centre(tmp_path: Path) -> Path:
    path = tmp_path / "call_centre.json"
    path.write_bytes(msgspec.json.encode(CALL_CENTRE))
    return path


def test_the_report_goes_to_standard_output(run: Run, scenario: Path) -> None:
    done = run("simulate", str(scenario))
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("From 2026-11-20T10:00:00Z to 2026-11-20T10:00:19Z: completed\n2 subscribers, 2 calls")


def test_json_for_programs_and_a_seed_instead_of_the_scenarios_own(run: Run, scenario: Path) -> None:
    report = run("simulate", str(scenario), "--seed", "7", "--json").data
    assert (report["seed"], report["calls"], report["cost"]) == (7, 2, "0.06000")


def test_results_go_into_a_directory(run: Run, scenario: Path, tmp_path: Path) -> None:
    """Both files have equal rows. The spreadsheet's guards a caller ID that looks like a formula."""
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


def test_strategies_are_compared_in_a_table(run: Run, call_centre: Path) -> None:
    done = run("simulate", str(call_centre), "--compare", "--seeds", "2")
    titles, *lines = done.out.splitlines()
    assert (done.code, done.err) == (0, "")
    assert titles.split() == ["strategy", "utilisation", "abandoned", "worst", "mean", "wait", "finished", "after"]
    assert [line.split()[0] for line in lines] == list(STRATEGIES)
    assert [line.count("±") for line in lines] == [4] * len(STRATEGIES)


def test_a_comparison_begins_with_the_scenarios_own_seed_or_the_one_given(run: Run, call_centre: Path) -> None:
    """Every figure of seeds 3 and 4 together is the mean of their single figures."""
    together = run("simulate", str(call_centre), "--compare", "--seeds", "2", "--json").data
    third = run("simulate", str(call_centre), "--compare", "--json").data
    fourth = run("simulate", str(call_centre), "--compare", "--seed", "4", "--json").data
    assert [row["strategy"] for row in together] == list(STRATEGIES)
    for row, one, other in zip(together, third, fourth, strict=True):
        for name in ("utilisation", "abandon_rate", "mean_wait", "hours"):
            assert one[name]["margin"] is None
            assert row[name]["mean"] == pytest.approx((one[name]["mean"] + other[name]["mean"]) / 2)
    assert third != fourth


def test_a_comparison_is_the_same_every_time(run: Run, call_centre: Path) -> None:
    assert run("simulate", str(call_centre), "--compare") == run(
        "simulate", str(call_centre), "--compare", "--seed", "3"
    )


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (("--compare", "--out", "x"), "--out: a comparison has no call detail records. Leave out --compare or --out."),
        (("--seeds", "2"), "--seeds: only a comparison has several seeds. Add --compare, or leave out --seeds."),
        (
            ("--compare", "--seeds", "2", "--seed", "9223372036854775807"),
            "--seeds: the last of 2 seeds from 9223372036854775807 on is above 9223372036854775807. Use fewer seeds.",
        ),
        (("--compare", "--seeds", "0"), "Invalid value for '--seeds': 0 is not in the range 1<=x<=1000."),
        (("--compare", "--seeds", "1001"), "Invalid value for '--seeds': 1001 is not in the range 1<=x<=1000."),
    ],
)
def test_options_that_do_not_go_together_are_wrong_usage(
    run: Run, call_centre: Path, options: tuple[str, ...], error: str
) -> None:
    done = run("simulate", str(call_centre), *options)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"dialer: {error.removesuffix('.')}; try: dialer simulate --help\n"


def test_the_last_seed_there_is_can_be_compared(run: Run, call_centre: Path) -> None:
    assert run("simulate", str(call_centre), "--compare", "--seed", "9223372036854775807").code == 0


def test_a_scenario_without_agents_cannot_be_compared(run: Run, scenario: Path) -> None:
    done = run("simulate", str(scenario), "--compare")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"dialer: {scenario}: queues: A comparison of strategies needs queues and agents; try: dialer simulate --help\n"
    )


def test_a_number_that_is_none_ends_a_comparison_before_it_shows_anything(run: Run, call_centre: Path) -> None:
    call_centre.write_bytes(msgspec.json.encode(CALL_CENTRE | {"contacts": [{"contact": "nobody"}]}))
    done = run("simulate", str(call_centre), "--compare")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"dialer: {call_centre}: contacts[0].contact: ")


def test_the_help_begins_with_examples(run: Run) -> None:
    done = run("simulate", "--help")
    assert done.code == 0
    assert "dialer simulate examples/reminder.json --out results" in done.out
