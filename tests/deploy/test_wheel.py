"""Tests of the wheel: it installs into a fresh environment, and has everything that the commands need."""

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

import httpx
import pytest

ROOT: Final = Path(__file__).parents[2]
UV: Final = Path(sys.executable).with_name("uv")
MODULES_MIN: Final = 300
FIRST_CALL_S_MAX: Final = 30
"""The time from the first `dialer dev` in an empty environment to the first finished call."""
READY: Final = "dialer is ready at "
ENVIRONMENT: Final = {
    name: value for name, value in os.environ.items() if not name.startswith(("DIALER_", "VIRTUAL_ENV", "PYTHON"))
}


def uv(*arguments: str | Path) -> str:
    done = subprocess.run([UV, "--quiet", *arguments], cwd=ROOT, env=ENVIRONMENT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    uv("build", "--wheel", "--out-dir", folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def constraints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the versions of the lock file."""
    file = tmp_path_factory.mktemp("versions") / "constraints.txt"
    uv("export", "--frozen", "--no-dev", "--no-emit-project", "--no-hashes", "--output-file", file)
    return file


@pytest.fixture(scope="module")
def installed(wheel: Path, constraints: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into a fresh environment, with the versions of the lock file. Return its `dialer`."""
    folder = tmp_path_factory.mktemp("venv")
    uv("venv", "--python", sys.executable, folder / "fresh")
    uv("pip", "install", "--python", folder / "fresh", "--constraints", constraints, wheel)
    return folder / "fresh" / "bin" / "dialer"


def run(command: Path, folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [command, *arguments], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("dialer/") and name[-1] != "/"}
    ours = {path.relative_to(ROOT / "src").as_posix() for path in (ROOT / "src").rglob("*") if path.is_file()}
    assert packed == {name for name in ours if "__pycache__" not in name}


def test_every_installed_module_finds_what_it_imports(installed: Path, tmp_path: Path) -> None:
    """A library that only the development environment has would be missing here."""
    program = (
        "import importlib, pkgutil, re, dialer; "
        "found = [one.name for one in pkgutil.walk_packages(dialer.__path__, 'dialer.')]; "
        "left_out = r'migrations\\.|__main__|backends\\.postgresql|dialer\\.mcp\\.|testing\\.plugin'; "
        "names = [name for name in found if not re.search(left_out, name)]; "
        "print(len([importlib.import_module(name) for name in names]))"
    )
    # psycopg and mcp are extras, migrations are found by their files, and only pytest imports its plugin.
    assert int(run(installed.with_name("python"), tmp_path, "-c", program)) > MODULES_MIN


def test_the_installed_service_starts_and_commands_see_its_users(installed: Path, tmp_path: Path) -> None:
    admin = {"DIALER_ADMIN_USERNAME": "anna", "DIALER_ADMIN_PASSWORD": "anna has a long password"}
    with subprocess.Popen(
        [installed, "serve", "--port", "0"],
        cwd=tmp_path,
        env={**ENVIRONMENT, **admin},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            line = process.stdout.readline() if process.stdout else ""
            assert line.startswith(READY)
            address = line.removeprefix(READY).strip().removesuffix("/rest-api/")
            assert httpx.get(f"{address}/health/ready", trust_env=False).json() == {"status": "ok"}
            assert httpx.get(f"{address}/schema/openapi.json", trust_env=False).json()["info"]["title"]
            users = json.loads(run(installed, tmp_path, "users", "list", "--json"))
            assert [user["username"] for user in users] == ["anna"]
        finally:
            process.terminate()
    assert process.returncode == 0


def test_the_installed_program_shows_a_finished_simulated_call_within_half_a_minute(
    installed: Path, tmp_path: Path
) -> None:
    """The limit is that of the process: its first line of figures has calls that are over."""
    command = [str(installed), "dev", "--port", "0", "--folder", str(tmp_path / "dev")]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=ENVIRONMENT,
        input="q\n",
        capture_output=True,
        text=True,
        check=False,
        timeout=FIRST_CALL_S_MAX,
    )
    assert (done.returncode, done.stderr) == (0, "")
    records = re.search(r"calls over: (\d+)$", done.stdout, re.MULTILINE)
    assert records is not None
    assert int(records[1]) > 0


def test_the_wheel_runs_without_an_installation(wheel: Path, constraints: Path) -> None:
    printed = uv("tool", "run", "--constraints", constraints, "--from", wheel, "dialer", "demo")
    assert "figures of the API checked against call detail records and input files" in printed
