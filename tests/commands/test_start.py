"""Tests of what a start imports: what it needs, and nothing that a first use can import later."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.new_database import new_file
from tests.patience import ANSWER_S_MAX
from tests.test_server import ADMIN, ready_address

MAIN: Final = (
    "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
    " from dialer.cli import main; main()"
)
NEEDED_LATER: Final = frozenset(
    {
        *("advanced_alchemy.repository", "advanced_alchemy.service", "aiohttp", "alembic", "attr", "babel"),
        *("cryptography", "holidays", "httpx", "jinja2", "miniaudio", "openpyxl", "psycopg"),
        *("pydantic", "pygments", "rich.console", "segno", "sipmessage"),
        *("sqlalchemy.dialects.mssql.base", "sqlalchemy.dialects.mysql", "sqlalchemy.dialects.oracle.base"),
        *("yaml.reader", "zxcvbn"),
        *("dialer.carriers.freeswitch.line", "dialer.carriers.sip.messages", "dialer.carriers.texts.http_line"),
        *("dialer.carriers.texts.smpp_line", "dialer.carriers.voice.speech", "dialer.commands.trial_calls"),
    }
)
"""Modules that something of a service may need, but not each service: not even its first answer."""
OF_SERVICES: Final = frozenset(
    {
        "dialer.api",
        "dialer.app",
        "dialer.console",
        "dialer.sim",
        "litestar",
        "prometheus_client",
        "structlog",
        "uvicorn",
    }
)
MODULES_MAX: Final = {"serve": 2_040, "explain": 815}
"""Modules that a command has imported at its end, those of the standard library included."""
WITHOUT_VOICE: Final = {"DIALER_SPEECH": "off"}
"""Where espeak-ng is installed, a service tries it at its start. This leaves it out, as where it is not."""


def serve(folder: Path) -> set[str]:
    """Return the modules of a service that has answered once, and ends."""
    command = [sys.executable, "-c", MAIN, "serve", "--port", "0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(
        command, cwd=folder, env={**os.environ, **ADMIN, **WITHOUT_VOICE}, text=True, **pipes
    ) as process:  # type: ignore[call-overload] # mypy reads no such dict
        answer = httpx.get(f"{ready_address(process)}health/live".replace("rest-api/", ""), timeout=ANSWER_S_MAX)
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate()
    assert answer.is_success
    return set(told.splitlines()[-1].split())


def explain(folder: Path) -> set[str]:
    """Return the modules of a command that finds no such campaign."""
    command = [sys.executable, "-c", MAIN, "explain", "1", "+12025550100"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    return set(done.stderr.splitlines()[-1].split())


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a database that has users and a key, as after a first start."""
    new_file(tmp_path)
    serve(tmp_path)
    return tmp_path


def test_a_service_answers_before_it_imports_what_only_some_services_need(folder: Path) -> None:
    modules = serve(folder)
    assert sorted(modules & NEEDED_LATER) == []
    assert len(modules) <= MODULES_MAX["serve"]


def test_explain_imports_neither_the_api_nor_what_services_need_later(folder: Path) -> None:
    modules = explain(folder)
    assert sorted(modules & (NEEDED_LATER | OF_SERVICES)) == []
    assert len(modules) <= MODULES_MAX["explain"]
