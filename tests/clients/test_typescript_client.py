"""Tests of the client in TypeScript, as its archive has it, compiled strictly: docs/tour.md, and events."""

import json
import os
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from clients.making import NODE_MODULES, TYPESCRIPT, document, typescript_client, unpacked
from dialer import __version__
from dialer.webhooks.examples import EXAMPLES, example_of
from dialer.webhooks.signing import new_secret, signed_headers
from tests.clients.touring import FIRST, FORWARDED, guide, heard, heard_twice, shown, walk
from tests.optional_tools import find_tool, install_packages
from tests.test_readme import blocks

HERE: Final = Path(__file__).parent
EXAMPLE: Final = TYPESCRIPT / "examples" / "hear-the-end.ts"
FIRST_PROGRAM: Final = TYPESCRIPT / "examples" / "first-campaign.ts"
RECEIVER: Final = TYPESCRIPT / "examples" / "webhook.ts"
PROGRAMS: Final = (HERE / "tour.ts", HERE / "package-checks.ts", EXAMPLE, FIRST_PROGRAM, RECEIVER)
RUN_S_MAX: Final = 300
OPTIONS: Final = {
    "strict": True,
    "noUncheckedIndexedAccess": True,
    "skipLibCheck": True,
    "target": "es2022",
    "module": "nodenext",
    "moduleResolution": "nodenext",
    "noEmitOnError": True,
    "types": ["node"],
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the client, install its archive, and return the folder of compiled programs that use it."""
    find_tool("node")
    install_packages(TYPESCRIPT)
    folder = tmp_path_factory.mktemp("client")
    archive = typescript_client(document(folder), folder / "typescript")
    assert archive.name == f"dialer-client-{__version__}.tgz"
    programs = folder / "programs"
    modules = programs / "node_modules"
    modules.mkdir(parents=True)
    for package in NODE_MODULES.iterdir():
        (modules / package.name).symlink_to(package)
    shutil.move(unpacked(archive, folder), modules / "dialer-client")
    for program in PROGRAMS:
        shutil.copy(program, programs)
    (programs / "package.json").write_text('{"type": "module"}', "utf-8")
    (programs / "guide.ts").write_text(guide("typescript"), "utf-8")
    (programs / "readme.ts").write_text(
        "".join(blocks((TYPESCRIPT / "README.md").read_text("utf-8"), "typescript")), "utf-8"
    )
    names = ["guide.ts", "readme.ts", *(program.name for program in PROGRAMS)]
    (programs / "tsconfig.json").write_text(json.dumps({"compilerOptions": OPTIONS, "files": names}), "utf-8")
    run(programs, str(modules / ".bin" / "tsc"))
    return programs


def run(folder: Path, *command: str, **environ: str) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=RUN_S_MAX,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_client_walks_the_tour(compiled: Path, tmp_path: Path) -> None:
    assert walk(tmp_path, os.environ, "node", str(compiled / "tour.js")) == shown()


def test_the_example_hears_the_end_of_a_campaign(compiled: Path, tmp_path: Path) -> None:
    assert heard(tmp_path, os.environ, "node", str(compiled / "hear-the-end.js")) == [
        "Call 1: answered, cause 16",
        "Call 2: not_answered, cause 17",
        "ended: completed. 1 answered.",
    ]
    assert len(EXAMPLE.read_text("utf-8").splitlines()) <= 40


def test_the_first_program_calls_people_and_a_receiver_gets_the_events(compiled: Path, tmp_path: Path) -> None:
    first, receiver = (("node", str(compiled / f"{path.stem}.js")) for path in (FIRST_PROGRAM, RECEIVER))
    lines, received = heard_twice(tmp_path, os.environ, first, receiver)
    assert (lines, received[:-1]) == (FIRST, FORWARDED)
    assert received[-1].startswith("refused: ")
    assert max(len(path.read_text("utf-8").splitlines()) for path in (FIRST_PROGRAM, RECEIVER)) <= 40


def test_events_and_signatures_hold(compiled: Path, tmp_path: Path) -> None:
    secret, now = new_secret(), datetime.now(UTC)
    bodies = [json.dumps(example_of(kind)) for kind in EXAMPLES]
    events = [{"body": body, "headers": signed_headers([secret], "evt_42", body, now)} for body in bodies]
    (tmp_path / "events.json").write_text(json.dumps({"secret": secret, "events": events}), "utf-8")
    run(compiled, "node", "--test", "package-checks.js", EVENTS=str(tmp_path / "events.json"))


def test_the_example_does_not_compile_with_a_wrong_field_of_an_event(compiled: Path) -> None:
    wrong = compiled / "wrong.ts"
    wrong.write_text(EXAMPLE.read_text("utf-8").replace("event.data.cause", "event.data.because"), "utf-8")
    (compiled / "wrong.json").write_text(json.dumps({"extends": "./tsconfig.json", "files": ["wrong.ts"]}), "utf-8")
    with pytest.raises(AssertionError, match="Property 'because' does not exist"):
        run(compiled, str(compiled / "node_modules" / ".bin" / "tsc"), "-p", "wrong.json")
