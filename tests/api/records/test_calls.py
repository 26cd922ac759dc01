"""Attempts, call detail records and answers: what came of campaigns, to be read."""

import pytest

from tests.api.builders import Estate
from tests.api.harness import BASE, NOW, Caller


def test_a_cdr_tells_of_one_leg(alice: Caller, estate: Estate) -> None:
    assert alice.get(f"cdr/{estate.cdr_id}/") == {
        "id": 1,
        "url": f"{BASE}/cdr/1/",
        "callid": "call-2",
        "callerid": "",
        "phone_number": "+12025550122",
        "starting_date": NOW,
        "duration": 70,
        "billsec": 61,
        "call_cost": "1.23456",
        "currency": "",
        "billed_duration": 120,
        "hangup_cause_q850": 16,
        "leg_type": 1,
        "amd_status": 1,
        "callrequest": f"{BASE}/callrequest/1/",
        "campaign": estate.campaign["url"],
        "subscriber_id": estate.subscriber["id"],
        "contact_id": None,
        "agent_id": 0,
        "is_abandoned": False,
        "sound": None,
        "is_test": False,
        "tested_campaign_id": None,
    }


def test_an_attempt_tells_of_one_call(alice: Caller, estate: Estate) -> None:
    assert alice.get(f"callrequest/{estate.call_id}/") == {
        "id": 1,
        "url": f"{BASE}/callrequest/1/",
        "callid": "call-2",
        "campaign": estate.campaign["url"],
        "subscriber": estate.subscriber["url"],
        "user": f"{BASE}/users/2/",
        "gateway_id": estate.gateway["id"],
        "attempt": 1,
        "did": None,
        "phone_number": "+12025550122",
        "dialled_number": "",
        "callerid": "",
        "status": 4,
        "status_reason": "",
        "starting_date": NOW,
        "ending_date": None,
        "hangup_cause_q850": None,
        "is_test": False,
        "tested_campaign_id": None,
    }


def test_a_transfer_tells_how_a_call_came_to_somebody_else(alice: Caller, estate: Estate) -> None:
    assert alice.get("transfer/", queue_id=estate.queue["id"])["results"] == [
        {
            "id": 1,
            "url": f"{BASE}/transfer/1/",
            "callrequest": f"{BASE}/callrequest/1/",
            "place": 1,
            "section_id": estate.section["id"],
            "queue": estate.queue["url"],
            "agent": None,
            "phone_number": "",
            "status": 3,
            "reason": "gave_up",
            "is_abandoned": False,
            "joined_date": "2026-11-18T11:06:10Z",
            "starting_date": None,
            "answer_date": None,
            "ending_date": NOW,
            "waited_ms": 30_000,
            "hold_date": None,
            "on_hold_ms": 0,
            "transferred_by": None,
            "consulted": 0,
        }
    ]


def test_a_result_tells_of_one_answer(alice: Caller, estate: Estate) -> None:
    assert alice.get("survey-result/", campaign_id=estate.campaign["id"])["results"] == [
        {
            "id": 1,
            "url": f"{BASE}/survey-result/1/",
            "callid": "call-2",
            "campaign": estate.campaign["url"],
            "callrequest": f"{BASE}/callrequest/1/",
            "section_id": estate.section["id"],
            "section_type": 2,
            "question": "How are you?",
            "response": "Fine",
            "record_file": "",
            "recording_duration": None,
            "created_date": NOW,
            "summary": "",
            "is_test": False,
            "tested_campaign_id": None,
        }
    ]


@pytest.mark.parametrize("path", ["cdr", "callrequest", "transfer", "survey-result", "ledger"])
@pytest.mark.usefixtures("estate")
def test_what_came_of_campaigns_is_only_read(admin: Caller, path: str) -> None:
    assert admin.refused("POST", f"{path}/")[0] == 405
    for method in ("PUT", "PATCH", "DELETE"):
        assert admin.refused(method, f"{path}/1/")[0] == 405
