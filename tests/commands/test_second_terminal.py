"""Tests that commands in a second terminal use the settings of the service, not those of the terminal."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.commands.conftest import PASSWORD, Outcome, Run
from tests.commands.test_users import START_MS
from tests.test_server import ADMIN, VIRTUAL, Served, serving

SETTINGS: Final = {
    **VIRTUAL,
    "DIALER_TIMEZONE": "Asia/Tokyo",
    "DIALER_DEFAULT_REGION": "US",
    "DIALER_MEDIA_DIR": "sounds",
}
NATIONAL: Final = "2025550111"
TOLL_FREE: Final = "+8001234567"
"""A number of no country, so its zone is the service's."""
FORECAST: Final = ("forecast", "1", "--seeds", "1", "--json")


def create(served: Served, resource: str, **fields: object) -> Any:  # noqa: ANN401 - JSON
    answer = served.client.post(f"{resource}/", json=fields)
    assert answer.status_code == 201, answer.text
    return answer.json()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """Run a service in the folder of the commands, with a started campaign of two numbers."""
    with serving(tmp_path, **ADMIN, **SETTINGS) as served:
        create(served, "payment", user=1, amount=10)
        create(served, "gateway", name="sim")
        create(served, "survey-template", name="survey")
        create(served, "section-template", survey=1, order=1, type=1, question="hello", completed=True)
        create(served, "phonebook", name="book")
        for number in (NATIONAL, TOLL_FREE):
            create(served, "contact", phonebook=1, contact=number)
        create(served, "campaigns", name="c", object_id=1, phonebook=[1], aleg_gateway=1, daily_start_time="18:30:00")
        assert served.client.patch("campaigns/1/", json={"status": 1}).status_code == 202
        yield served


@pytest.mark.usefixtures("served")
def test_a_story_uses_the_clock_the_zone_and_the_region_of_the_service(run: Run) -> None:
    story = run("explain", "1", NATIONAL, "--json")
    assert (story.code, story.err) == (0, "")
    assert (story.data["now"], story.data["number"]) == ("2026-01-31T09:00:00Z", "+12025550111")
    window = run("explain", "1", TOLL_FREE, "--json").data["window"]
    assert (window["zone"], window["is_open"], window["until"]) == ("Asia/Tokyo", False, "2026-01-31T09:30:00Z")
    assert run("explain", "1", NATIONAL, "--json", **SETTINGS) == story


@pytest.mark.usefixtures("served")
def test_a_forecast_begins_at_the_time_of_the_service(run: Run, served: Served) -> None:
    there = served.client.post("campaigns/1/forecast/", json={"seeds": 1}).json()
    here = run(*FORECAST)
    assert (here.code, here.err, here.data) == (0, "", there)
    assert there["now"] == "2026-01-31T09:00:00Z"


@pytest.mark.usefixtures("served")
def test_settings_of_the_terminal_that_differ_are_named_and_not_used(run: Run) -> None:
    elsewhere = {"DIALER_CLOCK": "real", "DIALER_TIMEZONE": "Europe/Paris", "DIALER_DEFAULT_REGION": "US"}
    story = run("explain", "1", NATIONAL, "--json", **elsewhere)
    line = (
        "Ignored DIALER_CLOCK='real' and DIALER_TIMEZONE='Europe/Paris' of this terminal: the service was last started"
        " with DIALER_CLOCK='virtual' and DIALER_TIMEZONE='Asia/Tokyo'.\n"
    )
    assert (story.code, story.err, story.out) == (0, line, run("explain", "1", NATIONAL, "--json").out)


def test_a_setting_that_the_service_does_not_have_is_not_used_either(run: Run, tmp_path: Path) -> None:
    with serving(tmp_path, **ADMIN, **VIRTUAL):
        created = run("users", "passwd", "root", "--password-stdin", stdin=PASSWORD, DIALER_DEFAULT_REGION="US")
    line = (
        "Ignored DIALER_DEFAULT_REGION='US' of this terminal: the service was last started with"
        " DIALER_DEFAULT_REGION unset.\n"
    )
    assert created == Outcome(0, "", f"{line}Changed the password of root.\n")


@pytest.mark.usefixtures("served")
def test_a_person_is_erased_at_the_services_time_in_its_region_with_its_recordings(run: Run, tmp_path: Path) -> None:
    erased = run("erase", NATIONAL, "--yes")
    assert erased == Outcome(0, "", "Erased +1202***0111: contacts 1, subscribers 1.\n")
    lost = tmp_path / "sounds" / f"{'a' * 32}.wav"
    lost.parent.mkdir(exist_ok=True)
    lost.write_bytes(b"x")
    os.utime(lost, (0, 0))
    assert run("database", "sweep") == Outcome(0, "", "Deleted 1 files.\n")
    assert not lost.exists()


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("command", [("erase", NATIONAL, "--yes"), ("database", "sweep")])
def test_no_file_is_deleted_if_the_media_folder_is_ambiguous(
    run: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """The terminal and the service name different folders, so the command refuses to guess."""
    line = (
        f"dialer: DIALER_MEDIA_DIR is 'elsewhere', but the service keeps its files in {tmp_path / 'sounds'}:"
        " unset it to use that folder, or start the service with it\n"
    )
    assert run(*command, DIALER_MEDIA_DIR="elsewhere") == Outcome(1, "", line)
    assert run(*command, DIALER_MEDIA_DIR=str(tmp_path / "sounds")).code == 0


def test_a_user_is_created_at_the_time_of_the_service(run: Run, served: Served, tmp_path: Path) -> None:
    assert run("users", "create", "ben", "--password-stdin", stdin=PASSWORD).code == 0
    assert len(served.client.get("users/").json()["results"]) == 2
    with contextlib.closing(sqlite3.connect(tmp_path / "dialer.db")) as connection:
        dates = connection.execute("SELECT DISTINCT created_date FROM user_account").fetchall()
    assert dates == [(START_MS,)]


def test_a_folder_that_is_moved_keeps_its_settings(run: Run, tmp_path: Path) -> None:
    """The media folder inside it moves, too."""
    (tmp_path / "old").mkdir()
    with serving(tmp_path / "old", **ADMIN, **SETTINGS) as served:
        served.end()
    (tmp_path / "old").rename(tmp_path / "new")
    moved = {"DIALER_DATABASE_URL": f"sqlite:///{tmp_path}/new/dialer.db", "DIALER_MEDIA_DIR": "new/sounds"}
    assert run("database", "sweep", **moved) == Outcome(0, "", "Deleted 0 files.\n")


def test_a_database_that_was_never_served_goes_by_the_terminal(run: Run) -> None:
    assert run("database", "upgrade", "--create").code == 0
    created = run("users", "create", "ben", "--password-stdin", stdin=PASSWORD, **SETTINGS)
    assert created == Outcome(0, "", "Created the user ben.\n")
