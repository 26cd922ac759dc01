"""Tests of the columns that agents fill in at the desk, and that are written to the contact with the outcome."""

import html
import json
import re
from typing import Any, Final

import msgspec
import pytest
from sqlalchemy import delete, select, update

from dialer.store.database.database import Database
from dialer.store.tables import AuditLog, CallDraft, Contact, Phonebook, Subscriber
from tests.api.harness import Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.test_desk import gus as gus  # noqa: PLC0414 - a fixture
from tests.console.test_desk import say, talk_to_gus
from tests.console.test_drafts import begin_next_call, csrf, end_call, erase
from tests.console.visitor import Visitor

ASKED: Final = "email, interest = hot | warm | cold, newsletter = yes | no"
GONE: Final = "The contact was erased or deleted, or has another number, so nothing is written to it."
UNREADABLE: Final = (
    "The additional variables of the contact are no JSON object, so no column can be filled in. Ask your manager to"
    " correct them."
)
KNOWN: Final = {"seat": "12A", "interest": "warm", "visits": 3}
ODD: Final = HOSTILE.replace("\r\n", " ")
SAVED: Final = {
    "disposition": "success",
    "word": "",
    "note": "",
    "call_back_date": None,
    "same_agent": False,
}
SCRIPT: Final = {"Accept": "application/json"}


@pytest.fixture
def contact(gus: Visitor, api: Caller, database: Database) -> str:  # noqa: ARG001 - is there
    """Return the path of the contact who talks to Gus, in a campaign with columns to fill in."""
    identity = campaign(api, name="Departures")
    api.change(f"campaigns/{identity}/", agent_fields=ASKED)
    talk_to_gus(database, identity)
    book = api.create("phonebook", name="Guests")
    made = api.create("contact", phonebook=book["url"], contact="+12025550001", additional_vars=KNOWN)
    theirs = {"contact_id": made["id"], "phonebook_id": book["id"], "additional_vars": json.dumps(KNOWN)}
    store(database, update(Subscriber).where(Subscriber.id == 900).values(**theirs))
    return f"contact/{made['id']}/"


