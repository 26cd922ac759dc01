"""Tests of a voice campaign from a phonebook to a bill, in the steps of a client."""

import re
from typing import Any

from tests.api.harness import Caller
from tests.end_to_end.service import advance, upload

NUMBERS = ["+12025550101", "+12025550102", "+12025550100", "+12025550111", "+12025550112"]


def survey(ann: Caller) -> dict[str, Any]:
    """Create a survey: a greeting of 3 s, a choice of 2 s, then a goodbye of 1.5 s or a DNC section of 1 s."""
    template = ann.create("survey-template", name="appointment")
    hello, choice, goodbye = (upload(ann, name, seconds)["url"] for name, seconds in [("a", 3), ("b", 2), ("c", 1.5)])
    common = {"survey": template["url"]}
    first = ann.create("section-template", **common, order=1, type=1, question="Hello", audiofile=hello)
    second = ann.create(
        "section-template",
        **common,
        order=2,
        type=2,
        question="Will you come?",
        audiofile=choice,
        key_1="yes",
        key_2="no",
        timeout=4,
    )
    third = ann.create("section-template", **common, order=3, type=7, question="Bye", audiofile=goodbye, completed=True)
    fourth = ann.create("section-template", **common, order=4, type=9, question="Stop", script="no more calls")
    for section, keys, goto in [(first, "0", second), (second, "1", third), (second, "2", fourth)]:
        ann.create("branching-template", section=section["url"], keys=keys, goto=goto["url"])
    return dict(template)


def campaign(ann: Caller, admin: Caller) -> dict[str, Any]:
    """Create a campaign that dials five numbers, one every 10 s, with one retry, and do not start it."""
    phonebook = ann.create("phonebook", name="patients")
    for number in NUMBERS:
        ann.create("contact", phonebook=phonebook["url"], contact=number, full_name="Pat Doe")
    dnc = ann.create("dnc-list", name="never")
    gateway = admin.create("gateway", name="sim")
    return dict(
        ann.create(
            "campaigns",
            name="appointments",
            aleg_gateway=gateway["url"],
            object_id=str(survey(ann)["id"]),
            phonebook=[phonebook["url"]],
            dnc=dnc["url"],
            callerid="+12025550199",
            frequency=6,
            maxretry=1,
            intervalretry=60,
        )
    )


def test_a_campaign_from_a_phonebook_to_a_bill(ann: Caller, admin: Caller) -> None:
    """Callees answer 5 s after the dial or not at all. Durations are in seconds, rounded up.

    +…101 presses 1: 5 + 3 + 2 + 2 (key) + 1.5 = 13.5 s, of it 8.5 talking.
    +…102 presses 2: 5 + 3 + 2 + 2 + 1.2 (three words at 0.4 s) = 13.2 s, of it 8.2 talking.
    +…100 presses nothing: 5 + 3 + 2 + 4 (time-out) = 14 s, of it 9 talking.
    +…111 is busy after 1 s, at 30 s and again 60 s after that, at 91 s. +…112 rings for 45 s, at 40 s and at 145 s.
    """
    made = campaign(ann, admin)
    assert (made["status"], re.fullmatch("[A-Z]{5}", made["campaign_code"]) is not None) == (0, True)
    ann.change(made["url"], status=1)
    advance(admin, 3_600)

    cdrs = ann.get("cdr/", page_size=100)["results"]
    names = (
        "phone_number",
        "starting_date",
        "duration",
        "billsec",
        "billed_duration",
        "call_cost",
        "hangup_cause_q850",
    )
    assert [tuple(cdr[name] for name in names) for cdr in cdrs] == [
        ("+12025550101", "2026-03-02T12:00:00Z", 14, 9, 60, "0.02000", 16),
        ("+12025550102", "2026-03-02T12:00:10Z", 14, 9, 60, "0.02000", 16),
        ("+12025550111", "2026-03-02T12:00:30Z", 1, 0, 0, "0.00000", 17),
        ("+12025550100", "2026-03-02T12:00:20Z", 14, 9, 60, "0.02000", 16),
        ("+12025550112", "2026-03-02T12:00:40Z", 45, 0, 0, "0.00000", 19),
        ("+12025550111", "2026-03-02T12:01:31Z", 1, 0, 0, "0.00000", 17),
        ("+12025550112", "2026-03-02T12:02:25Z", 45, 0, 0, "0.00000", 19),
    ]
    assert {(cdr["leg_type"], cdr["amd_status"], cdr["callerid"], cdr["campaign"]) for cdr in cdrs} == {
        (1, 1, "+12025550199", made["url"])
    }

    subscribers = ann.request("GET", "subscriber-list/", params={"campaign_id": made["id"]}).json()
    assert [(one["duplicate_contact"], one["status"], one["count_attempt"]) for one in subscribers] == [
        ("+12025550101", 8, 1),
        ("+12025550102", 5, 1),
        ("+12025550100", 5, 1),
        ("+12025550111", 4, 2),
        ("+12025550112", 4, 2),
    ]
    results = ann.get("survey-result/", campaign_id=made["id"])["results"]
    assert [(one["question"], one["response"]) for one in results] == [
        ("Will you come?", "yes"),
        ("Will you come?", "no"),
        ("Stop", "DNC: +12025550102"),
    ]
    assert {one["phone_number"] for one in ann.get("dnc-contact/")["results"]} == {"+12025550102"}

    ended = ann.get(made["url"])
    counters = ("status", "status_reason", "totalcontact", "calls", "answered", "completed", "cost")
    assert [ended[name] for name in counters] == [4, "completed", 5, 7, 3, 1, "0.06000"]
    (user,) = ann.get("users/")["results"]
    assert user["balance"] == 0.94


