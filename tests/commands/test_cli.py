"""What every command has in common."""

import importlib

import pytest

from dialer import __version__, cli
from tests.commands.conftest import Outcome, Run

COMMANDS = [
    [],
    ["serve"],
    ["users"],
    ["users", "create"],
    ["users", "passwd"],
    ["users", "list"],
    ["database"],
    ["database", "upgrade"],
    ["openapi"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_help_has_examples_before_its_options(run: Run, command: list[str]) -> None:
    helped = run(*command, "--help")
    assert (helped.code, helped.err) == (0, "")
    assert 0 < helped.out.index("Examples:") < helped.out.index("--help")


def test_the_version_is_printed(run: Run) -> None:
    assert run("--version") == Outcome(0, f"dialer, version {__version__}\n", "")


@pytest.mark.parametrize("arguments", [["nonsense"], ["users", "nonsense"], ["users", "list", "--nonsense"]])
def test_wrong_usage_is_exit_code_2_with_a_hint(run: Run, arguments: list[str]) -> None:
    outcome = run(*arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.rstrip().endswith("--help")


def test_a_wrong_setting_is_told_in_one_line(run: Run) -> None:
    line = "dialer: DIALER_SEED is 'x': it may hold a whole number from 0 to 9223372036854775807\n"
    assert run("users", "list", DIALER_SEED="x") == Outcome(1, "", line)


@pytest.mark.parametrize("name", cli._EXPECTED)  # noqa: SLF001 - the names are checked nowhere else
def test_every_expected_error_is_one(name: str) -> None:
    """The errors told in one line are named by text, so that a renamed one must fail here."""
    module, _, kind = name.rpartition(".")
    assert issubclass(getattr(importlib.import_module(module), kind), Exception)
