"""Voice campaigns: their defaults, their rules, their life."""

import re

import pytest
from sqlalchemy import update

from dialer.domain.words.enums import CampaignStatus
from dialer.resources.records.campaigns import CAMPAIGNS
from dialer.resources.records.messages import SMS_CAMPAIGNS
from dialer.store.database.database import Database
from dialer.store.tables import CallRequest
from tests.api.builders import Estate
from tests.api.crud.test_statements import heard
from tests.api.harness import BASE, NOW, Caller, FakeWorker, Json

DATES = {"startingdate": "2026-11-18T00:00:00Z", "expirationdate": "2026-11-30T00:00:00Z"}


@pytest.mark.parametrize(
    ("given", "is_long"),
    [
        ({"purpose": "sales"}, True),
        ({"seller": "Ada & Co"}, True),
        ({"phonebook": []}, True),
        ({"status": CampaignStatus.START}, True),
        ({"status": CampaignStatus.PAUSE, "name": "spring"}, False),
    ],
)
def test_a_change_that_may_write_hundreds_of_rows_lets_others_pass(given: Json, *, is_long: bool) -> None:
    assert [resource.takes_long(given) for resource in (CAMPAIGNS, SMS_CAMPAIGNS)] == [is_long, is_long]


def test_a_campaign_has_defaults_for_all_but_three_fields(alice: Caller, estate: Estate) -> None:
    campaign = alice.create("campaigns", **estate.campaign_fields(), status=1)
    assert re.fullmatch("[A-Z]{5}", campaign.pop("campaign_code"))
    assert campaign == {
        "id": 3,
        "url": f"{BASE}/campaigns/3/",
        "name": "spring",
        "description": "",
        "purpose": "",
        "sector": "",
        "seller": "",
        "requires_consent": "",
        "callerid": "",
        "callerid_group": None,
        "startingdate": NOW,
        "expirationdate": "2026-11-19T11:06:40Z",
        "end_when_done": True,
        "daily_start_time": "00:00:00",
        "daily_stop_time": "23:59:59",
        **dict.fromkeys(("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"), True),
        "frequency": 10,
        "max_aleg": 0,
        "max_xfer": 0,
        "dial_method": 1,
        "agent_dial_rate": 1,
        "preview_seconds": 60,
        "preview_calls": False,
        "manual_dialling": False,
        "abandon_rate_max": 3,
        "abandon_hours": 720,
        "abandon_allowance": False,
        "callmaxduration": 1800,
        "maxretry": 0,
        "intervalretry": 300,
        "call_back_wait": 900,
        "completion_maxretry": 0,
        "abandoned_maxretry": 0,
        "carrier_maxretry": 0,
        "abandoned_intervalretry": 259_200,
        "completion_intervalretry": 900,
        "calltimeout": 45,
        "aleg_gateway": estate.gateway["url"],
        "sms_gateway": None,
        "object_id": str(estate.survey["id"]),
        "extra_data": "",
        "record": "no",
        "record_notice": None,
        "record_notice_script": "",
        "record_refuse_key": "",
        "record_days": 0,
        "transcribe": False,
        "dispositions": "",
        "agent_script": "",
        "agent_fields": "",
        "crm_url": "",
        "voicemail": False,
        "amd_behavior": 1,
        "machine_is_reached": False,
        "amd_sensitivity": 2,
        "voicemail_audiofile": None,
        "dnc": None,
        "dnc_lists": [],
        "user": f"{BASE}/users/2/",
        "phonebook": [],
        "status": 0,
        "status_reason": "",
        "activity": {"code": "not_started", "reason": "", "until": None},
        "source_campaign": None,
        "totalcontact": 0,
        "completed": 0,
        "calls": 0,
        "answered": 0,
        "machine_answered": 0,
        "live_answered": 0,
        "abandoned": 0,
        "cost": "0.00000",
        "currency": "",
        "created_date": NOW,
        "updated_date": NOW,
    }


