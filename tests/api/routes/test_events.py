"""Tests of the events of an account as pages."""

from typing import Any

import pytest

from tests.api.harness import Caller


def switched_on(caller: Caller) -> None:
    answer = caller.request("PATCH", "events/", json={"enabled": True})
    assert (answer.status_code, answer.json()) == (200, {"enabled": True, "low_balance": "0.00000", "currency": ""})


def test_an_account_reads_its_events_and_no_others(alice: Caller, bob: Caller) -> None:
    assert alice.get("events/") == {"enabled": False, "results": [], "next": None}
    alice.create("dnc-list", name="first")
    alice.create("dnc-contact", dnc=1, phone_number="+12025550100")
    assert alice.get("events/")["results"] == []
    switched_on(alice)
    alice.create("dnc-contact", dnc=1, phone_number="+12025550101")
    page: dict[str, Any] = alice.get("events/")
    (event,) = page["results"]
    assert page["enabled"]
    assert (event["specversion"], event["type"], event["subject"]) == ("1.0", "dnc.added", "dnc-contact/2")
    assert event["data"]["links"]["self"].endswith("/rest-api/dnc-contact/2/")
    assert page["next"].endswith(f"/rest-api/events/?after={event['id']}")
    assert "2025550101" not in str(event)
    assert alice.get("events/", after=event["id"])["results"] == []
    assert alice.get("events/", types="call.ended")["results"] == []
    assert len(alice.get("events/", types="call.ended,dnc.added", since=event["time"])["results"]) == 1
    assert alice.get("events/", campaign="7")["results"] == []
    assert bob.get("events/") == {"enabled": False, "results": [], "next": None}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("types", "call.lost"),
        ("campaign", "x"),
        ("since", "soon"),
        ("after", "evt_x"),
        ("limit", "1001"),
        ("limit", "0"),
    ],
)
def test_a_wrong_parameter_is_refused(alice: Caller, name: str, value: str) -> None:
    answer = alice.request("GET", "events/", params={name: value})
    assert (answer.status_code, list(answer.json())) == (400, [name])


def test_an_import_says_that_it_is_over_and_what_came_of_it(alice: Caller, bob: Caller) -> None:
    alice.create("phonebook", name="first")
    rows = b"contact\n+12025550101\n+12025550102\n+12025550102\nnone\n"

    def imported(parameters: dict[str, str]) -> None:
        headers = {"Content-Type": "text/csv"}
        answer = alice.request("POST", "phonebook/1/import/", content=rows, headers=headers, params=parameters)
        assert answer.status_code in {200, 201}, answer.text

    imported({})
    switched_on(alice)
    imported({"dry_run": "true"})
    imported({})
    (event,) = alice.get("events/", types="import.finished")["results"]
    event["data"].pop("links")
    assert event["subject"] == "phonebook/1"
    assert event["data"] == {"phonebook": 1, "imported": 0, "duplicates": 3, "rejected": 1}
    assert bob.get("events/")["results"] == []


def test_numbers_that_are_listed_together_are_one_event(alice: Caller) -> None:
    switched_on(alice)
    alice.create("dnc-list", name="first")
    rows = [{"dnc": 1, "phone_number": f"+1202555010{place}"} for place in range(3)]
    answer = alice.request("POST", "dnc-contact/bulk/", json=rows)
    assert answer.status_code in {200, 201}, answer.text
    (event,) = alice.get("events/", types="dnc.imported")["results"]
    links = event["data"].pop("links")
    assert (event["subject"], event["data"]) == ("dnc-list/1", {"dnc_list": 1, "count": 3})
    assert links["self"].endswith("/rest-api/dnc/1/")
    assert alice.get("events/", types="dnc.added")["results"] == []


def test_an_account_sets_the_balance_at_which_it_is_told(alice: Caller, bob: Caller) -> None:
    changed = alice.request("PATCH", "events/", json={"low_balance": "12.5"})
    assert (changed.status_code, changed.json()) == (200, {"enabled": False, "low_balance": "12.50000", "currency": ""})
    assert alice.request("PATCH", "events/", json={"enabled": True}).json()["low_balance"] == "12.50000"
    assert bob.request("PATCH", "events/", json={"enabled": True}).json()["low_balance"] == "0.00000"
    assert alice.refused("PATCH", "events/", low_balance="-1")[0] == 400
