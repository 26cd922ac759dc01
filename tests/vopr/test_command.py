"""Tests of the fault simulator's command."""

import json
from collections.abc import Callable

import pytest
from click.testing import CliRunner, Result

from dialer.store.journal.unwritten_rows import UnwrittenRows
from tests.vopr.command import vopr

Run = Callable[..., Result]


@pytest.fixture
def run() -> Run:
    """Return a function that runs the command in this process."""
    return lambda *arguments: CliRunner().invoke(vopr, arguments, prog_name="python -m tests.vopr")


def forget_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plant a bug: holds are never released."""
    reserve = UnwrittenRows.reserve
    monkeypatch.setattr(UnwrittenRows, "reserve", lambda self, user_id, amount: reserve(self, user_id, max(amount, 0)))


def test_a_line_for_each_seed(run: Run) -> None:
    outcome = run("--seeds", "2", "--from", "1")
    lines = outcome.stdout.splitlines()
    assert (outcome.exit_code, outcome.stderr, len(lines)) == (0, "", 2)
    assert lines[0].startswith("1: ok, ")
    assert lines[1].startswith("2: ok, ")


def test_a_broken_rule_is_shown_with_the_events_before_it(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_holds(monkeypatch)
    outcome = run("--seeds", "1")
    lines = outcome.stdout.splitlines()
    assert (outcome.exit_code, outcome.stderr) == (1, "To see it again: python -m tests.vopr --from 0 --seeds 1\n")
    assert lines[0].startswith("0: BROKEN, ")
    assert "BrokenInvariantError: I3: balance and hold are" in lines[1]
    assert len(lines) > len(["the seed", "the rule"])


def test_a_broken_seed_is_run_again_in_a_world_of_its_kind(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    forget_holds(monkeypatch)
    outcome = run("--events", "--seeds", "1")
    expected = "To see it again: python -m tests.vopr --events --from 0 --seeds 1\n"
    assert (outcome.exit_code, outcome.stderr) == (1, expected)


def test_json_is_a_line_for_each_seed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = run("--seeds", "1", "--json")
    forget_holds(monkeypatch)
    sick = run("--seeds", "1", "--json")
    assert (sound.exit_code, sick.exit_code) == (0, 1)
    ok, broken = json.loads(sound.stdout), json.loads(sick.stdout)
    assert (ok["seed"], ok["ok"], ok["broken"], ok["events"]) == (0, True, "", [])
    assert (broken["ok"], broken["step"]) == (False, broken["steps"])
    assert broken["events"]
