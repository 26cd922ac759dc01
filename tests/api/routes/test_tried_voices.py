"""Tests that the voice which a survey chooses is tried before people are called, and not again and again."""

from collections.abc import Iterator
from typing import Any, Final

import pytest
from litestar.testing import TestClient
from sqlalchemy import select, update

from dialer.api.app import create_app
from dialer.app.campaigns.line_check import SILENT_MS, SPEAKING_MS
from dialer.domain.words.voices import ChosenVoice, TriedVoice
from dialer.settings import Settings
from dialer.store.database.database import Database
from dialer.store.database.service_state import (
    TRIED_MAX,
    ServiceSettings,
    save_settings,
    save_speech,
    save_tried_voice,
    tried_voices,
)
from dialer.store.tables import VOICE, Campaign, Gateway
from tests.api.builders import Estate
from tests.api.harness import HOST, NOW_MS, Caller, FakeWorker, Json

GERMAN: Final = ChosenVoice("de", "", 1.5)
GONE: Final = "the voice does not exist"


class Voices:
    """The voices of a service, which say what they were asked."""

    def __init__(self) -> None:
        self.asked: list[ChosenVoice] = []
        self.found = ("", False)

    async def speak(self, wanted: ChosenVoice) -> tuple[str, bool]:
        self.asked.append(wanted)
        return self.found


class Bench:
    """A campaign of Alice's over a SIP carrier, whose survey speaks German."""

    def __init__(self, estate: Estate, database: Database, voices: Voices, alice: Caller) -> None:
        self.database, self.voices, self.alice = database, voices, alice
        self.url: str = estate.campaign["url"]
        self.survey: str = estate.survey["url"]
        estate.admin.create("payment", amount=10, user="/rest-api/users/2/")
        estate.owner.request("DELETE", estate.branch["url"])
        estate.owner.change(estate.section["url"], type=1, script="Hello")
        estate.owner.change(self.survey, language="de", voice_speed=1.5)
        hours = {"daily_start_time": "09:00:00", "daily_stop_time": "20:00:00"}
        estate.owner.change(
            self.url,
            phonebook=[estate.phonebook["url"]],
            callerid="+12025550150",
            purpose="survey",
            carrier_maxretry=5,
            **hours,
        )
        self.section_id = estate.section["id"]
        of_sip = update(Gateway).where(Gateway.id == estate.gateway["id"], Gateway.medium == VOICE)
        database.write_now(lambda unit: unit.execute(of_sip.values(protocol="sip")))
        settings = ServiceSettings("real", "UTC", None, "media", None)
        database.write_now(lambda unit: save_settings(unit, settings, 0))
        database.write_now(lambda unit: save_speech(unit, ""))

    def found(self) -> list[tuple[str, str, str]]:
        findings = self.alice.get(f"{self.url}check/", forecast="false")["findings"]
        return [(one["level"], one["code"], one["message"]) for one in findings]

    def start(self) -> int:
        return int(self.alice.request("PATCH", self.url, json={"status": 1}).status_code)

    def silent(self, why_not: str) -> tuple[str, str, str]:
        said = (
            f"Section {self.section_id} has a script and no recording. It cannot be spoken: {why_not}. Set audiofile."
        )
        return "error", "unplayable", said


@pytest.fixture
def bench(estate: Estate, database: Database, worker: FakeWorker) -> Iterator[Bench]:
    voices = Voices()
    app = create_app(Settings(), database=database, worker=worker, try_voice=voices.speak)
    with TestClient(app, base_url=f"http://{HOST}") as client:
        yield Bench(estate, database, voices, Caller(client, "alice"))


def test_a_voice_that_says_nothing_keeps_the_campaign_from_starting(bench: Bench) -> None:
    bench.voices.found = (GONE, False)
    assert (bench.start(), bench.found()) == (400, [bench.silent(GONE)])
    assert bench.voices.asked == [GERMAN]
    bench.database.write_now(lambda unit: save_speech(unit, ""))  # As at the next start of the service.
    bench.voices.found = ("", False)
    assert (bench.found(), bench.start(), bench.voices.asked) == ([], 202, [GERMAN] * 2)


