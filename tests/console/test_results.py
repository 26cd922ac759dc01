"""Tests of the file of results: what became of each person of a campaign, in words."""

import csv
import io
import zipfile
from typing import Final

from sqlalchemy import Executable, delete, insert, update

from dialer.domain.survey.survey import Prompt, Section, Survey, encode_survey
from dialer.domain.words.enums import SectionType
from dialer.store.database.database import Database
from dialer.store.tables import (
    CallDisposition,
    Campaign,
    CampaignPhonebook,
    SealedSurvey,
    Subscriber,
    SurveyResult,
    User,
)
from tests.api.harness import HOST, NOW_MS, Caller
from tests.console.building import campaign, store
from tests.console.test_calls import cdr
from tests.console.test_figures import FORMULA, sheet_in
from tests.console.test_wall_board import call
from tests.console.visitor import Visitor

LIST_ROW: Final = '{"Ort": "K\u00f6ln", "Plan": [1], "first_name": "J."}'
ASKED: Final = Survey(
    (
        Section(1, SectionType.MULTI_CHOICE, "Will you come?", Prompt()),
        Section(2, SectionType.RECORD_MESSAGE, "Why?", Prompt()),
        Section(3, SectionType.PLAY_MESSAGE, "Thanks", Prompt()),
        Section(4, SectionType.MULTI_CHOICE, "Will you come?", Prompt()),
    )
)
HEARD: Final = f"http://{HOST}/console/answers/3/recording/"


def answers(campaign_id: int) -> list[Executable]:
    """Return statements that store two answers to a question, a recording, and the costs of the call's two legs."""
    given = [(1, 2, "no", "", None), (1, 2, FORMULA, "", None), (2, 4, "a.wav", "a.wav", 12)]
    return [
        *(
            insert(SurveyResult).values(
                user_id=2,
                campaign_id=campaign_id,
                callrequest_id=1,
                section_id=section,
                section_type=kind,
                question="?",
                response=response,
                record_file=file,
                recording_duration=seconds,
                created_date=NOW_MS,
            )
            for section, kind, response, file, seconds in given
        ),
        *(cdr(leg, leg_type=leg, call_cost=10_000 * leg, callrequest_id=1) for leg in (1, 2)),
    ]


def test_results_are_exported_a_row_a_person_in_words_with_the_columns_of_the_list(
    alice: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    identity = campaign(api)
    api.create("queue", name="Sales")
    api.create("agent", name="Ann")
    said = {"disposition": "call_back", "word": "", "note": FORMULA, "call_back_ms": NOW_MS, "user_id": 2}
    store(
        database,
        update(Subscriber).where(Subscriber.id == 1).values(full_name="J\u00fcrgen", additional_vars=LIST_ROW),
        update(Subscriber).where(Subscriber.id == 1).values(status=5, count_attempt=2, last_attempt=NOW_MS),
        update(Subscriber).where(Subscriber.id == 2).values(status=4, status_reason="busy"),
        update(Subscriber).where(Subscriber.id == 3).values(status=99, additional_vars='{"later": null}'),
        *call(1, agent_id=1, answered_ms=NOW_MS, joined_ms=NOW_MS, status=3),
        insert(CallDisposition).values(callrequest_id=1, created_date=NOW_MS, updated_date=NOW_MS, **said),
        update(SealedSurvey).where(SealedSurvey.id == identity).values(document=encode_survey(ASKED)),
        *answers(identity),
    )
    answer = alice.request("GET", f"campaigns/{identity}/results/export/")
    head, *rows = csv.reader(io.StringIO(answer.text, newline=""))
    assert head == [
        *("Name", "Number", "State", "Reason", "Attempts", "Last attempt (UTC)", "Cost", "Agent", "Outcome", "Note"),
        *(
            "Call back (UTC)",
            "Will you come?",
            "Why? (seconds)",
            "Why?, recording",
            "Will you come? (2)",
            "Ort",
            "Plan",
        ),
        "later",
    ]
    at = "2026-11-18 11:06:40"
    assert rows == [
        [
            "J\u00fcrgen",
            "+12025550100",
            "Reached",
            "",
            "2",
            at,
            "0.30000",
            "Ann",
            "Call back",
            f"'{FORMULA}",
            at,
            f"'{FORMULA}",
            "12",
            HEARD,
            "",
            "K\u00f6ln",
            "[1]",
            "",
        ],
        ["", "+12025550101", "Not reached", "The line was busy", "0", "", "0.00000", *[""] * 11],
        ["", "+12025550102", "Unknown", "", "0", "", "0.00000", *[""] * 11],
        ["", "+12025550103", "Waiting", "", "0", "", "0.00000", *[""] * 11],
    ]
    answer = alice.request("GET", f"campaigns/{identity}/results/export/?format=xlsx")
    first = list(sheet_in(answer.content).iter_rows(values_only=True))[1]
    assert (first[0], first[6], first[13]) == ("J\u00fcrgen", 0.3, f'=HYPERLINK("{HEARD}")')
    assert [first[place].isoformat(sep=" ", timespec="seconds") for place in (5, 10)] == [at, at]
    store(database, update(User).where(User.username == "alice").values(language="de"))
    assert ",Erreicht," in alice.request("GET", f"campaigns/{identity}/results/export/").text
    assert bob.request("GET", f"campaigns/{identity}/results/export/").status_code == 404


def test_results_of_people_who_are_called_again_have_the_columns_of_their_first_list(
    alice: Visitor, api: Caller, database: Database
) -> None:
    first = campaign(api)
    api.change("contact/1/", additional_vars='{"Plan": "Gold"}')
    second = campaign(api)
    store(
        database,
        delete(CampaignPhonebook).where(CampaignPhonebook.campaign_id == second),
        update(Campaign).where(Campaign.id == second).values(source_campaign_id=first),
    )
    head = alice.request("GET", f"campaigns/{second}/results/export/").text.splitlines()[0]
    assert head.endswith(",Call back (UTC),Plan")


def test_the_proof_of_a_campaign_is_a_zip_file_for_its_readers_only(alice: Visitor, bob: Visitor, api: Caller) -> None:
    identity = campaign(api)
    assert f'href="/console/campaigns/{identity}/proof/"' in alice.request("GET", f"campaigns/{identity}/").text
    answer = alice.request("GET", f"campaigns/{identity}/proof/")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.namelist()[-1] == "manifest.json"
    assert bob.request("GET", f"campaigns/{identity}/proof/").status_code == 404