def test_no_dial_follows_the_answer_to_a_pause_and_an_abort_ends_every_call(ann: Caller, admin: Caller) -> None:
    """Two dials in 15 s, then a pause; then a start, and an abort while one call rings."""
    made = campaign(ann, admin)
    ann.change(made["url"], status="1")
    advance(admin, 15)
    ann.change(made["url"], status=2)
    advance(admin, 600)
    assert ann.get("callrequest/")["count"] == 2
    ann.change(made["url"], status=1)
    advance(admin, 3)
    ann.change(made["url"], status=3)
    requests = ann.get("callrequest/")["results"]
    assert [one["status"] for one in requests] == [4, 4, 5]
    assert [cdr["duration"] for cdr in ann.get("cdr/")["results"]] == [14, 14, 3]
    assert ann.refused("PATCH", made["url"], status=1)[0] == 409
    states = [one["status"] for one in ann.request("GET", "subscriber-list/").json()]
    assert states == [8, 5, 3, 3, 3]


def test_a_campaign_whose_transfer_has_no_target_does_not_start(ann: Caller, admin: Caller) -> None:
    """The error names the field and the section, and nothing changes."""
    made = campaign(ann, admin)
    survey = f"/rest-api/survey-template/{made['object_id']}/"
    section = ann.create("section-template", survey=survey, order=5, type=6, question="Wait", script="Hold the line")
    message = f"Section {section['id']}: The transfer has neither a phonenumber nor a queue."
    assert ann.refused("PATCH", made["url"], status=1) == (400, {"object_id": [message]})
    assert ann.get(made["url"])["status"] == 0


def test_a_campaign_without_credit_pauses_and_goes_on_when_it_is_paid_for(ann: Caller, admin: Caller) -> None:
    """A balance of 0.03 pays for one minute. After a payment, the campaign can start again."""
    admin.create("payment", amount="-0.97", user=2)
    made = campaign(ann, admin)
    ann.change(made["url"], status=1)
    advance(admin, 3_600)
    paused = ann.get(made["url"])
    assert (paused["status"], paused["status_reason"], paused["calls"]) == (2, "no_credit", 1)
    assert admin.refused("POST", "payment/", amount="-0.02", user=2)[0] == 400
    admin.create("payment", amount="1", user=2)
    ann.change(made["url"], status=1)
    advance(admin, 3_600)
    assert ann.get(made["url"])["status_reason"] == "completed"


def test_a_deleted_contact_is_not_called(ann: Caller, admin: Caller) -> None:
    """The contact's subscriber is aborted, and has no call."""
    made = campaign(ann, admin)
    ann.change(made["url"], status=1)
    third = ann.get("contact/", contact=NUMBERS[2])["results"][0]
    assert ann.request("DELETE", third["url"]).status_code == 204
    advance(admin, 3_600)
    called = {one["phone_number"] for one in ann.get("callrequest/")["results"]}
    assert called == set(NUMBERS) - {NUMBERS[2]}


def test_a_deleted_campaign_leaves_its_cdrs(ann: Caller, admin: Caller) -> None:
    """The campaign of its CDRs becomes null, and their costs stay."""
    made = campaign(ann, admin)
    ann.change(made["url"], status=1)
    assert ann.refused("DELETE", made["url"])[0] == 409
    advance(admin, 3_600)
    answer = ann.request("DELETE", made["url"])
    assert (answer.status_code, answer.json()) == (200, {"data": "campaign deleted"})
    cdrs = ann.get("cdr/")
    assert cdrs["count"] == 7
    assert {(cdr["campaign"], cdr["callrequest"]) for cdr in cdrs["results"]} == {(None, None)}


def test_a_gateway_that_carries_a_call_stays_until_it_is_over(ann: Caller, admin: Caller) -> None:
    """The campaign has changed to another gateway, but one call still rings on the first."""
    made = campaign(ann, admin)
    ann.change(made["url"], status=1)
    other = admin.create("gateway", name="other")
    ann.change(made["url"], aleg_gateway=other["url"])
    status, body = admin.refused("DELETE", made["aleg_gateway"])
    assert (status, body) == (409, {"detail": "Still used by callrequest 1. Try again when they are over."})
    advance(admin, 3_600)
    assert admin.request("DELETE", made["aleg_gateway"]).status_code == 204
