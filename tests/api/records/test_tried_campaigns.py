"""Tests of calls, answers and messages of a campaign's test: lists and exports say so, and lists can leave them out."""

from functools import partial
from typing import Any, Final

import pytest
from sqlalchemy import Connection, RowMapping, Select, insert, select, update

from dialer.store.database.database import Database
from dialer.store.tables import CallRequest, Campaign, Cdr, SmsMessage, SurveyResult
from tests.api.builders import Estate
from tests.api.harness import Caller
from tests.console.building import store

LISTS: Final = {"callrequest": CallRequest, "cdr": Cdr, "survey-result": SurveyResult, "sms-message": SmsMessage}


def _row(connection: Connection, query: Select[Any]) -> RowMapping:
    return connection.execute(query).mappings().one()


def try_campaigns(database: Database, voice_id: int, sms_id: int) -> None:
    """Make each call, CDR, answer and message one of a test: of the campaign of calls, or of that of texts."""
    for identity, trial_id in ((voice_id, 71), (sms_id, 72)):
        columns = select(*(column for column in Campaign.__table__.c if column.name != "id"))
        tried = columns.where(Campaign.id == identity)
        row = database.read_now(partial(_row, query=tried))
        trial = {**row, "id": trial_id, "campaign_code": f"T{trial_id}", "trial_of_id": identity}
        store(database, insert(Campaign).values(trial))
    for table in LISTS.values():
        trial_id = 72 if table is SmsMessage else 71
        store(database, update(table).values(campaign_id=trial_id))
    store(database, update(Cdr).values(is_test=True))


@pytest.mark.parametrize("path", LISTS)
def test_what_came_of_a_test_says_so_and_can_be_left_out(
    alice: Caller, bob: Caller, estate: Estate, database: Database, path: str
) -> None:
    def told(caller: Caller, **wanted: str) -> list[tuple[int, bool, int | None]]:
        found = caller.get(f"{path}/", **wanted)["results"]
        return [(one["id"], one["is_test"], one["tested_campaign_id"]) for one in found]

    sms_id = alice.get("sms-campaigns/")["results"][0]["id"]
    real = told(alice)
    assert {one[1:] for one in real} == {(False, None)}
    assert (told(alice, is_test="false"), told(alice, is_test="true")) == (real, [])
    try_campaigns(database, estate.campaign["id"], sms_id)
    tried_id = sms_id if path == "sms-message" else estate.campaign["id"]
    tests = [(one[0], True, tried_id) for one in real]
    assert (told(alice), told(alice, is_test="true"), told(alice, is_test="false")) == (tests, tests, [])
    assert alice.get(f"{path}/{real[0][0]}/")["tested_campaign_id"] == tried_id
    assert told(bob, is_test="true") == []
    assert alice.refused("GET", f"{path}/?is_test=maybe")[0] == 400
    # A CDR of a deleted campaign knows by itself that it is of a test, and an answer by its CDR.
    if path in ("cdr", "survey-result"):
        store(database, *(update(table).values(campaign_id=None) for table in (Cdr, SurveyResult)))
        left = [(one[0], True, None) for one in real]
        assert (told(alice), told(alice, is_test="true"), told(alice, is_test="false")) == (left, left, [])
        store(database, update(Cdr).values(is_test=False))
        assert (told(alice), told(alice, is_test="true"), told(alice, is_test="false")) == (real, [], real)


def test_an_export_names_the_campaign_that_was_tried(alice: Caller, estate: Estate, database: Database) -> None:
    try_campaigns(database, estate.campaign["id"], alice.get("sms-campaigns/")["results"][0]["id"])
    for path in ("cdr", "survey-result"):
        head, *rows = alice.request("GET", f"{path}/?format=csv").text.splitlines()
        names = head.split(",")
        assert rows != []
        values = rows[0].split(",")
        place = names.index("is_test") - len(names)
        assert (values[place], names[place + 1], values[place + 1]) == ("true", "tested_campaign_id", "1")
