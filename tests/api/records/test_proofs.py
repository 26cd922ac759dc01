"""Tests of the proof of do-not-call entries over the API: where each comes from, filters, exports and imports."""

import csv
import io
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import yaml
from openpyxl import load_workbook

from dialer.domain.formats.formula_guard import guard
from dialer.store.database.database import Database
from dialer.store.tables import DncContact
from tests.api.builders import stored
from tests.api.harness import Caller, Json
from tests.api.records.test_dnc_lists import campaign_of
from tests.api.routes.test_account_export import applied, text_of

NUMBER, OTHER, THIRD = "+12025550100", "+12025550101", "+12025550102"
NOTHING = {"campaign": None, "callrequest": None, "sms_message": None, "section_id": None, "said": ""}


def proof(entry: Mapping[str, Json]) -> Json:
    """Return the fields of an entry that say where it comes from."""
    return {name: entry[name] for name in ("source", *NOTHING)}


def heard(database: Database, dnc: Json, campaign: Json, number: str = NUMBER) -> int:
    """Put a number on a list as somebody who answered STOP to a message."""
    values = {"source": "text", "campaign_id": campaign["id"], "sms_message_id": 7, "said": "STOP"}
    return stored(database, DncContact, dnc_id=dnc["id"], phone_number=number, number=number, **values)


def test_an_entry_says_that_a_program_added_it(alice: Caller) -> None:
    """Alone, among many, and in a file. Nobody writes the proof."""
    never = alice.create("dnc-list", name="never")
    single = alice.create("dnc-contact", dnc=never["id"], phone_number=NUMBER, source="key", said="9")
    assert proof(single) == {"source": "api", **NOTHING}
    body = f'{{"dnc": {never["id"]}, "phone_number": "{OTHER}"}}\n'
    headers = {"Content-Type": "application/x-ndjson"}
    assert alice.request("POST", "dnc-contact/bulk/", content=body, headers=headers).status_code == 200
    file = f"phone_number,said\n{THIRD},of another column\n"
    alice.request("POST", f"dnc-list/{never['id']}/import/", content=file, headers={"Content-Type": "text/csv"})
    found = alice.get("dnc-contact/")["results"]
    assert [one["source"] for one in found] == ["api", "api", "import"]
    assert [one["said"] for one in found] == ["", "", ""]


def test_entries_are_found_by_source_and_campaign(alice: Caller, admin: Caller, database: Database) -> None:
    never, campaign = alice.create("dnc-list", name="never"), campaign_of(alice, admin)
    wish = heard(database, never, campaign)
    added = alice.create("dnc-contact", dnc=never["id"], phone_number=OTHER)
    for query, ids in (
        ("source=text", [wish]),
        ("source=api", [added["id"]]),
        ("source=agent", []),
        (f"campaign={campaign['id']}", [wish]),
        (f"campaign_id={campaign['id']}", [wish]),
    ):
        assert [one["id"] for one in alice.get(f"dnc-contact/?{query}")["results"]] == ids, query
    assert alice.request("GET", "dnc-contact/?source=hearsay").status_code == 400
    shown = alice.get(f"dnc-contact/{wish}/")
    assert proof(shown) == {
        **NOTHING,
        "source": "text",
        "campaign": campaign["url"],
        "sms_message": campaign["url"].replace(f"campaigns/{campaign['id']}", "sms-message/7"),
        "said": "STOP",
    }


def test_another_number_has_another_proof(alice: Caller, admin: Caller, database: Database) -> None:
    """An entry that moves to another list, or is spelled in another way, keeps its own."""
    never, other, campaign = (
        alice.create("dnc-list", name="a"),
        alice.create("dnc-list", name="b"),
        campaign_of(alice, admin),
    )
    wish = heard(database, never, campaign)
    url = alice.get(f"dnc-contact/{wish}/")["url"]
    alice.change(url, dnc=other["id"], phone_number="+1 202 555 0100")
    assert alice.get(url)["said"] == "STOP"
    alice.change(url, phone_number=OTHER)
    assert proof(alice.get(url)) == {"source": "api", **NOTHING}


