"""Contact rules over the API: their defaults, their errors, and whose they are."""

import pytest

from dialer.store.queries.contact_law import law_rows
from tests.api.harness import BASE, NOW, Caller, Json

TWICE_A_WEEK: Json = {"name": "Two calls a week to anybody", "limit": 2, "period": 7, "unit": "days"}


def test_a_rule_needs_a_name_a_limit_and_a_time(alice: Caller) -> None:
    assert alice.create("contact-rule", **TWICE_A_WEEK) == {
        "id": 1,
        "url": f"{BASE}/contact-rule/1/",
        "user": f"{BASE}/users/2/",
        "name": "Two calls a week to anybody",
        "source": "",
        "row": "",
        "kind": "cap",
        "confidence": "",
        "in_words": "At most 2 calls in 7 days to a number, over all campaigns of the account.",
        "enabled": True,
        "from_date": None,
        "until_date": None,
        "country": "",
        "state": "",
        "purposes": [],
        "media": ["call"],
        "counts": "attempts",
        "after": "",
        "seconds": 1,
        "limit": 2,
        "period": 7,
        "unit": "days",
        "per": "number",
        "scope": "account",
        "created_date": NOW,
        "updated_date": NOW,
    }
    rest = {"name": "60 days of rest", "after": "refusal", "period": 60, "unit": "days", "media": ["text", "call"]}
    found = alice.create("contact-rule", **rest)
    assert (found["kind"], found["limit"], found["media"]) == ("rest", 0, ["call", "text"])
    words = "No calls or text messages within 60 days after a refusal to a number, over all campaigns of the account."
    assert found["in_words"] == words
    alice.change(found["url"], purposes=["sales", "debt"], country="US", state="FL", from_date="2027-01-31")
    found = alice.get(found["url"])
    assert (found["purposes"], found["state"], found["from_date"]) == (["sales", "debt"], "FL", "2027-01-31")


def test_rows_of_law_are_read_with_their_sources_by_everybody_who_reads(alice: Caller, bob: Caller) -> None:
    rows = alice.get("contact-law/")["results"]
    assert rows == bob.get("contact-law/")["results"]
    assert [row["row"] for row in rows] == [row.id for row in law_rows()]
    (rest,) = (row for row in rows if row["row"] == "fr-rest")
    assert {name: value for name, value in rest.items() if name != "in_words"} == {
        "row": "fr-rest",
        "name": "France: 60 days of rest after a no",
        "kind": "rest",
        "country": "FR",
        "state": "",
        "purposes": ["sales"],
        "media": ["call"],
        "source": "Code de la consommation, D. 223-9 (Décret 2022-1313)",
        "read_date": "2026-11-28",
        "confidence": "verified",
        "from_date": "2023-03-01",
        "until_date": "2026-08-10",
        "enabled": True,
        "not_built": "",
    }
    (off,) = (row for row in rows if row["row"] == "us-revoke")
    assert (off["enabled"], off["from_date"], off["until_date"]) == (False, "2025-04-11", None)
    assert alice.request("POST", "contact-law/", json={}).status_code == 405


@pytest.mark.parametrize(
    ("fields", "errors"),
    [
        ({"limit": 0}, {"limit": ["Ensure this value is greater than or equal to 1."]}),
        ({"media": []}, {"media": ["Give at least one of these: call, text."]}),
        ({"media": ["fax"]}, {"media": ['"fax" is none of these: call, text.']}),
        ({"country": "XX"}, {"country": ['"XX" is no ISO 3166 code of a country.']}),
        ({"state": "FL"}, {"state": ["A state needs a country."]}),
        ({"country": "US", "state": "ZZ"}, {"state": ['"ZZ" is no state that is known there.']}),
        ({"from_date": "31.1."}, {"from_date": ["Date has wrong format. Use YYYY-MM-DD, such as 2027-01-31."]}),
        ({"from_date": "2027-02-01", "until_date": "2027-01-31"}, {"until_date": ["It is before from_date."]}),
    ],
)
def test_a_rule_that_says_nothing_sensible_is_refused(alice: Caller, fields: Json, errors: Json) -> None:
    assert alice.refused("POST", "contact-rule/", **{**TWICE_A_WEEK, **fields}) == (400, errors)


def test_a_limit_has_to_be_said(alice: Caller) -> None:
    fields = {name: value for name, value in TWICE_A_WEEK.items() if name != "limit"}
    assert alice.refused("POST", "contact-rule/", **fields) == (400, {"limit": ["This field is required."]})


def test_a_rule_belongs_to_its_account(alice: Caller, bob: Caller, admin: Caller) -> None:
    rule = alice.create("contact-rule", **TWICE_A_WEEK)
    assert bob.get("contact-rule/")["results"] == []
    assert bob.refused("PATCH", rule["url"], limit=9)[0] == 404
    assert [one["id"] for one in admin.get("contact-rule/")["results"]] == [rule["id"]]
    assert alice.request("DELETE", rule["url"]).status_code == 204
