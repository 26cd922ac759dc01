"""Tests of the wheel: it installs into a fresh environment, and has everything that the commands need."""

import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.dev.patience import without_waiting
from tests.patience import ANSWER_S_MAX

ROOT: Final = Path(__file__).parents[2]
PROJECT: Final = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
UV: Final = Path(sys.executable).with_name("uv")
MODULES_MIN: Final = 300
FIRST_CALL_CPU_S_MAX: Final = 30
"""The computing time from the first `dialer dev` in an empty environment to its end, with a finished call between."""
WORK_S_MAX: Final = 300
"""A machine that does much else may take as long."""
READY: Final = "dialer is ready at "
ENVIRONMENT: Final = {
    name: value for name, value in os.environ.items() if not name.startswith(("DIALER_", "VIRTUAL_ENV", "PYTHON"))
}


def uv(*arguments: str | Path) -> str:
    done = subprocess.run([UV, "--quiet", *arguments], cwd=ROOT, env=ENVIRONMENT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def children_cpu_s() -> float:
    """Return the computing time of all processes that this one has waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def build(root: Path, folder: Path) -> Path:
    """Build the wheel of a checkout as `make wheel` does."""
    command = ["sh", "setup/wheel.sh", str(folder)]
    done = subprocess.run(command, cwd=root, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def constraints(wheel: Path) -> Path:
    """Return the file with the versions of the lock file."""
    return wheel.with_name("constraints.txt")


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
    help_pages = {f"dialer/help/{page.name}" for page in (ROOT / "docs").glob("*.md")}
    assert packed == {name for name in ours if "__pycache__" not in name} | help_pages


def git(folder: Path, *arguments: str) -> str:
    names = ("-c", "user.name=Anna", "-c", "user.email=anna@example.com")
    command = ["git", *names, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout


def test_a_newer_commit_makes_a_newer_version_and_no_history_the_plain_one(tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    (root / ".venv" / "bin").mkdir(parents=True)
    (root / ".venv" / "bin" / "uv").symlink_to(UV)
    for name in ("pyproject.toml", "uv.lock", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, root)
    for folder in ("setup", "src/dialer"):
        (root / folder).mkdir(parents=True)
    shutil.copy(ROOT / "setup" / "wheel.sh", root / "setup")
    (root / "src" / "dialer" / "__init__.py").touch()
    names = [build(root, tmp_path / "plain").name]
    git(root, "init", "--quiet")
    for number in (1, 2):
        git(root, "commit", "--quiet", "--allow-empty", "--message", f"Commit {number}")
        names.append(build(root, tmp_path / "dist").name)
    commits = git(root, "log", "--reverse", "--format=%h", "--abbrev=8").split()
    versions = ["", *(f"+{number}.g{commit}" for number, commit in enumerate(commits, 1))]
    assert names == [f"dialer-{PROJECT['version']}{end}-py3-none-any.whl" for end in versions]
    assert len([*(tmp_path / "dist").glob("*.whl")]) == 1


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
            event = json.loads(line)["event"]
            assert event.startswith(READY)
            address = event.removeprefix(READY).removesuffix("/rest-api/")
            assert httpx.get(f"{address}/health/ready", trust_env=False, timeout=ANSWER_S_MAX).json() == {
                "status": "ok"
            }
            document = httpx.get(f"{address}/schema/openapi.json", trust_env=False, timeout=ANSWER_S_MAX)
            assert document.json()["info"]["title"]
            users = json.loads(run(installed, tmp_path, "users", "list", "--json"))
            assert [user["username"] for user in users] == ["anna"]
        finally:
            process.terminate()
    assert process.returncode == 0


def test_the_installed_program_shows_a_finished_simulated_call_within_half_a_minute(
    installed: Path, tmp_path: Path
) -> None:
    """The limit is that of the process, which a busy machine keeps as well: its first figures have finished calls."""
    command = [str(installed), "dev", "--port", "0", "--folder", str(tmp_path / "dev")]
    before_s = children_cpu_s()
    done = subprocess.run(
        command,
        cwd=tmp_path,
        env=ENVIRONMENT,
        input="q\n",
        capture_output=True,
        text=True,
        check=False,
        timeout=WORK_S_MAX,
    )
    assert (done.returncode, without_waiting(done.stderr)) == (0, "")
    assert children_cpu_s() - before_s < FIRST_CALL_CPU_S_MAX
    records = re.search(r"calls over: (\d+)$", done.stdout, re.MULTILINE)
    assert records is not None
    assert int(records[1]) > 0


def test_the_wheel_runs_without_an_installation(wheel: Path, constraints: Path) -> None:
    printed = uv("tool", "run", "--constraints", constraints, "--from", wheel, "dialer", "demo")
    assert "figures of the API checked against call detail records and input files" in printed