def test_a_notice_of_a_recording_is_spoken_with_the_voice_of_the_survey(bench: Bench, estate: Estate) -> None:
    bench.voices.found = (GONE, False)
    estate.owner.change(bench.url, record="all", record_notice_script="We record.")
    said = f"It cannot be spoken: {GONE}. Set record_notice."
    assert ("error", "unplayable", said) in bench.found()


def test_a_carrier_that_cannot_place_calls_uses_nobody_up_unseen(bench: Bench, estate: Estate) -> None:
    estate.owner.change(bench.url, carrier_maxretry=0, maxretry=0)
    said = (
        "If the carrier cannot place a call, the person counts as not reached and is not called again, although no"
        " telephone rang. Set carrier_maxretry, such as 5."
    )
    assert bench.found() == [("warning", "used_up_by_carrier", said)]
    estate.owner.change(bench.url, maxretry=1)
    assert bench.found() == []


def test_a_language_without_a_voice_is_a_warning(bench: Bench) -> None:
    bench.voices.found = ("", True)
    said = (
        "The server of speech has no voice for de, so the service's voice speaks the texts. An admin can name one in"
        " DIALER_SPEECH_VOICES, or set the voice of the survey."
    )
    assert bench.found() == [("warning", "language_missing", said)]
    assert bench.start() == 202


def test_what_was_found_holds_for_a_while(bench: Bench) -> None:
    def put(age_ms: int, why_not: str) -> None:
        tried = TriedVoice(GERMAN, NOW_MS - age_ms, why_not)
        bench.database.write_now(lambda unit: save_tried_voice(unit, tried))

    for limit_ms, why_not in ((SPEAKING_MS, ""), (SILENT_MS, GONE)):
        put(limit_ms - 1, why_not)
        assert (bench.found(), bench.voices.asked) == ([bench.silent(GONE)] if why_not else [], [])
        put(limit_ms, why_not)
        assert (bench.found(), bench.voices.asked) == ([], [GERMAN])
        bench.voices.asked.clear()


@pytest.mark.parametrize("fields", [{"language": "", "voice_speed": 1}, {"language": "", "voice_speed": "1"}])
def test_a_survey_that_chooses_nothing_needs_no_trial(bench: Bench, fields: dict[str, Json], estate: Estate) -> None:
    estate.owner.change(bench.survey, **fields)
    assert (bench.found(), bench.start(), bench.voices.asked) == ([], 202, [])


def test_a_service_without_a_voice_tries_none(bench: Bench) -> None:
    bench.database.write_now(lambda unit: save_speech(unit, None))
    assert [code for _, code, _ in bench.found()] == ["unplayable"]
    assert bench.voices.asked == []


def test_a_paused_campaign_is_resumed_after_a_trial(bench: Bench) -> None:
    assert bench.start() == 202
    assert bench.alice.request("PATCH", bench.url, json={"status": 2}).status_code == 202
    bench.database.write_now(lambda unit: save_speech(unit, ""))
    bench.voices.found = (GONE, False)
    assert (bench.start(), bench.voices.asked) == (400, [GERMAN] * 2)
    status = select(Campaign.status).where(Campaign.id == int(bench.url.rstrip("/").rsplit("/", 1)[1]))
    assert bench.database.read_now(lambda unit: unit.scalar(status)) == 2


def test_voices_that_were_tried_long_ago_are_forgotten(database: Database, bench: Bench) -> None:  # noqa: ARG001 - its row
    wishes = [ChosenVoice("de", f"v{number}") for number in range(TRIED_MAX + 2)]

    def put(unit: Any) -> None:  # noqa: ANN401 - a connection
        for wanted in [*wishes[:2], *wishes]:
            save_tried_voice(unit, TriedVoice(wanted, 1, "x" * 300))

    database.write_now(put)
    assert database.read_now(tried_voices) == {wanted: TriedVoice(wanted, 1, "x" * 255) for wanted in wishes[2:]}
