"""Tests of the kinds of tests: the tables name what exists, and quick tests are quick because they are pure."""

import re
from pathlib import Path
from typing import Final

import pytest

from tests.databases.modules import BESIDE, CONTRACT, FOLDERS
from tests.kinds import (
    END_TO_END,
    LONG,
    MODULES_OF,
    PROGRAMS,
    QUICK,
    ROOT,
    WITH_SERVICE,
    is_quick,
    starts_programs,
)

IMPORT: Final = re.compile(r"^ *(?:from|import) ([\w.]+)", re.MULTILINE)
STARTERS: Final = ("subprocess", "socket", "multiprocessing", "playwright")
"""Modules with which a test starts a program or opens a socket."""
SERVERS: Final = ("tests.forked", "tests.optional_tools", "tests.test_server", "tests.carriers.sip.sipp")
SERVICE: Final = (
    "dialer.api",
    "dialer.store.database.database",
    "dialer.runtime.steps.worker",
    "sqlalchemy",
    "litestar",
)
"""The parts of a service that takes requests and writes rows."""


def uses(module: Path, packages: tuple[str, ...]) -> bool:
    """Return whether a test imports something of these packages."""
    names = IMPORT.findall(module.read_text("utf-8"))
    return any(f"{name}.".startswith(f"{package}.") for name in names for package in packages)


MODULES: Final = sorted(ROOT.rglob("test_*.py"))


@pytest.mark.parametrize("place", sorted(QUICK | PROGRAMS | LONG | WITH_SERVICE | FOLDERS | CONTRACT | BESIDE.keys()))
def test_every_place_exists(place: str) -> None:
    assert (ROOT / place).exists()


def test_tests_that_start_programs_are_marked() -> None:
    assert [path for path in MODULES if uses(path, STARTERS + SERVERS) and not starts_programs(path)] == []


def test_quick_tests_are_pure_but_for_one_path_from_end_to_end() -> None:
    assert [path for path in MODULES if is_quick(path) and uses(path, SERVICE)] == []
    assert is_quick(ROOT / END_TO_END)


@pytest.mark.parametrize(
    ("expression", "has_some", "has_none"),
    [
        ("quick", {"sim/test_transfers.py"}, {"api/test_stateful.py", "test_server.py"}),
        ("programs", {"test_server.py"}, {"sim/test_transfers.py", "api/test_stateful.py"}),
        ("not programs", {"sim/test_transfers.py", "api/test_stateful.py"}, {"test_server.py"}),
        ("contract", {"store/moving/test_move.py", "runtime/test_shared_desks.py"}, {"sim/test_transfers.py"}),
    ],
)
def test_modules_without_tests_of_the_wanted_kind_are_not_imported(
    expression: str, has_some: set[str], has_none: set[str]
) -> None:
    assert {place for place in has_some | has_none if MODULES_OF[expression](ROOT / place)} == has_some


def test_the_domain_and_the_simulator_are_quick() -> None:
    assert is_quick(ROOT / "domain" / "engine" / "test_retry.py")
    assert is_quick(ROOT / "sim" / "test_transfers.py")
    assert not is_quick(ROOT / "runtime" / "test_worker.py")
