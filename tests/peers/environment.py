"""The environment of the telephones that are libraries for Python. It is built when the first of them is called."""

import fcntl
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.optional_tools import INSTALL_S_MAX, leave_out

PROGRAMS: Final = Path(__file__).parent / "programs"
REQUIREMENTS: Final = PROGRAMS / "requirements.txt"
FOLDER: Final = Path(__file__).parents[2] / ".venv-telephones"
_STAMP: Final = FOLDER / ".ready"


def python_of_peers() -> Path:
    """Return the Python of the environment, which is built anew when its requirements have changed.

    If it cannot be built, leave the test out. Under CI=true, fail.
    """
    wanted = REQUIREMENTS.read_text("utf-8")
    with (PROGRAMS / "requirements.txt").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # Several processes may run tests.
        if not _STAMP.exists() or _STAMP.read_text("utf-8") != wanted:
            _build()
            _STAMP.write_text(wanted, "utf-8")
    return FOLDER / "bin" / "python"


def _build() -> None:
    uv = str(Path(sys.executable).with_name("uv"))
    python = str(FOLDER / "bin" / "python")
    for command in (
        (uv, "venv", "--quiet", "--clear", "--python", sys.executable, str(FOLDER)),
        (uv, "pip", "install", "--quiet", "--python", python, "--require-hashes", "--requirement", str(REQUIREMENTS)),
    ):
        done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_S_MAX, check=False)
        if done.returncode:
            leave_out(f"the telephones in Python cannot be installed: {done.stderr[-500:]}")
