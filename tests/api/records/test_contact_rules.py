"""Contact rules over the API: their defaults, their errors, and whose they are."""

import pytest

from dialer.store.database.database import Database
from dialer.store.queries.contact_law import law_row, law_rows
from dialer.store.rows.law_rules import keep_law_rows
from tests.api.harness import BASE, NOW, NOW_MS, Caller, Json

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
        "switched_by": "",
        "switched_date": None,
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
        "switched_by": "",
        "switched_date": None,
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


@pytest.fixture
def law(database: Database) -> Database:
    """Write the rows of law among the contact rules, as each start of the service does."""
    database.write_now(lambda connection: keep_law_rows(connection, NOW_MS))
    return database


def row_of(caller: Caller, row: str) -> Json:
    """Return a row of law as a contact rule."""
    (found,) = caller.get("contact-rule/", row=row)["results"]
    return found


@pytest.mark.usefixtures("law")
def test_rows_of_law_are_contact_rules_that_all_read_and_nobody_deletes(
    alice: Caller, bob: Caller, admin: Caller
) -> None:
    own = alice.create("contact-rule", **TWICE_A_WEEK)
    assert [one["id"] for one in alice.get("contact-rule/", is_law="false")["results"]] == [own["id"]]
    assert [bob.get("contact-rule/", is_law=asked)["count"] for asked in ("true", "false")] == [len(law_rows()), 0]
    found = row_of(bob, "fr-rest")
    assert found == {
        **own,
        "id": found["id"],
        "url": f"{BASE}/contact-rule/{found['id']}/",
        "user": None,
        "name": "France: 60 days of rest after a no",
        "source": "Code de la consommation, D. 223-9 (Décret 2022-1313)",
        "row": "fr-rest",
        "kind": "rest",
        "confidence": "verified",
        "in_words": next(row.words for row in law_rows() if row.id == "fr-rest"),
        "from_date": "2023-03-01",
        "until_date": "2026-08-10",
        "country": "FR",
        "purposes": ["sales"],
        "after": "refusal",
        "limit": 0,
        "period": found["period"],
        "unit": "calendar_days",
        "scope": "seller",
    }
    for caller in (bob, admin):
        refused = caller.request("DELETE", found["url"], headers={"Accept": "application/problem+json"})
        assert (refused.status_code, refused.json()["code"]) == (409, "kept")
    assert bob.request("PATCH", found["url"], json={"enabled": False}).status_code == 403
    assert admin.refused("PATCH", found["url"], name="Mine", limit=2, enabled=False) == (
        400,
        {"limit": ["This field may not be changed."], "name": ["This field may not be changed."]},
    )
    assert admin.refused("POST", "contact-rule/", **TWICE_A_WEEK, user=None)[0] == 400


def test_an_admin_switches_a_row_of_law_and_all_see_who_and_when(law: Database, bob: Caller, admin: Caller) -> None:
    found = row_of(admin, "us-fl-cap")
    admin.change(found["url"], enabled=False)
    for one in (
        row_of(bob, "us-fl-cap"),
        *(one for one in bob.get("contact-law/")["results"] if one["row"] == "us-fl-cap"),
    ):
        assert (one["enabled"], one["switched_by"], one["switched_date"]) == (False, "admin", NOW)
    (entry,) = admin.get("audit-log/", resource="contact-rule")["results"]
    assert (entry["actor"], entry["record_id"], entry["before"], entry["after"]) == (
        *("admin", found["id"]),
        *({"enabled": True}, {"enabled": False}),
    )
    law.write_now(lambda connection: keep_law_rows(connection, NOW_MS + 1))
    assert row_of(bob, "us-fl-cap")["enabled"] is False, "a start of the service changes nothing"
    off = row_of(admin, "us-revoke")
    why = getattr(law_row("us-revoke"), "not_built", "")
    said = {"enabled": [f"The service cannot keep this row of law: {why}"]}
    assert (off["enabled"], admin.refused("PATCH", off["url"], enabled=True)) == (False, (400, said))


def test_a_start_writes_rows_of_law_as_their_file_has_them(law: Database, admin: Caller) -> None:
    """A row of an older version is written again, and one that the file has no more is gone."""
    before = admin.get("contact-rule/", page_size=100)["results"]
    wrong = "UPDATE contact_rule SET name = 'old', most = 9 WHERE row = 'us-fl-cap'"
    gone = "UPDATE contact_rule SET row = 'us-xx', switched_by = 'root' WHERE row = 'us-ok-cap'"
    law.write_now(lambda connection: [connection.exec_driver_sql(text) for text in (wrong, gone)])
    assert "us-xx" in {one["row"] for one in admin.get("contact-rule/", page_size=100)["results"]}
    law.write_now(lambda connection: keep_law_rows(connection, NOW_MS))
    after = {one["row"]: one for one in admin.get("contact-rule/", page_size=100)["results"]}
    for one in before:
        again = after.pop(one["row"])
        same = ("id", "url") if one["row"] == "us-ok-cap" else ()
        assert {**again, **{name: one[name] for name in same}} == one
    assert after == {}
