"""Tests of the page that tells the answers to a campaign in words, with a table by a column of the list."""

import json
from typing import Any, Final

from sqlalchemy import Executable, delete, insert, select, update

from dialer.domain.figures.crosstabs import GROUPS_MAX
from dialer.domain.survey.survey import Prompt, Section, Survey, encode_survey
from dialer.domain.words.enums import SectionType, SubscriberStatus, TransferStatus
from dialer.store.database.database import Database
from dialer.store.tables import CallRequest, SealedSurvey, SmsReceived, Subscriber, SurveyResult, User
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.test_wall_board import call
from tests.console.visitor import Visitor

ASKED: Final = Survey(
    (
        Section(1, SectionType.MULTI_CHOICE, HOSTILE, Prompt()),
        Section(2, SectionType.RECORD_MESSAGE, "Why?", Prompt()),
        Section(3, SectionType.RATING, "How many stars?", Prompt()),
    )
)
RECORDED: Final = 2
"""The section whose answers are recordings."""
GIVEN: Final = ((1, 1, "yes"), (1, 1, "no"), (2, 1, "no"), (3, 1, HOSTILE), (1, 2, "a.wav"), (2, 2, "b.wav"))
"""People, sections and answers. The first person corrects the answer."""
CITIES: Final = ("Ulm", HOSTILE, "")


def polled(api: Caller, database: Database) -> int:
    """Store a campaign of four people, of whom three have answered, and return its id."""
    identity = campaign(api)

    def answer(place: int, person: int, section: int, response: str) -> Executable:
        values: dict[str, Any] = {
            "user_id": 2,
            "campaign_id": identity,
            "callrequest_id": person,
            "section_id": section,
        }
        values |= {"section_type": section, "question": "?", "response": response, "created_date": NOW_MS + place}
        values["record_file"] = response if section == RECORDED else ""
        return insert(SurveyResult).values(values)

    store(
        database,
        update(SealedSurvey).where(SealedSurvey.id == identity).values(document=encode_survey(ASKED)),
        *(
            update(Subscriber).where(Subscriber.id == person).values(additional_vars=json.dumps({"Ort": city}))
            for person, city in enumerate(CITIES, 1)
        ),
        *(call(person)[0] for person in (1, 2, 3)),
        *(answer(place, *one) for place, one in enumerate(GIVEN)),
    )
    return identity


