"""Tests of the jobs of continuous integration: where one fails, so does the run, and each job's output is printed."""

import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.optional_tools import find_tool
from tests.setup.wheels import ROOT

LINES_SHOWN: Final = 60
NUMBERS: Final = [str(number) for number in range(1, 101)]


def run(script: str) -> tuple[int, list[str]]:
    """Run a script of jobs, and return its exit status and the lines that it printed."""
    source = f"set -euo pipefail; . '{Path(ROOT) / '.ci' / 'jobs.sh'}'; {script}"
    done = subprocess.run([find_tool("bash"), "-c", source], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_the_last_lines_of_each_job_are_printed_if_all_pass() -> None:
    status, lines = run("beside lint echo fine; beside suite seq 100; report lint suite")
    assert (status, lines) == (0, ["=== lint", "fine", "=== suite", *NUMBERS[-LINES_SHOWN:]])


@pytest.mark.parametrize(
    ("first", "second", "failed"),
    [
        ("bash -c 'echo wrong; exit 2'", "seq 100", "lint"),
        ("echo wrong", "bash -c 'seq 100; exit 1'", "suite"),
        ("bash -c 'echo wrong; exit 2'", "bash -c 'seq 100; exit 1'", "lint suite"),
    ],
)
def test_all_lines_of_each_job_are_printed_if_one_fails(first: str, second: str, failed: str) -> None:
    status, lines = run(f"beside lint {first}; beside suite {second}; report lint suite")
    assert (status, lines) == (1, ["=== lint", "wrong", "=== suite", *NUMBERS, f"=== failed: {failed}"])


def test_a_job_that_is_followed_is_printed_once_and_its_failure_waits_for_the_others() -> None:
    script = "beside lint echo fine; beside suite bash -c 'seq 100; exit 3'"
    status, lines = run(f"{script}; follow suite; report lint suite")
    assert (status, lines) == (1, [*NUMBERS, "=== lint", "fine", "=== suite", "(above)", "=== failed: suite"])


def test_the_tests_that_failed_are_the_last_lines() -> None:
    """The middle of a long output may be lost."""
    names = ["FAILED tests/test_a.py::test_b - assert 1", "ERROR tests/test_c.py"]
    printing = f'printf "%s\\n" "{names[0]}" said "{names[1]}"'
    status, lines = run(f"beside suite bash -c '{printing}; exit 1'; beside lint echo fine; report suite lint")
    printed = ["=== suite", names[0], "said", names[1], "=== lint", "fine", "=== failed: suite"]
    assert (status, lines) == (1, [*printed, *names])
