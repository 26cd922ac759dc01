"""Tests of `dialer top`: one reading, JSON, readings until Ctrl+C, and a terminal."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from dialer.domain.enums import CampaignStatus
from dialer.store.tables import SMS, Agent, Gateway, SmsGateway, User
from tests.commands.conftest import Outcome, Run
from tests.runtime.house import ALL_ANSWER, CENTS, House

DIALER: Final = str(Path(sys.executable).with_name("dialer"))
VIRTUAL: Final = {"DIALER_CLOCK": "virtual"}
NO_CIRCUIT: Final = "+12025550115"


@pytest.fixture
def house(run: Run, tmp_path: Path) -> Iterator[House]:
    """Return a service on the database that the command reads."""
    assert run("database", "upgrade", "--create").code == 0
    one = House(tmp_path)
    yield one
    one.database.close()


def told(run: Run, *arguments: str) -> Outcome:
    return run("top", *arguments, **VIRTUAL)


async def busy(house: House) -> None:
    """Open a campaign with a call that waits and one with an agent, one of texts, and one that is paused."""
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER, max_channels=9)
    house.change(User, house.user_id, sms_rate=5 * CENTS)
    house.pay(8 * CENTS - 100_000 * CENTS)
    queue_id = house.queue(house.agent(parameters='{"talk": 90, "answer": 1}'))
    house.agent(status=3)
    survey_id = house.survey({"type": 6, "queue_id": queue_id})
    numbers = [f"+1202555{place:04d}" for place in range(200, 203)]
    await house.started(survey_id, house.phonebook(*numbers[:2]), name="[b]Calls\x1b[2J", max_xfer=2)
    texts = house.add(SmsGateway, name="texts", parameters='{"sms_delivered": 1}')
    message = {"medium": SMS, "aleg_gateway_id": None, "text_message": "Come!", "sms_gateway_id": texts}
    await house.started(0, house.phonebook(numbers[2]), name="Texts", **message)
    paused = await house.started(house.survey({"type": 1, "script": "word"}), name="Paused")
    await house.move(paused, CampaignStatus.PAUSE)
    house.campaign(survey_id, name="new")
    await house.advance(40)


async def test_one_reading_as_text(run: Run, house: House) -> None:
    await busy(house)
    assert told(run, "--once") == Outcome(0, "", "")


async def test_one_reading_as_json(run: Run, house: House) -> None:
    await busy(house)
    assert told(run, "--json").data == {}


async def test_a_gateway_that_rests_says_until_when(run: Run, house: House) -> None:
    numbers = [f"+12025550{last}" for last in (115, 116, 117)]
    await house.started(house.survey({"type": 1, "script": "word"}), house.phonebook(*numbers))
    await house.advance(7)
    assert told(run, "--once").out.splitlines()[-1] == "sim      voice   2026-03-02 12:00:35       0       any"
    assert told(run, "--json").data["gateways"][0]["rests_until"] == "2026-03-02T12:00:35Z"
    await house.advance(60)
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

    monkeypatch.setattr("dialer.commands.top.sleep", sleep)
    reading = "2026-03-02 12:00:00 UTC: 0 calls, 0 waiting, 0 with an agent, 0 dialled in the last minute"
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
