"""Tests of `dialer erase` and `dialer database sweep`, run as by a shell."""

import os
from pathlib import Path

import anyio
import pytest

from dialer.domain.sessions.leg_protocol import SPEECH_FOLDER
from dialer.store.tables import Gateway
from tests.commands.conftest import Outcome, Run
from tests.runtime.house import ALL_ANSWER, House
from tests.store.leftovers import holding

NUMBER = "+12025550187"
ASKED = "Erase all data about +1202***0187? This cannot be undone. [y/N]: "
DONE = "Erased +1202***0187: contacts 1, subscribers 1, recordings 1, do-not-call entries kept as hashes 1.\n"
VIRTUAL = {"DIALER_CLOCK": "virtual"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with the recording of a callee who is on a do-not-call list, of an ended campaign."""
    anyio.run(survey, tmp_path)
    assert len(list((tmp_path / "media").iterdir())) == 1
    return tmp_path


async def survey(folder: Path) -> None:
    """Run a campaign that records its callee."""
    house = House(folder, keeps_recordings=True)
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    survey_id = house.survey({"type": 5, "script": "say something", "completed": True})
    await house.started(survey_id, house.phonebook(NUMBER))
    await house.advance(600)
    house.dnc_list(NUMBER)
    house.database.close()


def test_a_person_is_erased_once_that_is_confirmed(run: Run, folder: Path) -> None:
    assert run("erase", NUMBER, stdin="n\n") == Outcome(1, "", f"{ASKED}dialer: interrupted\n")
    assert holding(folder, NUMBER) == ["dialer.db"]
    (folder / "media" / SPEECH_FOLDER).mkdir()
    (folder / "media" / SPEECH_FOLDER / "name.wav").write_text("Hello Ada")
    assert run("erase", "+1 (202) 555-0187", stdin="y\n") == Outcome(0, "", ASKED + DONE)
    assert holding(folder, NUMBER) == []
    assert list((folder / "media").rglob("*.wav")) == []
    assert run("database", "check").code == 0
    assert run("erase", NUMBER, "--yes") == Outcome(0, "", "Erased +1202***0187: no data found.\n")


def test_people_of_old_campaigns_are_erased(run: Run, folder: Path) -> None:
    nobody = "Erased the subscribers of campaigns that ended more than 1 days ago: no data found.\n"
    assert run("erase", "--older-than", "1", "--yes", **VIRTUAL) == Outcome(0, "", nobody)
    done = "Erased the subscribers of campaigns that ended more than 1 days ago: subscribers 1, recordings 1.\n"
    assert run("erase", "--older-than", "1", "--yes") == Outcome(0, "", done)
    assert list((folder / "media").iterdir()) == []
    assert holding(folder, NUMBER) == ["dialer.db"]


def test_it_is_one_number_or_an_age(run: Run, folder: Path) -> None:
    for arguments in ((), (NUMBER, "--older-than", "1")):
        code, out, err = run("erase", *arguments, "--yes")
        assert (code, out) == (2, "")
        assert err == "dialer: Give either a NUMBER or --older-than DAYS; try: dialer erase --help\n"
    for wrong in (["nobody"], ["--older-than", "0"], ["1" * 16]):
        assert run("erase", *wrong, "--yes").code == 2
    assert holding(folder, NUMBER) == ["dialer.db"]


def test_orphaned_recordings_are_swept(run: Run, folder: Path) -> None:
    (recording,) = (folder / "media").iterdir()
    lost = recording.with_name(f"{'a' * 32}.wav")
    lost.write_bytes(b"x")
    for path in (recording, lost):
        os.utime(path, (0, 0))
    assert run("database", "sweep") == Outcome(0, "", "Deleted 1 files.\n")
    assert list((folder / "media").iterdir()) == [recording]
