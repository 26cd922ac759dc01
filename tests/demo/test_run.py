"""Tests of `dialer demo`, run as by a new user."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from dialer.demo.checks import Checks
from dialer.demo.display import WIDTH
from dialer.demo.run import conclude

ROOT = Path(__file__).parents[2]
PAGES = ("README.md", "docs/tour.md")


def demo(folder: Path, *arguments: str, hash_seed: str) -> "subprocess.Popen[str]":
    """Start a demonstration."""
    return subprocess.Popen(
        [sys.executable, "-c", "from dialer.cli import main; main()", "demo", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


def test_it_prints_the_report_that_pages_show_and_keeps_the_day(tmp_path: Path) -> None:
    """Another process with another hash seed made the reports in these pages."""
    run = demo(tmp_path, "--keep", "day", hash_seed="2")
    report, errors = run.communicate()
    assert run.returncode == 0, errors
    assert max(map(len, report.splitlines())) <= WIDTH
    assert {path.name for path in (tmp_path / "day").iterdir()} > {"dialer.db", "cdr.csv", "welcome.wav"}
    for page in PAGES:
        assert picture(page)
        assert [line for line in picture(page) if line not in report.splitlines()] == []


def picture(page: str) -> list[str]:
    """Return the lines of the report that a page shows; the page marks omitted lines."""
    _, _, rest = (ROOT / page).read_text("utf-8").partition("```text\n$ make demo\n")
    return [line for line in rest.partition("```")[0].splitlines() if line.strip() != "…"]


def test_a_difference_is_told_and_makes_the_demonstration_fail(capsys: pytest.CaptureFixture[str]) -> None:
    checks = Checks()
    checks.same("calls", 3, 3)
    checks.same("answered", 2, 1)
    assert conclude(Console(width=100), checks) is False
    assert capsys.readouterr().out == "\n✗ answered: 2 by the API, 1 by the records\n"
