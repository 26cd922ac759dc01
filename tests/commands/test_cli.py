"""Tests of features that all commands share."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from dialer import __version__, cli
from dialer.commands import version
from dialer.commands.version import version_in_words
from dialer.time_zone_rules import RULES
from tests.commands.conftest import Outcome, Run
from tests.new_database import new_file

DIALER = Path(sys.executable).with_name("dialer")
FULL = Path("/dev/full")
"""A device that refuses every write, as a full disk does."""
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
    ["report"],
    ["top"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_help_has_examples_before_its_options(run: Run, command: list[str]) -> None:
    helped = run(*command, "--help")
    assert (helped.code, helped.err) == (0, "")
    assert 0 < helped.out.index("Examples:") < helped.out.index("--help")


def test_the_version_is_printed(run: Run) -> None:
    assert run("--version") == Outcome(0, f"dialer, version {version_in_words()}\n{RULES.in_words()}\n", "")


def test_the_version_of_a_checkout_has_its_commit(tmp_path: Path) -> None:
    assert version_in_words(tmp_path) == __version__
    git = ("git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.com")
    subprocess.run([*git, "init", "--quiet"], check=True)
    assert version_in_words(tmp_path) == __version__
    subprocess.run([*git, "commit", "--quiet", "--allow-empty", "--message", "A commit"], check=True)
    found = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout
    assert version_in_words(tmp_path) == f"{__version__} (commit {found[:8]})"


def test_a_wheel_has_its_commit_in_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(version, "__version__", "0.1.0+7.g1ef23857")
    (tmp_path / ".git").mkdir()
    assert version_in_words(tmp_path) == "0.1.0+7.g1ef23857"


@pytest.mark.parametrize("arguments", [["nonsense"], ["users", "nonsense"], ["users", "list", "--nonsense"]])
def test_wrong_usage_is_exit_code_2_with_a_hint(run: Run, arguments: list[str]) -> None:
    outcome = run(*arguments)
    assert (outcome.code, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.rstrip().endswith("--help")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["key"], "No such command 'key'. Did you mean 'keys'? Try: dialer --help"),
        (["keys", "creat"], "No such command 'creat'. Did you mean 'create'? Try: dialer keys --help"),
        (["users", "list", "--jsn"], "No such option '--jsn'. Did you mean '--json'? Try: dialer users list --help"),
        (["qqq"], "No such command 'qqq'; try: dialer --help"),
    ],
)
def test_a_wrong_name_is_told_with_the_name_that_is_like_it(run: Run, arguments: list[str], message: str) -> None:
    assert run(*arguments) == Outcome(2, "", f"dialer: {message}\n")


def test_a_wrong_setting_is_told_in_one_line(run: Run) -> None:
    line = "dialer: DIALER_SEED is 'x': it may hold a whole number from 0 to 9223372036854775807\n"
    assert run("users", "list", DIALER_SEED="x") == Outcome(1, "", line)


@pytest.mark.parametrize("name", cli._EXPECTED)  # noqa: SLF001 - no other test checks these names
def test_every_expected_error_is_one(name: str) -> None:
    """The expected errors are named by text, so this test fails if one is renamed."""
    module, _, kind = name.rpartition(".")
    assert issubclass(getattr(importlib.import_module(module), kind), Exception)


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("command", ["--help", "openapi", "users list", "users list --json", "serve --port 0"])
def test_output_that_cannot_be_written_is_told_in_one_line(tmp_path: Path, command: str) -> None:
    new_file(tmp_path)
    with FULL.open("w") as full:
        done = subprocess.run(
            [DIALER, *command.split()], cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert Outcome(1, "", done.stderr).told[-1] == "cannot write the output: No space left on device"
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not FULL.exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize(("command", "code"), [("nonsense", 2), ("users passwd nobody --password-stdin", 1)])
def test_a_failure_that_cannot_be_told_keeps_its_exit_code(tmp_path: Path, command: str, code: int) -> None:
    with FULL.open("w") as full:
        done = subprocess.run(
            [DIALER, *command.split()], cwd=tmp_path, stderr=full, input="correct horse battery", text=True, check=False
        )
    assert done.returncode == code
