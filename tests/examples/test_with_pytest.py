"""Tests of the example project: its own tests pass, and notice a program that does something else."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

PROJECT: Final = Path(__file__).parents[2] / "examples" / "with-pytest"
RUN_S_MAX: Final = 120


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Copy the project."""
    return shutil.copytree(PROJECT, tmp_path / "project", ignore=shutil.ignore_patterns("__pycache__", ".*"))


def outcome(folder: Path) -> tuple[int, str]:
    """Run the tests of a project, and return the exit code and the counts of the last line."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:schemathesis"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=RUN_S_MAX, check=False)
    assert done.stderr == ""
    return done.returncode, re.sub(r" in [0-9.]+s.*", "", done.stdout.splitlines()[-1])


def test_the_tests_of_the_project_pass(project: Path) -> None:
    assert outcome(project) == (0, "3 passed")


def test_the_tests_of_the_project_notice_another_number_of_attempts(project: Path) -> None:
    program = project / "reminders.py"
    program.write_text(program.read_text("utf-8").replace("maxretry=1", "maxretry=2"), "utf-8")
    assert outcome(project) == (1, "1 failed, 2 passed")