def test_a_campaign_is_made_of_strings_too(alice: Caller, estate: Estate) -> None:
    fields = {
        "frequency": "20",
        "callmaxduration": "50",
        "maxretry": "3",
        "agent_dial_rate": "1.5",
        "voicemail": "False",
        "amd_behavior": "1",
        "sms_gateway": "",
        "voicemail_audiofile": "",
        "dnc": "",
        "callerid_group": "",
        "startingdate": "2026-11-18 00:00:00",
        "daily_start_time": "08:00",
        "phonebook": str(estate.phonebook["id"]),
        "object_id": estate.survey["url"],
    }
    campaign = alice.create("campaigns", **{**estate.campaign_fields(), **fields})
    shown = {name: campaign[name] for name in fields}
    assert shown == {
        "frequency": 20,
        "callmaxduration": 50,
        "maxretry": 3,
        "agent_dial_rate": 1.5,
        "voicemail": False,
        "amd_behavior": 1,
        "sms_gateway": None,
        "voicemail_audiofile": None,
        "dnc": None,
        "callerid_group": None,
        "startingdate": "2026-11-18T00:00:00Z",
        "daily_start_time": "08:00:00",
        "phonebook": [estate.phonebook["url"]],
        "object_id": str(estate.survey["id"]),
    }
    assert campaign["expirationdate"] == "2026-11-19T00:00:00Z"


def test_a_campaign_chooses_how_readily_answers_are_those_of_machines(alice: Caller, estate: Estate) -> None:
    campaign = alice.create("campaigns", **estate.campaign_fields(), voicemail=True, amd_sensitivity="1")
    assert campaign["amd_sensitivity"] == 1
    alice.change(campaign["url"], amd_sensitivity=3)
    assert alice.get(campaign["url"])["amd_sensitivity"] == 3
    status, errors = alice.refused("PATCH", campaign["url"], amd_sensitivity=4)
    said = '"4" is not a valid choice. Use one of: 1 (cautious), 2 (balanced), 3 (eager).'
    assert (status, errors) == (400, {"amd_sensitivity": [said]})


def test_rules_hold_for_the_whole_campaign(alice: Caller, estate: Estate) -> None:
    url = estate.campaign["url"]
    assert alice.refused("PATCH", url, expirationdate=NOW, daily_stop_time="00:00") == (
        400,
        {
            "expirationdate": [f"{NOW} is not after startingdate, {NOW}. Set a later expirationdate."],
            "daily_stop_time": ["'00:00:00' is also daily_start_time. Set another time, so that the window opens."],
        },
    )
    alice.change(url, expirationdate="2026-11-30T00:00:00+01:00", daily_start_time="22:00", daily_stop_time="06:00")


def start(alice: Caller, estate: Estate, **fields: Json) -> str:
    """Start the campaign, which calls the phonebook; its URL."""
    url: str = estate.campaign["url"]
    alice.change(url, status=1, phonebook=[estate.phonebook["url"]], **DATES, **fields)
    return url


def test_a_start_collects_the_contacts_and_tells_the_worker(alice: Caller, estate: Estate, worker: FakeWorker) -> None:
    before = worker.settled
    url = start(alice, estate)
    assert worker.settled == before + 1
    assert alice.get(url)["status"] == 1
    assert [found["duplicate_contact"] for found in alice.get("subscriber-list/")] == ["+12025550122", "+12025550100"]
    alice.create("contact", contact="+12025550177", phonebook=estate.phonebook["url"])
    assert alice.get(url)["totalcontact"] == len(alice.get("subscriber-list/")) == 3
    other = alice.create("phonebook", name="others")
    alice.create("contact", contact="+12025550178", phonebook=other["url"])
    alice.change(url, phonebook=[estate.phonebook["id"], other["id"]])
    assert alice.get(url)["totalcontact"] == len(alice.get("subscriber-list/")) == 4


def test_a_start_that_cannot_be_names_the_field_and_changes_nothing(alice: Caller, estate: Estate) -> None:
    late = {"startingdate": "2026-01-01T00:00:00Z", "expirationdate": "2026-01-02T00:00:00Z"}
    answer = alice.refused("PATCH", estate.campaign["url"], status=1, name="renamed", **late)
    assert answer == (400, {"expirationdate": ["The campaign has expired. Set a later expirationdate."]})
    assert alice.get(estate.campaign["url"]) == estate.campaign | {"totalcontact": 1}


