"""Tests of what an agent reads of a program that has talked with the callee before."""

import json
from typing import Any

import pytest
from sqlalchemy import delete, insert

from dialer.store.database.database import Database
from dialer.store.tables import LiveLeg, SurveyResult
from tests.api.harness import NOW_MS, Caller
from tests.console.building import campaign, store
from tests.console.test_desk import GUS, talk_to_gus
from tests.console.visitor import Visitor


@pytest.fixture
def gus(visitor: Visitor, api: Caller) -> Visitor:
    """Return Gus, who has signed in and is an agent of Alice's."""
    Caller(api.client, "admin").change(f"users/{GUS}/", manager="/rest-api/users/2/")
    api.create("agent", name="Gus", contact="+12025550150", login=f"/rest-api/users/{GUS}/", status=1)
    visitor.sign_in("gus")
    return visitor


def test_the_words_of_a_program_are_on_the_desk_while_the_call_goes_on_and_after_it(
    gus: Visitor, api: Caller, database: Database
) -> None:
    identity = campaign(api)
    talk_to_gus(database, identity)
    assert "The program said" not in gus.text("desk/")
    answers = [{"section_id": 1, "summary": "Wants <b>tea</b>."}, {"section_id": 2}]
    standing = json.dumps({"stage": "bridged", "results": answers})
    leg: dict[str, Any] = {"key": "leg", "call_id": 7, "medium": "voice", "gateway_id": 1, "dialling": "{}"}
    store(database, insert(LiveLeg).values(**leg, handle="", standing=standing, wanted_ms=NOW_MS))
    assert "The program said Wants <b>tea</b>." in gus.text("desk/")
    result: dict[str, Any] = {"user_id": 2, "callid": "7", "campaign_id": identity, "callrequest_id": 7}
    result |= {"section_id": 1, "section_type": 12, "question": "Talk", "response": "0", "created_date": NOW_MS}
    store(database, delete(LiveLeg), insert(SurveyResult).values(**result, summary="Wants coffee."))
    assert "The program said Wants coffee." in gus.text("desk/")
    # The desk shows the words of the last of two programs, as long as it has said anything.
    store(database, insert(SurveyResult).values(**result, summary="Also sugar."))
    store(database, insert(SurveyResult).values(**result, summary=""))
    assert "The program said Also sugar." in gus.text("desk/")
