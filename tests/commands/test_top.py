"""Tests of `dialer top`: one reading, JSON, readings until Ctrl+C, and a terminal."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

import pytest

from dialer.domain.words.enums import CampaignStatus
from dialer.store.tables import Agent, Campaign, Gateway, User
from tests.commands.conftest import Outcome, Run
from tests.runtime.centre import centre
from tests.runtime.house import CENTS, House

DIALER: Final = str(Path(sys.executable).with_name("dialer"))
VIRTUAL: Final = {"DIALER_CLOCK": "virtual"}


@pytest.fixture
async def floor(tmp_path: Path) -> AsyncIterator[House]:
    """Return a busy call centre whose third campaign is paused."""
    one = await centre(tmp_path)
    one.change(Campaign, 1, name="[b]Calls\x1b[2J")
    await one.advance(200)
    await one.move(3, CampaignStatus.PAUSE)
    yield one
    one.database.close()


def told(run: Run, *arguments: str) -> Outcome:
    return run("top", *arguments, **VIRTUAL)


@pytest.mark.usefixtures("floor")
async def test_one_reading_as_text(run: Run) -> None:
    shown = told(run, "--once")
    assert (shown.code, shown.err) == (0, "")
    assert (
        shown.out
        == """\
2026-03-02 12:03:20 UTC: 8 calls, 2 waiting, 2 with an agent, 11 dialled in the last minute
Agents: 1 available, 2 talking, 1 on break

Campaigns in progress: 3
id  campaign      user  status        calls  waiting  agents  a minute  over  answered %  machines  abandoned %
1   [b]Calls?[2J  ann   START             6        1       1         9    23       43.48         0        10.00
2   campaign      ann   START             2        1       1         2     9       66.67         0        16.67
3   campaign      ann   PAUSE (user)      0        0       0         0     5       40.00         0         0.00

Gateways
gateway  medium  rests until  in use  channels
sim      voice                     8         9
texts    sms                       0       any
"""
    )


async def test_one_reading_as_json(run: Run, floor: House) -> None:
    """A balance runs low once it cannot pay again for the calls of the last two hours."""
    before = told(run, "--json").data
    assert before["balances"] == []
    assert before["campaigns"][2] == {
        "id": 3,
        "campaign_code": "code2",
        "name": "campaign",
        "username": "ann",
        "medium": "voice",
        "status": "PAUSE",
        "status_reason": "user",
        "calls": 0,
        "messages": 0,
        "waiting": 0,
        "talking": 0,
        "calls_a_minute": 0,
        "calls_over": 5,
        "answered_percent": 40.0,
        "machine_answered": 0,
        "abandoned_percent": 0.0,
    }
    user = floor.row(User, floor.user_id)
    floor.pay(user["held"] - user["balance"] + 3 * CENTS)
    (low,) = told(run, "--json").data["balances"]
    assert (low["username"], low["free"], float(low["spent"]) > 0.3) == ("ann", "0.03000", True)
    assert told(run, "--once").out.splitlines()[-3:-1] == [
        "Balances that run low",
        "user  currency     free  spent in the last two hours",
    ]


async def test_a_gateway_that_rests_says_until_when(run: Run, house: House) -> None:
    numbers = [f"+12025550{last}" for last in (115, 116, 117, 111)]
    await house.started(
        house.survey({"type": 1, "script": "word"}), house.phonebook(*numbers), maxretry=3, intervalretry=0
    )
    await house.advance(7)
    assert told(run, "--once").out.splitlines()[-1] == "sim      voice   2026-03-02 12:00:35       0       any"
    assert told(run, "--json").data["gateways"][0]["rests_until"] == "2026-03-02T12:00:35Z"
    house.change(Gateway, house.gateway_id, rests_until_ms=house.now_ms())
    assert told(run, "--json").data["gateways"][0]["rests_until"] is None


async def test_campaigns_beyond_the_limit_are_counted(run: Run, house: House) -> None:
    for _ in range(51):
        house.campaign(0, status=CampaignStatus.START)
    found = told(run, "--json").data
    assert (len(found["campaigns"]), found["campaigns_open"]) == (50, 51)
    assert "Campaigns in progress: 51, 1 of them not shown" in told(run, "--once").out


async def test_it_reads_again_until_ctrl_c(run: Run, house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a terminal, each reading is printed as text. An agent logs in between the first two."""
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)
        if len(waits) == 2:
            raise KeyboardInterrupt
        house.add(Agent, user_id=house.user_id, name="Bea", status=2, figures="")

    await house.advance(1)
    monkeypatch.setattr("dialer.commands.top.sleep", sleep)
    reading = "2026-03-02 12:00:01 UTC: 0 calls, 0 waiting, 0 with an agent, 0 dialled in the last minute"
    shown = told(run, "--interval", "7")
    assert (shown.code, shown.err, waits) == (0, "", [7.0, 7.0])
    assert [line for line in shown.out.splitlines() if line.startswith(("2026", "Agents"))] == [
        reading,
        "Agents: none",
        reading,
        "Agents: 1 available",
    ]


def test_an_interval_must_be_possible(run: Run) -> None:
    assert told(run, "--interval", "0").code == 2


def test_a_terminal_is_redrawn_and_restored(run: Run, tmp_path: Path) -> None:
    assert run("database", "upgrade", "--create").code == 0
    ours, theirs = pty.openpty()
    command = [DIALER, "top", "--interval", "0.5"]
    with subprocess.Popen(command, cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        shown = b""
        while shown.count(b"Campaigns in progress: 0") < 2:
            shown += os.read(ours, 4_096)
        process.send_signal(signal.SIGINT)
        while part := _rest(ours):
            shown += part
    os.close(ours)
    assert process.returncode == 0
    assert (shown.count(b"\x1b[?1049h"), shown.count(b"\x1b[?1049l")) == (1, 1)
    assert b"Traceback" not in shown


def _rest(terminal: int) -> bytes:
    """Return what is left to read; nothing once the program has closed its terminal."""
    try:
        return os.read(terminal, 4_096)
    except OSError:
        return b""