def test_an_exported_file_brings_the_proof_along_as_words(alice: Caller, admin: Caller, database: Database) -> None:
    """Of the import itself is told that it was one: nobody has said STOP to the list that it fills."""
    never, copy, campaign = (
        alice.create("dnc-list", name="a"),
        alice.create("dnc-list", name="b"),
        campaign_of(alice, admin),
    )
    heard(database, never, campaign)
    exported = alice.request("GET", "dnc-contact/?format=csv").text
    (row,) = csv.DictReader(io.StringIO(exported, newline=""))
    assert (row["source"], row["said"]) == ("text", "STOP")
    answer = alice.request(
        "POST", f"dnc-list/{copy['id']}/import/", content=exported, headers={"Content-Type": "text/csv"}
    )
    assert answer.json()["imported"] == 1
    (entry,) = alice.get(f"dnc-contact/?dnc_id={copy['id']}")["results"]
    assert proof(entry) == {**NOTHING, "source": "import", "said": f"text, {row['created_date']}, STOP"}


def test_a_workbook_has_the_proof_of_each_entry(alice: Caller, admin: Caller, database: Database) -> None:
    never, campaign = alice.create("dnc-list", name="a"), campaign_of(alice, admin)
    heard(database, never, campaign)
    alice.create("dnc-contact", dnc=never["id"], phone_number="1001")
    content = alice.request("GET", "dnc-contact/?format=xlsx").content
    sheet: Any = load_workbook(io.BytesIO(content)).active
    names, *rows = sheet.iter_rows(values_only=True)
    found = [dict(zip(names, row, strict=True)) for row in rows]
    entries = alice.get("dnc-contact/")["results"]
    assert set(names) == set(entries[0])
    shown = ("phone_number", "source", "campaign", "sms_message", "said", "doubt")
    assert [[row[name] or None for name in shown] for row in found] == [
        [guard(one[name]) if one[name] else None for name in shown] for one in entries
    ]
    assert [row["source"] for row in found] == ["text", "api"]
    moment = datetime.fromisoformat(entries[0]["created_date"])
    assert found[0]["created_date"] == moment.replace(tzinfo=None)


def test_an_account_that_is_exported_and_applied_elsewhere_keeps_the_proof_as_words(
    alice: Caller, admin: Caller, bob: Caller, database: Database
) -> None:
    """A number that a program added has no words, and stands alone."""
    never, campaign = alice.create("dnc-list", name="Never"), campaign_of(alice, admin)
    heard(database, never, campaign)
    alice.create("dnc-contact", phone_number=OTHER, dnc=never["url"])
    entries = alice.get(f"dnc-contact/?dnc_id={never['id']}")["results"]
    (wish,) = (one for one in entries if one["source"] == "text")
    shown = {"phone_number": NUMBER, "source": "text", "created_date": wish["created_date"], "said": "STOP"}
    lists = yaml.safe_load(text_of(alice))["dnc_lists"]
    assert lists == [{"name": "Never", "numbers": [shown, OTHER]}]
    applied(bob, yaml.safe_dump({"dnc_lists": lists}))
    found = {one["phone_number"]: (one["source"], one["said"]) for one in bob.get("dnc-contact/")["results"]}
    words = f"text, {wish['created_date']}, STOP"
    assert found == {NUMBER: ("api", words), OTHER: ("api", "")}


def test_the_proof_outlives_its_campaign(alice: Caller, admin: Caller, database: Database) -> None:
    never, campaign = alice.create("dnc-list", name="never"), campaign_of(alice, admin)
    wish = heard(database, never, campaign)
    assert alice.request("DELETE", campaign["url"]).is_success
    assert alice.get(f"dnc-contact/{wish}/")["campaign"] == campaign["url"]
