"""Tests of the process that computes a forecast."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import anyio
import anyio.lowlevel
import msgspec
import pytest

from dialer.app.work.errors import CampaignNotReadyError, InvalidFieldsError
from dialer.console.serving.errors import messages_of
from dialer.console.words.language import read_language, speak, viewers_language
from dialer.domain.words.enums import CampaignStatus
from dialer.forecast.forecast import CampaignOverError, NoCampaignError, forecast_campaign
from dialer.forecast.parameters import SEEDS_MAX, Order, TriedSetting
from dialer.forecast.processes import ForecastFailedError
from dialer.forecast.subprocess import forecast_in_subprocess, what_if_in_subprocess
from dialer.forecast.what_if import NamedSetting, compare_settings
from dialer.store.database.database import StorageUnavailableError
from dialer.store.tables import Campaign
from dialer.store.tables.key_ring import RING
from tests.runtime.house import House

CHILDREN: Final = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
"""A file that lists the children of this process that it has not yet waited for."""


def order(house: House, campaign_id: int, seeds: int = 3) -> Order:
    return Order(campaign_id, house.now_ms(), "Europe/Berlin", seeds, 4)


def long_order(house: House) -> Order:
    """Return an order that takes far longer than to start and to end a process."""
    numbers = [f"+1202555{place:04d}" for place in range(200)]
    return order(house, house.campaign(house.survey({"type": 1}), house.phonebook(*numbers)), seeds=SEEDS_MAX)


async def test_the_process_gives_the_forecast_of_this_process(house: House) -> None:
    asked = order(house, house.campaign(house.survey({"type": 1}), house.phonebook("+12025550101", "+4930123456")))
    told: list[int] = []
    found = await forecast_in_subprocess(house.database, asked, told.append)
    assert (found, told) == (await forecast_campaign(house.database, asked), [1, 2, 3])


async def test_the_process_compares_settings_as_this_process_does(house: House) -> None:
    """It tells each run of each setting, and which settings the campaign may not have."""
    asked = order(house, house.campaign(house.survey({"type": 1}), house.phonebook("+12025550101", "+4930123456")))
    tried = [
        NamedSetting({"frequency": "7"}, TriedSetting({"frequency": 7})),
        NamedSetting({"agents": "2"}, TriedSetting(agents=2)),
    ]
    told: list[int] = []
    found = await what_if_in_subprocess(house.database, asked, tried, told.append)
    assert (found, told) == (await compare_settings(house.database, asked, tried), [*range(1, 10)])
    with pytest.raises(InvalidFieldsError, match="dial_method"):
        await what_if_in_subprocess(house.database, asked, [NamedSetting({}, TriedSetting({"dial_method": 2}))])


async def test_an_exception_in_the_process_is_raised_here(house: House) -> None:
    campaign_id = house.campaign(house.survey(), house.phonebook("+12025550101"))
    with pytest.raises(CampaignNotReadyError) as lacking:
        await forecast_in_subprocess(house.database, order(house, campaign_id))
    assert lacking.value.errors.keys() == {"object_id"}
    house.change(Campaign, campaign_id, status=CampaignStatus.ABORT)
    with pytest.raises(CampaignOverError, match="has ended"):
        await forecast_in_subprocess(house.database, order(house, campaign_id))
    with pytest.raises(NoCampaignError, match="there is no campaign 4711"):
        await forecast_in_subprocess(house.database, order(house, 4_711))


async def test_exceptions_in_the_process_are_shown_in_the_viewers_language(house: House) -> None:
    campaign_id = house.campaign(house.survey(), house.phonebook("+12025550101"))
    before = viewers_language()
    speak(read_language("de"))
    try:
        with pytest.raises(CampaignNotReadyError) as lacking:
            await forecast_in_subprocess(house.database, order(house, campaign_id))
        assert messages_of(lacking.value) == ["Die Umfrage hat keine Abschnitte."]
        house.change(Campaign, campaign_id, status=CampaignStatus.ABORT)
        with pytest.raises(CampaignOverError) as over:
            await forecast_in_subprocess(house.database, order(house, campaign_id))
        (message,) = messages_of(over.value)
        assert message.startswith(f"Die Kampagne {campaign_id} ist vorbei: „")
    finally:
        speak(before)


@pytest.mark.sqlite_only("moves the file")
async def test_a_database_that_is_gone_is_told(house: House, tmp_path: Path) -> None:
    asked = order(house, house.campaign(house.survey({"type": 1}), house.phonebook("+12025550101")))
    house.database.close()
    shutil.move(tmp_path, tmp_path.with_name("elsewhere"))
    with pytest.raises(StorageUnavailableError):
        await forecast_in_subprocess(house.database, asked)


@pytest.mark.skipif(not CHILDREN.exists(), reason="needs /proc")
async def test_a_process_of_a_forecast_that_is_killed_fails_it(house: House) -> None:
    """The service goes on, and nothing is left of the forecast."""
    before = CHILDREN.read_text("ascii")
    asked = msgspec.structs.replace(long_order(house), processes=2)

    def kill_one(_done: int) -> None:
        (child,) = set(CHILDREN.read_text("ascii").split()) - set(before.split())
        grandchildren = Path(f"/proc/{child}/task/{child}/children").read_text("ascii").split()
        if grandchildren:
            os.kill(int(grandchildren[0]), signal.SIGKILL)

    with pytest.raises(ForecastFailedError, match="a process ended with -9"):
        await forecast_in_subprocess(house.database, asked, kill_one)
    assert CHILDREN.read_text("ascii") == before


@pytest.mark.skipif(not CHILDREN.exists(), reason="this system does not tell what a process has started")
@pytest.mark.parametrize("processes", [1, 2])
async def test_cancellation_ends_the_process(house: House, processes: int) -> None:
    before = CHILDREN.read_text("ascii")
    asked = msgspec.structs.replace(long_order(house), processes=processes)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(forecast_in_subprocess, house.database, asked)
        while CHILDREN.read_text("ascii") == before:
            await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    assert CHILDREN.read_text("ascii") == before


def test_the_process_ends_with_its_parent(house: House) -> None:
    """The end of its input tells it that its parent was killed."""
    task = {"database_url": house.url, "order": long_order(house), "settings": None, "secrets_key": RING.keys()}
    command = [sys.executable, "-P", "-m", "dialer.forecast"]
    done = subprocess.run(command, input=msgspec.json.encode(task) + b"\n", capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


@pytest.mark.skipif(not CHILDREN.exists(), reason="needs /proc")
async def test_the_process_gets_no_secret_in_its_environment(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of a process can be read for as long as it lives, also from a copy of its memory."""
    marks = {"DIALER_ADMIN_PASSWORD": "mark-1", "DIALER_SECRETS_KEY": "mark-2", "DIALER_DATABASE_URL": "mark-3"}
    for name, value in marks.items():
        monkeypatch.setenv(name, value)
    seen: list[bytes] = []
    before = set(CHILDREN.read_text("ascii").split())

    def look(_done: int) -> None:
        children = set(CHILDREN.read_text("ascii").split()) - before
        seen.extend(Path(f"/proc/{child}/environ").read_bytes() for child in children)

    campaign_id = house.campaign(house.survey({"type": 1}), house.phonebook("+12025550101"))
    await forecast_in_subprocess(house.database, order(house, campaign_id), look)
    assert any(b"PATH=" in one for one in seen)
    assert not [one for one in seen if b"mark-" in one or b"DIALER_" in one]
