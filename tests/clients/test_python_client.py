"""Tests of the client in Python, as its wheel has it: docs/tour.md, events, signatures, and types."""

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Final

import pytest

from clients.making import PYTHON, ROOT, MakingError, document, python_client, run
from dialer import __version__
from tests.clients.touring import FIRST, FORWARDED, guide, heard, heard_twice, shown, walk
from tests.test_readme import blocks

TOUR: Final = Path(__file__).with_name("tour.py")
EXAMPLE: Final = PYTHON / "examples" / "hear_the_end.py"
FIRST_PROGRAM: Final = PYTHON / "examples" / "first_campaign.py"
RECEIVER: Final = PYTHON / "examples" / "webhook.py"
KEPT: Final = ("async_events", "connection", "events", "openings", "webhooks")
CHECK_S_MAX: Final = 300
HERE: Final = Path(__file__).parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the client, install its wheel, and return the folder of the installation."""
    folder = tmp_path_factory.mktemp("client")
    wheel = python_client(document(folder), folder / "python")
    assert wheel.name == f"dialer_client-{__version__}-py3-none-any.whl"
    uv = str(Path(sys.executable).with_name("uv"))
    install = [uv, "pip", "install", "--quiet", "--offline", "--no-deps", "--target", str(folder / "site"), str(wheel)]
    subprocess.run(install, check=True, timeout=CHECK_S_MAX)
    return folder / "site"


@pytest.fixture
def environment(installed: Path) -> dict[str, str]:
    """Return the environment of a program that uses the client. A warning is an error."""
    return {**os.environ, "PYTHONPATH": str(installed), "PYTHONWARNINGS": "error"}


def test_the_client_walks_the_tour(environment: dict[str, str], tmp_path: Path) -> None:
    assert walk(tmp_path, environment, sys.executable, str(TOUR)) == shown()


def test_the_example_hears_the_end_of_a_campaign(environment: dict[str, str], tmp_path: Path) -> None:
    assert heard(tmp_path, environment, sys.executable, str(EXAMPLE)) == [
        "Call 1: answered, cause 16",
        "Call 2: not_answered, cause 17",
        "ended: completed. 1 answered.",
    ]
    assert len(EXAMPLE.read_text("utf-8").splitlines()) <= 40


def test_the_first_program_calls_people_and_a_receiver_gets_the_events(
    environment: dict[str, str], tmp_path: Path
) -> None:
    receiver = (sys.executable, str(RECEIVER))
    lines, received = heard_twice(tmp_path, environment, (sys.executable, str(FIRST_PROGRAM)), receiver)
    assert (lines, received[:-1]) == (FIRST, FORWARDED)
    assert received[-1].startswith("refused: ")
    assert max(len(path.read_text("utf-8").splitlines()) for path in (FIRST_PROGRAM, RECEIVER)) <= 40


def test_events_and_signatures_hold(environment: dict[str, str]) -> None:
    """Tests of the parts that are kept, against the package as it is installed."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:schemathesis", "-n", "0"]
    checks = [str(HERE / "package_checks.py"), "--rootdir", str(HERE), "--confcutdir", str(HERE)]
    done = subprocess.run(
        [*command, *checks], env=environment, capture_output=True, text=True, timeout=CHECK_S_MAX, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_has_the_licence_and_says_that_it_is_typed(installed: Path) -> None:
    (information,) = installed.glob("dialer_client-*.dist-info")
    assert (information / "licenses" / "LICENSE").read_text("utf-8") == (ROOT / "LICENSE").read_text("utf-8")
    assert (installed / "dialer_client" / "py.typed").exists()


def test_the_requirements_of_the_wheel_are_those_that_it_is_tested_with(installed: Path) -> None:
    (information,) = installed.glob("dialer_client-*.dist-info")
    needed = re.findall(
        r"^Requires-Dist: ([\w-]+)>=([\d.]+)$", (information / "METADATA").read_text("utf-8"), re.MULTILINE
    )
    assert {name for name, _ in needed} == {"attrs", "httpx", "standardwebhooks"}
    assert [name for name, least in needed if parts(version(name)) < parts(least)] == []


def parts(number: str) -> list[int]:
    """Return the parts of the number of a version."""
    return [int(part) for part in number.split(".")]


def test_a_program_that_fails_is_told(tmp_path: Path) -> None:
    with pytest.raises(MakingError, match="no such document"):
        run(tmp_path, sys.executable, "-c", "import sys; sys.exit('no such document')")


def test_the_parts_that_are_kept_and_the_programs_are_typed(installed: Path, tmp_path: Path) -> None:
    (readme,) = blocks((PYTHON / "README.md").read_text("utf-8"), "python")
    guides = {"guide.py": guide("python"), "async_guide.py": guide("py"), "readme.py": readme}
    for name, program in guides.items():
        (tmp_path / name).write_text(program, "utf-8")
    modules = [str(tmp_path / name) for name in guides] + [
        str(installed / "dialer_client" / f"{name}.py") for name in KEPT
    ]
    options = ["--strict", "--config-file=", "--follow-imports=silent", "--cache-dir", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *modules, str(TOUR), *map(str, (EXAMPLE, FIRST_PROGRAM, RECEIVER))],
        env={**os.environ, "MYPYPATH": str(installed)},
        capture_output=True,
        text=True,
        timeout=CHECK_S_MAX,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
