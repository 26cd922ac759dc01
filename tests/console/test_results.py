"""Tests of the file of results: what became of each person of a campaign, in words."""

import csv
import io
from typing import Final

from sqlalchemy import delete, insert, update

from dialer.store.database.database import Database
from dialer.store.tables import CallDisposition, Campaign, CampaignPhonebook, Subscriber, User
from tests.api.harness import NOW_MS, Caller
from tests.console.building import campaign, store
from tests.console.test_figures import FORMULA, sheet_in
from tests.console.test_wall_board import call
from tests.console.visitor import Visitor

LIST_ROW: Final = '{"Ort": "K\u00f6ln", "Plan": [1], "first_name": "J."}'


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
    )
    answer = alice.request("GET", f"campaigns/{identity}/results/export/")
    head, *rows = csv.reader(io.StringIO(answer.text, newline=""))
    assert head == [
        *("Name", "Number", "State", "Reason", "Attempts", "Last attempt", "Agent", "Outcome", "Note", "Call back"),
        *("Ort", "Plan", "later"),
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
            "Ann",
            "Call back",
            f"'{FORMULA}",
            at,
            "K\u00f6ln",
            "[1]",
            "",
        ],
        ["", "+12025550101", "Not reached", "The line was busy", "0", *[""] * 8],
        ["", "+12025550102", "Unknown", "", "0", *[""] * 8],
        ["", "+12025550103", "Waiting", "", "0", *[""] * 8],
    ]
    answer = alice.request("GET", f"campaigns/{identity}/results/export/?format=xlsx")
    assert [row[0] for row in sheet_in(answer.content).iter_rows(values_only=True)][:2] == ["Name", "J\u00fcrgen"]
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
    assert head.endswith(",Call back,Plan")
