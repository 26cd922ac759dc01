"""Tests of the counts of a campaign's answers, by section and answer."""

from collections.abc import Iterable

import pytest

from dialer.domain.survey.survey import Prompt, Section, Survey, encode_survey
from dialer.domain.words.enums import SectionType
from dialer.store.database.database import Database
from dialer.store.queries.survey_results import ANSWERS_MAX
from dialer.store.tables import CallRequest, SealedSurvey, SurveyResult
from tests.api.builders import Estate, stored
from tests.api.harness import BASE, NOW_MS, Caller

TYPES = {
    901: SectionType.HANG_UP,
    902: SectionType.RATING,
    903: SectionType.RECORD_MESSAGE,
    904: SectionType.DNC,
    905: SectionType.CALL_TRANSFER,
    906: SectionType.SMS,
    907: SectionType.PLAY_MESSAGE,
}


class Poll:
    """A started campaign of Alice's, most of whose survey's sections were deleted since."""

    def __init__(self, estate: Estate, database: Database) -> None:
        self.database = database
        self.campaign_id = estate.campaign["id"]
        self.section_id = estate.section["id"]
        self._user_id = estate.user_id
        self._subscriber_id = estate.subscriber["id"]
        self._gateway_id = estate.gateway["id"]
        self._attempts = 1
        kept = Section(self.section_id, SectionType.MULTI_CHOICE, "How are you?", Prompt())
        gone = [Section(section_id, kind, kind.name, Prompt()) for section_id, kind in reversed(TYPES.items())]
        document = encode_survey(Survey((kept, *gone)))
        stored(database, SealedSurvey, id=self.campaign_id, document=document)

    def answer(self, section_id: int, responses: Iterable[str], seconds: int | None = None) -> None:
        """Add one call for each answer."""
        for response in responses:
            self._attempts += 1
            call_id = self._call()
            stored(
                self.database,
                SurveyResult,
                user_id=self._user_id,
                callrequest_id=call_id,
                campaign_id=self.campaign_id,
                section_id=section_id,
                section_type=TYPES.get(section_id, SectionType.MULTI_CHOICE),
                question="?",
                response=response,
                recording_duration=seconds,
            )

    def _call(self) -> int:
        return stored(
            self.database,
            CallRequest,
            campaign_id=self.campaign_id,
            subscriber_id=self._subscriber_id,
            user_id=self._user_id,
            gateway_id=self._gateway_id,
            attempt=self._attempts,
            callid=f"poll-{self._attempts}",
            phone_number="+12025550122",
            callerid="",
            status=4,
            started_ms=NOW_MS,
            ring_limit_ms=45_000,
            talk_limit_ms=1_800_000,
            hold=0,
            call_rate=0,
        )


@pytest.fixture
def poll(estate: Estate, database: Database) -> Poll:
    return Poll(estate, database)


def counted(caller: Caller, section_id: int) -> list[tuple[str, int, float]]:
    """Return the answers to one section, each with its count and its share."""
    sections = caller.get("surveyaggregate/1/")["sections"]
    (found,) = [one for one in sections if one["section_id"] == section_id]
    assert found["total"] == found["others"] + sum(answer["count"] for answer in found["answers"])
    return [(answer["response"], answer["count"], answer["percent"]) for answer in found["answers"]]


def test_the_answers_are_counted_by_section_in_the_order_of_the_survey(alice: Caller, poll: Poll) -> None:
    """The estate's own answer counts, too. A section that only plays has no entry."""
    poll.answer(poll.section_id, ["Fine", "Ill"])
    found = alice.get("surveyaggregate/1/")
    assert found["campaign"] == f"{BASE}/campaigns/1/"
    assert [one["section_id"] for one in found["sections"]] == [poll.section_id, 906, 905, 904, 903, 902]
    assert found["sections"][0] == {
        "section": f"{BASE}/section-template/{poll.section_id}/",
        "section_id": poll.section_id,
        "type": 2,
        "question": "How are you?",
        "total": 3,
        "answers": [
            {"response": "Fine", "count": 2, "percent": 66.67},
            {"response": "Ill", "count": 1, "percent": 33.33},
        ],
        "others": 0,
        "unserved": 0,
        "mean": None,
    }
    assert found["sections"][1] == {
        "section": None,
        "section_id": 906,
        "type": 10,
        "question": "SMS",
        "total": 0,
        "answers": [],
        "others": 0,
        "unserved": 0,
        "mean": None,
    }


def test_answers_that_are_as_frequent_are_told_by_what_they_say(alice: Caller, poll: Poll) -> None:
    poll.answer(902, ["5", "3", "10", "3", "5"])
    assert counted(alice, 902) == [("3", 2, 40.0), ("5", 2, 40.0), ("10", 1, 20.0)]


def test_recordings_are_counted_by_their_length(alice: Caller, poll: Poll) -> None:
    for seconds in (1, 20, 21, 40, 41, 60, 61, 90, 91, 120):
        poll.answer(903, [f"{seconds}.wav"], seconds)
    names = ("0 - 20 seconds", "21 - 40 seconds", "41 - 60 seconds", "61 - 90 seconds", "> 90 seconds")
    assert counted(alice, 903) == [(name, 2, 20.0) for name in names]


def test_wishes_and_texts_are_counted_as_one_and_transfers_by_their_number(alice: Caller, poll: Poll) -> None:
    poll.answer(904, ["DNC: +12025550100", "DNC: +12025550101"])
    poll.answer(905, ["phonenumber: 100", "phonenumber: 101", "phonenumber: 101"])
    poll.answer(906, ["SMS: +12025550100", "SMS: +12025550101"])
    assert counted(alice, 904) == [("DNC", 2, 100.0)]
    assert counted(alice, 905) == [("phonenumber: 101", 2, 66.67), ("phonenumber: 100", 1, 33.33)]
    assert counted(alice, 906) == [("SMS", 2, 100.0)]


def test_rare_answers_are_counted_together(alice: Caller, poll: Poll) -> None:
    poll.answer(902, [f"{number:04d}" for number in range(ANSWERS_MAX + 3)])
    poll.answer(902, [f"{ANSWERS_MAX + 1:04d}"])
    (found,) = [one for one in alice.get("surveyaggregate/1/")["sections"] if one["section_id"] == 902]
    assert (found["total"], found["others"], len(found["answers"])) == (ANSWERS_MAX + 4, 3, ANSWERS_MAX)
    assert [one["response"] for one in found["answers"][:: ANSWERS_MAX - 1]] == ["0", f"{ANSWERS_MAX + 1}"]


def test_a_campaign_that_has_not_started_shows_what_it_would_ask(alice: Caller, estate: Estate) -> None:
    alice.change(estate.section["url"], type=3)
    alice.create("section-template", survey=estate.survey["url"], question="Hello", order=0)
    (found,) = alice.get("surveyaggregate/1/")["sections"]
    assert (found["section"], found["type"], found["total"]) == (estate.section["url"], 3, 1)


@pytest.mark.usefixtures("poll")
def test_only_the_owner_and_admins_see_the_answers(admin: Caller, alice: Caller, bob: Caller, estate: Estate) -> None:
    assert admin.get("surveyaggregate/1/") == alice.get("surveyaggregate/1")
    missing = (404, {"detail": "Not found."})
    assert bob.refused("GET", "surveyaggregate/1/") == missing
    for record_id in (estate.sms_campaign["id"], 4_711, "x"):
        assert alice.refused("GET", f"surveyaggregate/{record_id}/") == missing
    assert admin.client.get("/rest-api/surveyaggregate/1/").status_code == 401
