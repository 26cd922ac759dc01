"""A test of a client that openapi-typescript makes from the OpenAPI document, compiled strictly and run."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.end_to_end.service import wav
from tests.optional_tools import find_tool, install_packages
from tests.test_server import ADMIN, DIALER, PASSWORD, VIRTUAL, serving

SOURCES = Path(__file__).parents[1] / "clients" / "typescript"
MODULES = SOURCES / "node_modules"
STEP_S_MAX = 300
OPTIONS = ("openapi.json", "--output", "schema.ts", "--enum", "--default-non-nullable=false")
GUIDE = Path(__file__).parents[2] / "docs" / "clients.md"


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=STEP_S_MAX, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def workflow(tmp_path: Path) -> Path:
    """Generate and compile the client with its program, and return the compiled program."""
    find_tool("node")
    install_packages(SOURCES)
    folder = tmp_path / "client"
    folder.mkdir()
    (folder / "node_modules").symlink_to(MODULES)
    for name in ("package.json", "tsconfig.json", "workflow.ts"):
        shutil.copy(SOURCES / name, folder)
    (folder / "openapi.json").write_text(run(folder, str(DIALER), "openapi"), "utf-8")
    bin_folder = MODULES / ".bin"
    run(folder, str(bin_folder / "openapi-typescript"), *OPTIONS)
    run(folder, str(bin_folder / "tsc"))
    return folder / "workflow.js"


def test_the_guide_has_the_tested_command() -> None:
    assert f"npx openapi-typescript {' '.join(OPTIONS)}\n" in GUIDE.read_text("utf-8")


def test_the_typescript_client_runs_a_campaign(workflow: Path, tmp_path: Path) -> None:
    (tmp_path / "hello.wav").write_bytes(wav(2))
    with serving(tmp_path, **ADMIN, **VIRTUAL) as served:
        said = run(
            tmp_path,
            "node",
            str(workflow),
            served.base.removesuffix("/rest-api/"),
            "root",
            PASSWORD,
            str(tmp_path / "hello.wav"),
        )
    assert json.loads(said) == {
        "status": "END",
        "reason": "completed",
        "imported": [2, 1, 4],
        "calls": [["+12025550100", 16], ["+12025550101", 16], ["+12025550102", 16]],
        "lines": 4,
        "answers": ["yes"],
        "refused": {"phonebook": ["Invalid hyperlink - Object does not exist."]},
    }