def test_answers_are_told_in_words_each_person_once(
    alice: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    identity = polled(api, database)
    assert "In words" in alice.text(f"campaigns/{identity}/")
    text = alice.text(f"campaigns/{identity}/summary/")
    assert "3 of 4 people answered." in text
    assert "2 of 3 answered: no. 3 people answered this question." in text
    assert "no 2 66.7 % ± 36.5" in text
    assert "2 people left a recording. Listen" in text
    assert "How many stars?" not in text
    assert "PDF Share by a link… Send by mail…" in text
    form = alice.get(f"records/report-schedule/new/?campaign={identity}&report=answers&name=Poll")
    assert f'<option value="{identity}" selected>' in form
    assert bob.request("GET", f"campaigns/{identity}/summary/").status_code == 404
    store(database, update(User).where(User.username == "alice").values(language="de"))
    assert "2 von 3 haben geantwortet: no." in alice.text(f"campaigns/{identity}/summary/")


def test_answers_are_crossed_with_a_column_of_the_list(alice: Visitor, api: Caller, database: Database) -> None:
    identity = polled(api, database)
    page = alice.get(f"campaigns/{identity}/summary/?by=Ort")
    assert "<script>alert" not in page
    text = alice.text(f"campaigns/{identity}/summary/?by=Ort")
    assert "By Ort: people, and their share of those in the same row who answered." in text
    assert "Ulm 1 1 100.0 %" in text
    assert "no value 1 0 0.0 %" in text
    assert "By Ort" not in alice.text(f"campaigns/{identity}/summary/?by=Nothing")


def test_a_column_that_names_people_is_not_crossed(alice: Visitor, api: Caller, database: Database) -> None:
    identity = polled(api, database)
    text = "Ort has too many different values for a table."
    assert text not in alice.text(f"campaigns/{identity}/summary/?by=Ort")
    people = range(GROUPS_MAX + 1)
    columns: dict[str, Any] = {
        "campaign_id": identity,
        "zone": "",
        "gmt_offset": "",
        "tz_code": "",
        "full_name": "",
        "status": 5,
    }
    columns |= {"created_date": NOW_MS, "updated_date": NOW_MS}
    result: dict[str, Any] = {
        "user_id": 2,
        "campaign_id": identity,
        "section_id": 1,
        "section_type": 1,
        "question": "?",
    }
    result |= {"response": "yes", "created_date": NOW_MS}
    for person in (900 + place for place in people):
        number = f"+1202556{person:04}"
        listed = {"number": number, "duplicate_contact": number, "additional_vars": json.dumps({"Ort": number})}
        store(
            database,
            insert(Subscriber).values(id=person, **columns, **listed),
            call(person)[0],
            insert(SurveyResult).values(callrequest_id=person, **result),
        )
    page = alice.text(f"campaigns/{identity}/summary/?by=Ort")
    assert text in page
    assert "people answered this question." in page


SCALES: Final = Survey(
    (
        Section(1, SectionType.MULTI_CHOICE, "Would you recommend us?", Prompt(), key_labels={"1": "10", "2": "0"}),
        Section(2, SectionType.RECORD_MESSAGE, "Why?", Prompt()),
        Section(3, SectionType.RATING, "How many stars?", Prompt()),
    )
)


def test_a_scale_shows_the_marks_that_nobody_gave(alice: Visitor, api: Caller, database: Database) -> None:
    """Without them, two of five stars look like the better end of a scale of two."""
    identity = polled(api, database)
    stars = Survey((Section(1, SectionType.RATING, "How many stars?", Prompt(), rating_laps=5),))
    store(
        database,
        update(SealedSurvey).where(SealedSurvey.id == identity).values(document=encode_survey(stars)),
        update(SurveyResult).where(SurveyResult.section_id == 1).values(response="2", section_type=3),
    )
    text = alice.text(f"campaigns/{identity}/summary/?by=Ort")
    assert "All answered: 2. The mean of 3 answers is 2.00, on a scale from 1 to 5." in text
    assert "Answer Share People 1 0 0.0 %" in text
    assert "Ort People Mean 1 2 3 4 5" in text
    assert "5 0 0.0 %" in text
    assert "Answer Share Calls 1 0 0.0 % 2 4 100.0 % 3 0 0.0 % 4 0 0.0 % 5 0 0.0 %" in alice.text(
        f"campaigns/{identity}/report/"
    )


def test_scales_have_their_order_and_a_mean_and_days_are_days(alice: Visitor, api: Caller, database: Database) -> None:
    """The most frequent mark stays the one of the sentence."""
    identity = polled(api, database)
    days = ("2026-11-20", "2026-03-01", "2026-03-01")
    store(
        database,
        update(SealedSurvey).where(SealedSurvey.id == identity).values(document=encode_survey(SCALES)),
        *(
            update(Subscriber).where(Subscriber.id == person).values(additional_vars=json.dumps({"Visit": day}))
            for person, day in enumerate(days, 1)
        ),
        *(
            update(SurveyResult).where(SurveyResult.response == given).values(response=mark)
            for given, mark in (("yes", "2"), ("no", "10"), (HOSTILE, "0"))
        ),
    )
    text = alice.text(f"campaigns/{identity}/summary/?by=Visit")
    assert "2 of 3 answered: 10. The mean of 3 answers is 6.67, on a scale from 0 to 10." in text
    assert "Answer Share People 0 1 33.3 % ± 36.5 10 2 66.7 % ± 36.5" in text
    assert "Visit People Mean 0 10 01 Mar 2026 2 5.00 n = 2" in text
    assert "20 Nov 2026 1 10.00 n = 1" in text
    assert (
        "2 people left a recording. Listen By Visit: people who left a recording. Visit People 01 Mar 2026 1 20" in text
    )
    page = alice.text(f"campaigns/{identity}/")
    assert "3 answers · Mean 6.67" in page or "4 answers · Mean" in page
    assert "2 recordings Listen" in page
    aggregate = api.get(f"surveyaggregate/{identity}/")["sections"]
    assert [one["response"] for one in aggregate[0]["answers"]] == ["0", "2", "10"]
    assert [one["mean"] for one in aggregate] == [5.5, None, None]


def test_recorded_answers_are_heard_by_those_who_see_the_campaign(
    alice: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    identity = polled(api, database)
    recorded = update(SurveyResult).where(SurveyResult.section_id == RECORDED)
    store(database, recorded.values(recording_duration=7, question=HOSTILE))
    assert f'href="/console/campaigns/{identity}/recordings/?section=2"' in alice.get(f"campaigns/{identity}/summary/")
    page = alice.get(f"campaigns/{identity}/recordings/?section=2")
    assert page.count("<audio") == 2
    assert "<script>alert" not in page
    assert "7 s" in page
    for query in ("section=1", "before=1", "section=x&before=1"):
        assert "<audio" not in alice.get(f"campaigns/{identity}/recordings/?{query}")
    assert bob.request("GET", f"campaigns/{identity}/recordings/").status_code == 404
    store(database, recorded.values(record_file=""))
    assert "There is no recorded answer." in alice.text(f"campaigns/{identity}/recordings/")


def test_every_page_counts_the_recordings_that_are_there(alice: Visitor, api: Caller, database: Database) -> None:
    """One that was erased keeps its length, and nobody can hear it."""
    identity = polled(api, database)
    assert "2 recordings Listen" in alice.text(f"campaigns/{identity}/report/")
    erased = update(SurveyResult).where(SurveyResult.response == "b.wav")
    store(database, erased.values(response="erased", record_file="", recording_duration=7, section_type=5))
    assert "1 person left a recording." in alice.text(f"campaigns/{identity}/summary/")
    assert alice.get(f"campaigns/{identity}/recordings/?section=2").count("<audio") == 1
    for page in ("report/", ""):
        assert "1 recording Listen" in alice.text(f"campaigns/{identity}/{page}")
    store(database, update(SurveyResult).values(record_file=""))
    assert "left a recording" not in alice.text(f"campaigns/{identity}/summary/")
    assert "0 recordings" in alice.text(f"campaigns/{identity}/report/")


def test_a_mark_has_one_share_however_it_was_keyed(alice: Visitor, api: Caller, database: Database) -> None:
    identity = polled(api, database)
    result = {"user_id": 2, "campaign_id": identity, "section_id": 3, "section_type": 3, "question": "?"}
    store(
        database,
        insert(SurveyResult).values(
            [
                {**result, "callrequest_id": place, "callid": str(place), "created_date": NOW_MS, "response": mark}
                for place, mark in enumerate(("07", "7", "10"), 1)
            ]
        ),
    )
    text = alice.text(f"campaigns/{identity}/summary/")
    assert "7 2 66.7 % ± 36.5 8 0 0.0 %" in text
    assert "10 1 33.3 % ± 36.5" in text
    for page in ("report/", ""):
        assert "7 2 66.7 % 8 0 0.0 % 9 0 0.0 % 10 1 33.3 %" in alice.text(f"campaigns/{identity}/{page}")
    answers = api.get(f"surveyaggregate/{identity}/")["sections"][-1]["answers"]
    assert [(one["response"], one["count"], one["percent"]) for one in answers] == [("7", 2, 66.67), ("10", 1, 33.33)]


def test_people_who_completed_without_an_answer_are_told_apart(alice: Visitor, api: Caller, database: Database) -> None:
    """A sheet, the page in words and a shared report have the same people."""
    identity = polled(api, database)
    silent = "person came to the end of the survey without an answer."
    assert silent not in alice.text(f"campaigns/{identity}/summary/")
    fourth = database.read_now(lambda connection: max(connection.scalars(select(Subscriber.id))))
    store(database, call(fourth)[0], update(Subscriber).values(status=int(SubscriberStatus.COMPLETED)))
    assert f"3 of 4 people answered. 1 {silent}" in alice.text(f"campaigns/{identity}/summary/")
    file = alice.request("GET", f"campaigns/{identity}/results/export/?format=csv").text
    assert (file.count(",Completed,"), file.count(',"Completed, without an answer",')) == (3, 1)


def test_people_who_hung_up_before_the_first_question_are_not_told_as_reached(
    alice: Visitor, api: Caller, database: Database
) -> None:
    """One who has hung up, one with whom an agent has talked, and one of whom no call is left."""
    identity = polled(api, database)
    sent = update(Subscriber).values(status=int(SubscriberStatus.SENT))
    store(database, sent, delete(SurveyResult), delete(CallRequest).where(CallRequest.id == 3))
    amy = int(api.create("agent", name="Amy")["id"])
    store(
        database,
        call(2, agent_id=amy, queue_id=None, status=TransferStatus.OVER, joined_ms=NOW_MS, answered_ms=NOW_MS)[1],
    )
    file = alice.request("GET", f"campaigns/{identity}/results/export/?format=csv").text
    assert (file.count(',"Took the call, gave no answer",'), file.count(",Reached,")) == (1, 3)
    said = "0 of 4 people answered. 1 person took the call and gave no answer."
    assert said in alice.text(f"campaigns/{identity}/summary/")


def test_replies_by_text_are_told_with_those_who_want_no_more(alice: Visitor, api: Caller, database: Database) -> None:
    """Each number once: one who said STOP after an answer, one whom a user understood, one to look at, one thanks."""
    identity = polled(api, database)
    for page in ("summary", "report"):
        assert "by text." not in alice.text(f"campaigns/{identity}/{page}/")
    given: dict[str, Any] = {"gateway_id": 1, "said": "?", "created_date": NOW_MS, "updated_date": NOW_MS, "number": ""}
    texts: list[dict[str, Any]] = [
        {"phone_number": "+1", "understood": "other"},
        {"phone_number": "+1", "understood": "stop"},
        {"phone_number": "+2", "understood": "perhaps", "verdict": "do_not_call"},
        {"phone_number": "+3", "understood": "perhaps", "needs_person": True},
        {"phone_number": "+4", "understood": "other"},
    ]
    own = [insert(SmsReceived).values({**given, **one, "user_id": 2, "campaign_id": identity}) for one in texts]
    other = insert(SmsReceived).values({**given, **texts[4], "user_id": 2, "campaign_id": identity + 1})
    store(database, *own, other)
    said = "4 people replied by text. 2 of them want no more calls and messages."
    for page in ("summary", "report"):
        found = alice.text(f"campaigns/{identity}/{page}/")
        assert f"{said} Replies that a user has still to look at: 1." in found


def test_people_whose_calls_were_removed_may_have_answered(alice: Visitor, api: Caller, database: Database) -> None:
    """Their answers went with the calls, and the people stay."""
    identity = polled(api, database)
    completed = update(Subscriber).values(status=int(SubscriberStatus.COMPLETED))
    store(database, completed, delete(SurveyResult).where(SurveyResult.callrequest_id == 1))
    assert told_apart(alice, identity) == (3, 1)
    store(database, delete(CallRequest).where(CallRequest.id == 1))
    assert told_apart(alice, identity) == (4, 0)


def test_people_whom_a_survey_never_asked_are_not_without_an_answer(
    alice: Visitor, api: Caller, database: Database
) -> None:
    """The survey asks only those for whom no agent was free."""
    identity = polled(api, database)
    transfers = Section(4, SectionType.CALL_TRANSFER, "To us", Prompt(), queue_id=1)
    asked = Survey((transfers, *ASKED.sections, Section(5, SectionType.SMS, "A text", Prompt())))
    result = {"user_id": 2, "campaign_id": identity, "created_date": NOW_MS, "question": "?"}
    sealed = update(SealedSurvey).where(SealedSurvey.id == identity)
    store(
        database,
        update(Subscriber).values(status=int(SubscriberStatus.COMPLETED)),
        delete(SurveyResult),
        sealed.values(document=encode_survey(asked)),
        insert(SurveyResult).values(**result, callrequest_id=1, section_id=4, section_type=6, response="queue: 1"),
        insert(SurveyResult).values(**result, callrequest_id=2, section_id=5, section_type=10, response="SMS: +1"),
    )
    assert told_apart(alice, identity) == (2, 2)


def told_apart(alice: Visitor, identity: int) -> tuple[int, int]:
    """Return the people of a sheet who completed, and those who did so without an answer, as the page has them, too."""
    file = alice.request("GET", f"campaigns/{identity}/results/export/?format=csv").text
    silent = file.count(',"Completed, without an answer",')
    said = f"{silent} {'person' if silent == 1 else 'people'} came to the end of the survey without an answer."
    assert (said in alice.text(f"campaigns/{identity}/summary/")) is (silent > 0)
    return file.count(",Completed,"), silent