def test_a_campaign_moves_only_where_it_may(alice: Caller, estate: Estate) -> None:
    url = start(alice, estate)
    for status in (1, 2, 2, 1, 4, 4):
        alice.change(url, status=status)
        assert alice.get(url)["status"] == status
    refusal = (409, {"status": ["A campaign in 4 (END) cannot change to 1 (START). Allowed: no other status."]})
    assert alice.refused("PATCH", url, status=1, name="renamed") == refusal
    assert alice.get(url)["name"] == "spring"
    said = '"7" is not a valid choice. Use one of: 0 (new), 1 (start), 2 (pause), 3 (abord), 4 (end).'
    assert alice.refused("PATCH", url, status=7) == (400, {"status": [said]})
    alice.change(url, name="renamed")


def test_a_started_campaign_keeps_its_survey_and_its_payer(alice: Caller, admin: Caller, estate: Estate) -> None:
    url = start(alice, estate)
    other = alice.create("survey-template", name="other")
    sealed = "A started campaign plays the survey of its first start, so it may get no other. Create a new campaign."
    assert alice.refused("PATCH", url, object_id=other["id"]) == (400, {"object_id": [sealed]})
    answer = admin.refused("PATCH", url, user=3)
    payer = "The campaign has been started, so its user may not be changed. Create a new campaign."
    assert (answer[0], answer[1]["user"]) == (400, [payer])
    alice.change(url, object_id=estate.survey["id"], user=2)
    assert alice.request("DELETE", estate.survey["url"]).status_code == 204
    alice.change(url, name="still fine")


def test_a_campaign_is_deleted_once_it_is_at_rest(alice: Caller, estate: Estate, database: Database) -> None:
    url = start(alice, estate)
    refusal = (409, {"detail": "The campaign is in 1 (START): pause, abort or end it first."})
    assert alice.refused("DELETE", url) == refusal
    alice.change(url, status=2)

    def put(status: int) -> None:
        statement = update(CallRequest).where(CallRequest.id == estate.call_id).values(status=status)
        database.write_now(lambda connection: connection.execute(statement))

    put(7)
    assert alice.refused("DELETE", url) == (
        409,
        {"detail": "The campaign has calls in progress. Delete it when they are over."},
    )
    put(4)
    answer = alice.request("DELETE", url)
    assert (answer.status_code, answer.json()) == (200, {"data": "campaign deleted"})
    cdr = alice.get(f"cdr/{estate.cdr_id}/")
    assert (cdr["campaign"], cdr["callrequest"], cdr["call_cost"]) == (None, None, "1.23456")


def test_the_answers_of_a_deleted_campaign_are_found_by_the_callid_of_their_cdr(
    alice: Caller, bob: Caller, estate: Estate
) -> None:
    before = alice.get(f"survey-result/{estate.result_id}/")
    assert alice.request("DELETE", estate.campaign["url"]).status_code == 200
    callid = alice.get(f"cdr/{estate.cdr_id}/")["callid"]
    assert alice.get("survey-result/", callid=callid)["results"] == [before | {"campaign": None, "callrequest": None}]
    assert bob.get("survey-result/", callid=callid)["results"] == []
    assert bob.refused("GET", f"survey-result/{estate.result_id}/") == (404, {"detail": "Not found."})


def test_the_answers_of_a_deleted_subscriber_stay(alice: Caller, estate: Estate) -> None:
    before = alice.get(f"survey-result/{estate.result_id}/")
    assert alice.request("DELETE", estate.subscriber["url"]).status_code == 200
    assert alice.get(f"survey-result/{estate.result_id}/") == before | {"callrequest": None}


def test_a_status_and_other_fields_are_written_once(alice: Caller, estate: Estate, database: Database) -> None:
    alice.get("phonebook/")  # From here on the password is known.
    with heard(database) as statements:
        alice.change(estate.campaign["url"], status=4, name="autumn")
    assert [text.split()[:2] for text, _ in statements if text.startswith("UPDATE")] == [["UPDATE", "campaign"]]
    stored = alice.get(estate.campaign["url"])
    assert (stored["status"], stored["status_reason"], stored["name"]) == (4, "user", "autumn")


def test_at_most_all_answered_calls_may_be_abandoned(alice: Caller, estate: Estate) -> None:
    wrong = {"abandon_rate_max": ["Ensure this value is less than or equal to 100."]}
    assert alice.refused("PATCH", estate.campaign["url"], abandon_rate_max="100.1") == (400, wrong)
    alice.change(estate.campaign["url"], abandon_rate_max="99.9")
    assert alice.get(estate.campaign["url"])["abandon_rate_max"] == 99.9