def variables(database: Database) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the variables of the contact and those of the subscriber."""
    contact = database.read_now(lambda c: c.scalar(select(Contact.additional_vars).order_by(Contact.id.desc())))
    person = database.read_now(lambda c: c.scalar(select(Subscriber.additional_vars).order_by(Subscriber.id.desc())))
    return json.loads(contact or "{}"), json.loads(person or "{}")


def draft(database: Database) -> dict[str, str]:
    text = database.read_now(lambda c: c.scalar(select(CallDraft.fields)))
    return dict(json.loads(text or "{}"))


def save(gus: Visitor, **fields: str) -> int:
    gus.get("desk/")
    return say(gus, **{"disposition-7": "success", **fields})


def shown(gus: Visitor) -> list[tuple[str, str]]:
    """Return the columns on the desk, and what stands in each."""
    page = gus.get("desk/")
    inputs = re.findall(r'name="field-7-(\w+)" value="([^"]*)"', page)
    chosen = re.findall(r'<select id="[^"]+" form="outcome" name="field-7-(\w+)".*?</select>', page)
    selected = [re.findall(rf'name="field-7-{one}".*?</select>', page)[0] for one in chosen]
    marked = [(re.findall(r'<option value="([^"]*)" selected>', text) or [""])[0] for text in selected]
    return [*inputs, *zip(chosen, marked, strict=True)]


def test_an_agent_fills_in_columns_that_the_contact_has_from_then_on(
    gus: Visitor, contact: str, api: Caller, database: Database
) -> None:
    assert shown(gus) == [("email", ""), ("interest", "warm"), ("newsletter", "")]
    assert save(gus, **{"field-7-email": " ada@example.com ", "field-7-newsletter": "yes"}) == 303
    filled = {**KNOWN, "email": "ada@example.com", "newsletter": "yes"}
    assert variables(database) == (filled, filled)
    assert shown(gus) == [("email", "ada@example.com"), ("interest", "warm"), ("newsletter", "yes")]
    logged = database.read_now(
        lambda c: c.execute(
            select(AuditLog.actor, AuditLog.resource, AuditLog.record_id, AuditLog.after).where(
                AuditLog.action == "person_filled_in"
            )
        ).all()
    )
    after = {"subscriber_id": 900, "user_id": 2, "callrequest_id": 7, "count": 2}
    assert [(*row[:3], json.loads(row[3])) for row in logged] == [("gus", "subscriber-list", 900, after)]
    assert json.loads(api.get(contact)["additional_vars"]) == filled
    check = api.get("campaigns/1/check/")
    assert [one for one in check["findings"] if one["code"] == "unknown_placeholder"] == []


@pytest.mark.usefixtures("contact")
def test_what_is_typed_into_columns_is_a_draft_until_the_outcome_is_saved(gus: Visitor, database: Database) -> None:
    gus.get("desk/")
    typed = {"field-7-email": ODD, "field-7-interest": "hot", "field-7-nosuch": "x"}
    assert gus.send("desk/draft/", call="7", **typed).status_code == 303
    assert draft(database) == {"email": ODD, "interest": "hot", "nosuch": "x"}
    assert gus.send("desk/draft/", call="7", **{**typed, "field-7-nosuch": ""}).status_code == 303
    assert draft(database) == {"email": ODD, "interest": "hot"}
    for change in (None, end_call, begin_next_call):
        if change is not None:
            change(database)
        found = [(name, html.unescape(value)) for name, value in shown(gus)]
        assert found == [("email", ODD), ("interest", "hot"), ("newsletter", "")]
        assert "<script>alert" not in gus.page
    assert variables(database) == (KNOWN, KNOWN)
    assert gus.send("desk/draft/", call="7", **{"field-7-email": "e" * 5_000}).status_code == 303
    assert draft(database) == {"email": "e" * 255}
    assert gus.send("desk/draft/", call="7").status_code == 303
    assert draft(database) == {}


@pytest.mark.usefixtures("contact")
def test_a_value_that_is_no_choice_or_too_long_is_refused_and_stays_in_the_form(
    gus: Visitor, database: Database
) -> None:
    assert save(gus, **{"field-7-interest": "lukewarm"}) == 400
    assert "interest cannot be &#39;lukewarm&#39;. Choose one of these: hot, warm, cold." in gus.page
    assert '<option value="lukewarm" selected>lukewarm</option>' in gus.page
    assert save(gus, **{"field-7-email": "e" * 256}) == 400
    assert "email has more than 255 characters." in gus.page
    long = json.dumps({**KNOWN, "long": "x" * 15_900})
    store(database, update(Contact).values(additional_vars=long))
    assert save(gus, **{"field-7-email": "e" * 255}) == 400
    assert "All columns of the contact together have more than 16,000 characters." in gus.page
    assert variables(database)[1] == KNOWN
    assert database.read_now(lambda c: c.scalar(select(AuditLog.id).where(AuditLog.action == "call_disposed"))) is None


def test_of_two_agents_the_last_one_counts_for_a_column_and_others_stay(
    gus: Visitor, contact: str, api: Caller, database: Database
) -> None:
    """The page sends what was typed only, and a value that is there is no change."""
    gus.get("desk/")
    api.change(contact, additional_vars={**KNOWN, "interest": "cold", "email": "old@example.com"})
    assert save(gus, **{"field-7-email": "new@example.com"}) == 303
    assert variables(database) == (
        {**KNOWN, "interest": "cold", "email": "new@example.com"},
        {**KNOWN, "email": "new@example.com"},
    )
    api.change(contact, additional_vars={**KNOWN, "interest": 7})
    assert save(gus, **{"field-7-interest": "7", "field-7-email": ""}) == 303
    assert variables(database)[0] == {**KNOWN, "interest": 7}


@pytest.mark.usefixtures("contact")
def test_the_desk_shows_a_draft_that_says_nothing_about_the_columns(gus: Visitor, database: Database) -> None:
    gus.get("desk/")
    assert gus.send("desk/draft/", call="7", **{"disposition-7": "success", "note-7": "Wants it"}).status_code == 303
    assert draft(database) == {}
    for change in (None, end_call, begin_next_call):
        if change is not None:
            change(database)
        assert shown(gus) == [("email", ""), ("interest", "warm"), ("newsletter", "")]
        assert "Wants it" in gus.page


@pytest.mark.parametrize("way", ["deleted", "erased", "moved", "of another account"])
def test_a_contact_who_is_gone_takes_nothing_and_the_desk_says_so(
    gus: Visitor, admin: Visitor, contact: str, api: Caller, database: Database, way: str
) -> None:
    if way == "deleted":
        assert api.request("DELETE", contact).status_code == 204
    elif way == "moved":
        api.change(contact, contact="+12025550077")
    elif way == "erased":
        end_call(database)
        erase(admin, "+12025550001")
    else:
        book = Caller(api.client, "bob").create("phonebook", name="Others")
        store(database, update(Contact).values(phonebook_id=book["id"], user_id=3))
    before = variables(database)
    assert (GONE in gus.get("desk/"), shown(gus)) == (True, [])
    assert save(gus, **{"field-7-email": "ada@example.com", "note-7": ""}) == 303
    assert api.get("callrequest/7/disposition/")["disposition"] == "success"
    assert variables(database) == before
    refused = api.refused("PUT", "callrequest/7/disposition/", disposition="other", fields={"email": "a@example.com"})
    assert refused == (409, {"detail": GONE})
    assert variables(database) == before


@pytest.mark.usefixtures("contact")
def test_somebody_who_is_no_contact_keeps_the_values_alone(gus: Visitor, database: Database) -> None:
    store(database, update(Subscriber).values(contact_id=None, phonebook_id=None), delete(Contact), delete(Phonebook))
    assert save(gus, **{"field-7-email": "ada@example.com"}) == 303
    assert variables(database) == ({}, {**KNOWN, "email": "ada@example.com"})
    begin_next_call(database)
    assert "field-8-" not in gus.get("desk/")


def test_programs_fill_in_columns_with_the_outcome(contact: str, api: Caller, database: Database) -> None:
    given = {"disposition": "success", "fields": {"email": "ada@example.com"}}
    assert api.request("PUT", "callrequest/7/disposition/", json=given).status_code == 200
    filled = {**KNOWN, "email": "ada@example.com"}
    assert variables(database) == (filled, filled)
    api.request("PUT", "callrequest/7/disposition/", json={"disposition": "other"})
    assert api.get(contact)["additional_vars"] == msgspec.json.encode(filled).decode()
    for null in ({"email": "a\0"}, json.dumps({"email": "a\0"})):
        assert api.refused("PUT", "callrequest/7/disposition/", disposition="other", fields=null)[0] == 400
    for wrong in ({"email": 7}, "[]", {"seat": "1"}, {"interest": "?"}, ["email"]):
        status, errors = api.refused("PUT", "callrequest/7/disposition/", disposition="other", fields=wrong)
        assert (status, list(errors)) == (400, ["fields"])
    assert Caller(api.client, "bob").refused("PUT", "callrequest/7/disposition/", **given)[0] == 404
    assert variables(database) == (filled, filled)


def test_the_columns_of_a_campaign_are_checked(api: Caller) -> None:
    path = f"campaigns/{campaign(api)}/"
    api.change(path, agent_fields=" email ,\n interest=hot |hot| cold\n,newsletter = yes|no,")
    assert api.get(path)["agent_fields"] == "email, interest = hot | cold, newsletter = yes | no"
    for wrong in (
        "full_name",
        "first_name = a | b",
        "a{b}",
        "email =",
        "= yes | no",
        "email, email = a",
        "x" * 65,
        ", ".join(f"c{place}" for place in range(21)),
        "many = " + " | ".join(map(str, range(21))),
        "long = " + "x" * 101,
        "x" * 4_001,
    ):
        status, errors = api.refused("PATCH", path, agent_fields=wrong)
        assert (status, list(errors)) == (400, ["agent_fields"]), wrong


@pytest.mark.usefixtures("contact")
def test_a_script_hears_of_a_wrong_value(gus: Visitor) -> None:
    gus.get("desk/")
    data = {"csrf": csrf(gus), "call": "7", "disposition-7": "success", "field-7-interest": "?"}
    wrong = gus.request("POST", "desk/disposition/", data=data, headers=SCRIPT)
    message = "interest cannot be '?'. Choose one of these: hot, warm, cold."
    assert (wrong.status_code, wrong.json()) == (400, {"messages": [message]})


@pytest.mark.usefixtures("contact")
@pytest.mark.parametrize("stored", ['{"a":', "[]", '{"a":1e400}', '{"a":NaN}'])
@pytest.mark.parametrize("of_contact", [True, False])
def test_variables_that_are_no_object_are_kept_as_they_are(
    api: Caller, database: Database, stored: str, *, of_contact: bool
) -> None:
    """Neither the contact nor the subscriber loses them. A contact takes the values without its subscriber."""
    store(database, update(Contact if of_contact else Subscriber).values(additional_vars=stored))
    given = {"disposition": "success", "fields": {"email": "a@b.org"}}
    answer = api.request("PUT", "callrequest/7/disposition/", json=given)
    refused = (409, {"detail": UNREADABLE})
    assert (answer.status_code, answer.json()) == (refused if of_contact else (200, SAVED))
    contacts = select(Contact.additional_vars).order_by(Contact.id.desc())
    of_both = database.read_now(lambda c: [c.scalar(contacts), c.scalar(select(Subscriber.additional_vars))])
    assert of_both[0 if of_contact else 1] == stored
    assert ["a@b.org" in str(text) for text in of_both] == [not of_contact, False]
    assert api.request("PUT", "callrequest/7/disposition/", json={"disposition": "success"}).status_code == 200


def test_a_value_with_blanks_in_it_is_sent_as_it_is_there(gus: Visitor, contact: str, api: Caller) -> None:
    """Browsers send the text of an option without its blanks, but its value as it is."""
    api.change(contact, additional_vars={"interest": "very  hot"})
    assert '<option value="very  hot" selected>very  hot</option><option value="hot">' in gus.get("desk/")
