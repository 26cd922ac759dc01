"""Tests of `dialer completion`: shells complete commands and options."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.commands.conftest import Run

BASH: Final = shutil.which("bash") or ""
DIALER: Final = Path(sys.executable).with_name("dialer")


@pytest.mark.skipif(not BASH, reason="needs bash")
@pytest.mark.parametrize(
    ("line", "offered"),
    [("dialer us", ["users"]), ("dialer users pass", ["passwd"]), ("dialer users list --js", ["--json"])],
)
def test_bash_completes_a_line(run: Run, tmp_path: Path, line: str, offered: list[str]) -> None:
    (tmp_path / "completion.bash").write_text(run("completion", "bash").out)
    words = line.split()
    script = (
        f"source completion.bash; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _dialer_completion dialer;"
        ' printf "%s\\n" "${COMPREPLY[@]}"'
    )
    environ = {**os.environ, "PATH": f"{DIALER.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run([BASH, "-c", script], cwd=tmp_path, env=environ, capture_output=True, text=True, check=True)
    assert (done.stdout.split(), done.stderr) == (offered, "")


@pytest.mark.parametrize(("shell", "begins"), [("zsh", "#compdef dialer"), ("fish", "function _dialer_completion")])
def test_every_shell_gets_its_own_script(run: Run, shell: str, begins: str) -> None:
    printed = run("completion", shell)
    assert (printed.code, printed.err) == (0, "")
    assert printed.out.lstrip().startswith(begins)
    assert f"_DIALER_COMPLETE={shell}_complete" in printed.out


def test_another_shell_is_wrong_usage(run: Run) -> None:
    outcome = run("completion", "tcsh")
    assert (outcome.code, outcome.out) == (2, "")
    assert "'bash', 'zsh', 'fish'" in outcome.err
