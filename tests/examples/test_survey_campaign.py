"""Tests of the example client: it runs a campaign on a real server, and prints its results."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end.service import wav
from tests.test_server import ADMIN, DIALER, PASSWORD, Served, serving

EXAMPLE: Final = Path(__file__).parents[2] / "examples" / "survey_campaign.py"
MONDAY: Final = {"DIALER_CLOCK": "virtual", "DIALER_CLOCK_START": "2026-03-02T15:00:00Z"}
CONTACTS: Final = """contact,full_name
+12025550101,Ada Byron
+12025550102,Bob Two
+12025550111,Bert Busy
by post,Dan Digitless
"""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """Run a service with an admin, anna, who pays for her calls."""
    with serving(tmp_path, **ADMIN, **MONDAY) as served:
        anna = ("anna", "--admin", "--call-rate", "0.02", "--password-stdin")
        subprocess.run([DIALER, "users", "create", *anna], cwd=tmp_path, input=PASSWORD, text=True, check=True)
        yield served


def run_example(folder: Path, served: Served) -> "subprocess.CompletedProcess[str]":
    (folder / "hello.wav").write_bytes(wav(2))
    (folder / "patients.csv").write_text(CONTACTS)
    url = served.base.removesuffix("/rest-api/")
    return subprocess.run(
        [sys.executable, EXAMPLE, "--url", url, "--user", "anna", "hello.wav", "patients.csv"],
        cwd=folder,
        env={**os.environ, "DIALER_PASSWORD": PASSWORD},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_example_calls_everybody_and_prints_the_answers(tmp_path: Path, served: Served) -> None:
    assert served.client.post("payment/", json={"user": 2, "amount": 10}).status_code == 201
    assert served.client.post("gateway/", json={"name": "sim"}).status_code == 201
    done = run_example(tmp_path, served)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "3 contacts imported, 1 lines rejected",
        "  line 5: contact: 'by post' has no digits. Enter 3 to 15 digits with an optional leading +.",
        "The campaign is over: completed. 5 calls, 2 answered, 2 completed, cost 0.04000.",
        "  yes: 1",
        "  no: 1",
    ]


def test_without_a_gateway_the_example_says_how_to_create_one(tmp_path: Path, served: Served) -> None:
    done = run_example(tmp_path, served)
    line = "There is no gateway yet. An admin creates one with POST /rest-api/gateway/.\n"
    assert (done.returncode, done.stderr) == (1, line)


def test_without_credit_the_example_says_why_nothing_was_called(tmp_path: Path, served: Served) -> None:
    assert served.client.post("gateway/", json={"name": "sim"}).status_code == 201
    done = run_example(tmp_path, served)
    assert done.returncode == 1
    assert "The campaign is over: no_credit. 0 calls, 0 answered, 0 completed, cost 0.00000." in done.stdout


def test_the_example_is_short() -> None:
    assert len(EXAMPLE.read_text("utf-8").splitlines()) <= 150
