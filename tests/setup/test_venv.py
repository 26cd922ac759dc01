"""Tests of `make setup` with interpreters of every kind: which one it takes, and what it says if none fits."""

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.setup.wheels import ROOT

MADE_OF: Final = ("Makefile", "pyproject.toml", "setup", "uv.lock")
TOOLS: Final = ("sh", "make", "git", "awk", "cat", "cp", "cut", "expr", "mkdir", "mktemp", "rm", "sed", "tr")
WAY_OUT: Final = (
    "install one of them, name it with PYTHON=/path/to/python3.14, "
    "or let uv download one: make setup PYTHON_DOWNLOADS=yes"
)
INTERPRETER: Final = """#!/bin/sh
case "$*" in
    *version_info*) echo {version} ;;
    *ensurepip*) exit {lacks_ensurepip} ;;
    --version) echo Python {version}.2 ;;
    "-m venv"*)
        for folder; do :; done
        mkdir -p "$folder/bin"
        cp "$0" "$folder/bin/python"
        cp "{folder}/uv.sh" "$folder/bin/uv" ;;
    "-m pip"*) echo "pip {version}" >>"{folder}/done" ;;
esac
"""
UV: Final = """#!/bin/sh
echo "uv $*" >>"{folder}/done"
case "$*" in
    --version) echo uv {version} ;;
    "python find"*) echo "{folder}/downloaded" ;;
esac
"""


class Machine:
    """A checkout on a machine that has a few programs, and interpreters that only say which version they are."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.checkout = folder / "dialer"
        self.checkout.mkdir()
        for name in MADE_OF:
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, self.checkout / name)
        (folder / "bin").mkdir()
        for tool in TOOLS:
            found = shutil.which(tool)
            assert found is not None
            (folder / "bin" / tool).symlink_to(found)
        (version,) = re.findall(r"^UV_VERSION := (\S+)$", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
        self._write(folder / "uv.sh", UV.format(folder=folder, version=version))

    def install(self, name: str, version: str, *, lacks_ensurepip: bool = False) -> None:
        """Install an interpreter, in the path unless its name is absolute."""
        text = INTERPRETER.format(version=version, lacks_ensurepip=int(lacks_ensurepip), folder=self._folder)
        self._write(self._folder / "bin" / name, text)

    def install_uv(self) -> None:
        self._write(self._folder / "bin" / "uv", (self._folder / "uv.sh").read_text("utf-8"))

    def make(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run make in the checkout."""
        command = ["make", "--no-print-directory", *arguments]
        environment = {"PATH": str(self._folder / "bin"), "HOME": str(self._folder)}
        return subprocess.run(command, cwd=self.checkout, env=environment, capture_output=True, text=True, check=False)

    def said(self, *arguments: str) -> str:
        """Return the first line of what make says when it cannot set up."""
        done = self.make("setup", *arguments)
        assert done.returncode != 0
        assert not (self.checkout / ".venv" / ".ready").exists()
        return done.stderr.splitlines()[0]

    def done(self) -> list[str]:
        """Return the programs that were started to install something."""
        return (self._folder / "done").read_text("utf-8").splitlines()

    @staticmethod
    def _write(path: Path, text: str) -> None:
        path.write_text(text, "utf-8")
        path.chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize(
    ("installed", "taken"),
    [
        ({"python3": "3.11"}, "3.11"),
        ({"python3": "3.15", "python3.12": "3.12", "python3.11": "3.11"}, "3.12"),
        ({"python3": "3.9", "python3.14": "3.14"}, "3.14"),
        ({"python": "3.13"}, "3.13"),
    ],
)
def test_the_newest_one_that_fits_is_taken(machine: Machine, installed: dict[str, str], taken: str) -> None:
    for name, version in installed.items():
        machine.install(name, version)
    done = machine.make("setup")
    assert (done.returncode, done.stdout) == (0, f"Building .venv with Python {taken}.2\n")
    assert machine.done() == [f"pip {taken}", "uv sync --frozen --compile-bytecode --quiet"]
    assert (machine.checkout / ".venv" / ".ready").read_text() == f"{machine.checkout}\n"


def test_what_is_whole_is_brought_up_to_date_without_any_interpreter(machine: Machine) -> None:
    machine.install("python3", "3.13")
    assert machine.make("setup").returncode == 0
    machine.install("python3", "3.15")
    (machine.checkout / "uv.lock").touch()
    os.utime(machine.checkout / ".venv" / ".ready", (0, 0))
    assert machine.make("setup").stdout == "Bringing .venv up to date\n"


@pytest.mark.parametrize(("version", "age"), [("3.15", "newer"), ("3.10", "older"), ("2.7", "older")])
def test_a_machine_with_another_version_only_is_told_so_with_a_way_out(
    machine: Machine, version: str, age: str
) -> None:
    machine.install("python3", version)
    assert machine.said() == (
        f"make: dialer runs on Python 3.11 to 3.14, and this machine has Python {version}, which is {age}: {WAY_OUT}"
    )


def test_a_machine_without_any_is_told_what_was_tried(machine: Machine) -> None:
    tried = "python3.14 python3.13 python3.12 python3.11 python3 python"
    assert machine.said() == f"make: Python 3.11 to 3.14 is missing (tried: {tried}): {WAY_OUT}"


def test_an_interpreter_that_is_named_is_the_only_one_tried(machine: Machine) -> None:
    machine.install("python3", "3.13")
    machine.install("mine", "3.15")
    assert machine.said("PYTHON=mine") == (
        f"make: dialer runs on Python 3.11 to 3.14, and mine has Python 3.15, which is newer: {WAY_OUT}"
    )


def test_one_without_ensurepip_is_named_unless_another_is_whole(machine: Machine) -> None:
    machine.install("python3.13", "3.13", lacks_ensurepip=True)
    assert machine.said() == (
        "make: python3.13 comes without ensurepip, which builds .venv: "
        "install it (Debian and Ubuntu: apt install python3-venv)"
    )
    machine.install("python3.12", "3.12")
    assert machine.make("setup").returncode == 0


@pytest.mark.parametrize("has_uv", [True, False])
def test_uv_downloads_one_only_if_somebody_says_so(machine: Machine, has_uv: bool) -> None:  # noqa: FBT001 - a parameter
    machine.install("python3", "3.15")
    machine.install("../downloaded", "3.14")
    if has_uv:
        machine.install_uv()
    assert machine.said().endswith(WAY_OUT)
    done = machine.make("setup", "PYTHON_DOWNLOADS=yes")
    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        ["Downloading Python 3.14 with uv, as PYTHON_DOWNLOADS=yes says", "Building .venv with Python 3.14.2"],
    )
    own = [] if has_uv else ["pip 3.15"]
    fetched = ["uv python install 3.14", "uv python find --managed-python 3.14"]
    assert machine.done() == [*own, *fetched, "pip 3.14", "uv sync --frozen --compile-bytecode --quiet"]


def test_nothing_is_downloaded_while_one_fits(machine: Machine) -> None:
    machine.install("python3", "3.11")
    machine.install_uv()
    assert machine.make("setup", "PYTHON_DOWNLOADS=yes").returncode == 0
    assert machine.done() == ["pip 3.11", "uv sync --frozen --compile-bytecode --quiet"]


def test_without_a_program_to_download_with_it_says_what_is_missing(machine: Machine) -> None:
    said = machine.make("setup", "PYTHON_DOWNLOADS=yes").stderr.splitlines()[0]
    assert said == "make: to download a Python, uv or any Python 3 with venv is needed: install one of them"
