"""Consents over the API: their defaults, their errors, whose they are, many at once, and what an erasure leaves."""

import pytest
from sqlalchemy import select

from dialer.app.contacts.consents import CONSENTS_OF_NUMBER_MAX
from dialer.app.erasure.erasure import erase_number
from dialer.store.database.database import Database
from dialer.store.tables import Consent
from tests.api.builders import Estate
from tests.api.harness import BASE, NOW, NOW_MS, Caller, Json

NUMBER = "+33142345601"
AGREED: Json = {"phone_number": "+33 1 42 34 56 01", "kind": "express"}


def test_a_consent_needs_a_number_and_a_kind(alice: Caller) -> None:
    assert alice.create("consent", **AGREED) == {
        "id": 1,
        "url": f"{BASE}/consent/1/",
        "user": f"{BASE}/users/2/",
        "phone_number": "+33 1 42 34 56 01",
        "kind": "express",
        "purposes": [],
        "seller": "",
        "given_date": NOW,
        "expiration_date": None,
        "hours": "",
        "hours_date": None,
        "how": "",
        "evidence": "",
        "evidence_url": "",
        "evidence_sha256": "",
        "audio_file": None,
        "callrequest": None,
        "withdrawn_date": None,
        "withdrawn_how": "",
        "last_used_date": None,
        "created_date": NOW,
        "updated_date": NOW,
    }
    assert alice.refused("POST", "consent/") == (
        400,
        {"phone_number": ["This field is required."], "kind": ["This field is required."]},
    )
    whole = {
        "purposes": ["sales"],
        "given_date": "2027-01-10T09:00:00Z",
        "expiration_date": "2028-01-10T09:00:00Z",
        "hours": "18:00-20:30",
        "hours_date": "2027-02-01",
        "how": "web_form",
        "evidence": "Box ticked: yes, call me",
        "evidence_url": "https://shop.example/form/77",
        "evidence_sha256": "9f" * 32,
    }
    found = alice.create("consent", **AGREED, **whole)
    assert {name: found[name] for name in whole} == whole
    assert [one["id"] for one in alice.get("consent/?search=0142345601&ordering=-given_date")["results"]] == [2, 1]
    assert "Box ticked: yes, call me" in alice.request("GET", "consent/?format=csv").text


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({"hours": "20:30-18:00"}, {"hours": ["Write hours of a day as 18:00-20:30, the earlier one first."]}),
        ({"hours": "25:00-26:00"}, {"hours": ["Write hours of a day as 18:00-20:30, the earlier one first."]}),
        ({"hours_date": "2027-02-01"}, {"hours_date": ["A day needs hours."]}),
        ({"expiration_date": "2020-01-01T00:00:00Z"}, {"expiration_date": ["It is not after given_date."]}),
        ({"evidence_url": "javascript:alert(1)"}, {"evidence_url": ["An address begins with https:// or http://."]}),
        (
            {"evidence_sha256": "9F86"},
            {"evidence_sha256": ["Write 64 hexadecimal digits: 0 to 9, and a to f in small letters."]},
        ),
    ],
)
def test_what_says_nothing_sensible_is_refused(alice: Caller, fields: Json, errors: Json) -> None:
    assert alice.refused("POST", "consent/", **{**AGREED, **fields}) == (400, errors)


def test_a_consent_belongs_to_its_account_and_keeps_its_number(alice: Caller, bob: Caller, admin: Caller) -> None:
    made = alice.create("consent", **AGREED)
    assert bob.get("consent/")["results"] == []
    assert bob.refused("PATCH", made["url"], kind="written")[0] == 404
    assert [one["id"] for one in admin.get("consent/")["results"]] == [made["id"]]
    assert alice.refused("PATCH", made["url"], phone_number="+33142345602")[0] == 400
    assert alice.request("DELETE", made["url"]).status_code == 204


def test_a_withdrawal_stays(alice: Caller) -> None:
    made = alice.create("consent", **AGREED)
    alice.change(made["url"], withdrawn_date=NOW, withdrawn_how="letter")
    assert alice.refused("PATCH", made["url"], withdrawn_date=None)[0] == 409
    assert alice.refused("DELETE", made["url"])[0] == 409
    assert alice.get(made["url"])["withdrawn_date"] == NOW


def test_many_at_once_have_an_answer_each(alice: Caller, bob: Caller) -> None:
    other = {**AGREED, "purposes": ["survey"], "given_date": "2026-01-01T00:00:00Z", "how": "import"}
    records = [AGREED, {"kind": "spoken", "color": 1}, other, {**AGREED, "user": 3}, [1]]
    answer = alice.request("POST", "consent/bulk/", json=records).json()
    assert (answer["created"], answer["rejected"]) == (2, 3)
    assert [one["status"] for one in answer["results"]] == [201, 400, 201, 400, 400]
    assert answer["results"][0] == {"status": 201, "id": 1, "url": f"{BASE}/consent/1/"}
    assert answer["results"][1]["errors"].keys() == {"phone_number", "kind"}
    found = alice.get(answer["results"][2]["url"])
    assert (found["purposes"], found["given_date"], found["how"]) == (["survey"], "2026-01-01T00:00:00Z", "import")
    assert bob.get("consent/")["results"] == []


def test_a_number_has_only_so_many(alice: Caller) -> None:
    answer = alice.request("POST", "consent/bulk/", json=[AGREED] * (CONSENTS_OF_NUMBER_MAX + 1)).json()
    too_many = {"phone_number": [f"A number has at most {CONSENTS_OF_NUMBER_MAX} consents."]}
    assert (answer["created"], answer["results"][-1]) == (100, {"status": 400, "errors": too_many})
    assert alice.refused("POST", "consent/", **AGREED) == (400, too_many)


def test_an_erasure_leaves_the_proof_without_the_person(alice: Caller, estate: Estate, database: Database) -> None:
    made = alice.create("consent", **AGREED, evidence="Jean Martin signed", callrequest=estate.call_id)
    erase_number(database, NUMBER, lambda _: None, NOW_MS)
    found = alice.get(made["url"])
    assert (found["phone_number"], found["evidence"], found["callrequest"]) == ("erased", "", None)
    assert (found["kind"], found["given_date"]) == ("express", NOW)
    numbers = database.read_now(lambda c: c.scalars(select(Consent.number).where(Consent.id == made["id"])).all())
    assert [number[0] for number in numbers] == ["#"]
    alice.change(made["url"], withdrawn_date=NOW)
