"""Tests of columns that cannot be written with an outcome: it is saved all the same, and what was typed stays."""

import json
import re
from typing import Final

import pytest
from sqlalchemy import select, update

from dialer.app.call_centre.drafts import COLUMNS_MAX
from dialer.store.database.database import Database
from dialer.store.tables import AuditLog, CallDraft, Campaign, Contact, Subscriber
from tests.api.harness import Caller
from tests.console.building import store
from tests.console.test_agent_fields import GONE, KNOWN, UNREADABLE, draft, save, shown, variables
from tests.console.test_agent_fields import contact as contact  # noqa: PLC0414 - a fixture
from tests.console.test_desk import gus as gus  # noqa: PLC0414 - a fixture
from tests.console.test_drafts import begin_next_call, end_call, erase
from tests.console.visitor import Visitor

TYPED: Final = {"field-7-email": "ada@example.com", "field-7-interest": "hot"}
LEFT: Final = "Not written to the contact: {}. Copy into the note what is to be kept, and discard the rest."
COLD: Final = {**KNOWN, "interest": "cold"}


def outcome(api: Caller) -> tuple[str, str]:
    said = api.get("callrequest/7/disposition/")
    return said["disposition"], said["note"]


def all_inputs(gus: Visitor) -> dict[str, str]:
    """Return the columns and what stood in them, as a browser without the script sends them."""
    fields = {f"field-7-{name}": value for name, value in shown(gus)}
    hidden = re.findall(r'<input type="hidden" form="outcome" name="(was-7-\w+)" value="([^"]*)">', gus.page)
    return {**fields, **dict(hidden)}


@pytest.mark.usefixtures("contact")
@pytest.mark.parametrize("columns", ["email", ""])
@pytest.mark.parametrize("by_script", [True, False])
def test_a_column_that_a_manager_removes_in_the_call_stays_in_sight(
    gus: Visitor, api: Caller, database: Database, columns: str, *, by_script: bool
) -> None:
    gus.get("desk/")
    if by_script:
        gus.send("desk/draft/", call="7", **TYPED)
    api.change("campaigns/1/", agent_fields=columns)
    if by_script:  # The page with the column is still there.
        gus.send("desk/draft/", call="7", **TYPED, **{"note-7": "Hi"})
    assert save(gus, **TYPED, **{"note-7": "Hi"}) == 303
    assert outcome(api) == ("success", "Hi")
    left = {"interest": "hot"} if columns else {"email": "ada@example.com", "interest": "hot"}
    written = {**KNOWN, "email": "ada@example.com"} if columns else KNOWN
    assert (draft(database), variables(database)) == (left, (written, written))
    for change in (lambda _: None, end_call, begin_next_call):
        change(database)
        page = gus.get("desk/")
        assert LEFT.format(", ".join(f"{name}: {value}" for name, value in left.items())) in page
    gus.send("desk/discard/", call="7")
    assert (draft(database), outcome(api)) == ({}, ("success", "Hi"))
    assert "Not written" not in gus.get("desk/")


@pytest.mark.usefixtures("contact")
def test_what_is_left_stays_when_the_outcome_is_saved_again(gus: Visitor, api: Caller, database: Database) -> None:
    gus.get("desk/")
    api.change("campaigns/1/", agent_fields="email")
    assert save(gus, **TYPED, **{"note-7": "Hi"}) == 303
    for note, email in (("Hello", "ada@example.com"), ("Hello!", "ada@example.org")):
        assert save(gus, **{"note-7": note, "field-7-email": email}) == 303
        assert (outcome(api), draft(database)) == (("success", note), {"interest": "hot"})
        assert variables(database)[0] == {**KNOWN, "email": email}
    assert LEFT.format("interest: hot") in gus.get("desk/")
    gus.send("desk/discard/", call="7")
    assert save(gus, **{"note-7": "Bye"}) == 303
    assert (outcome(api), draft(database)) == (("success", "Bye"), {})


@pytest.mark.usefixtures("contact")
def test_a_removed_column_that_comes_back_is_typed_again(gus: Visitor, api: Caller, database: Database) -> None:
    gus.get("desk/")
    asked = api.get("campaigns/1/")["agent_fields"]
    api.change("campaigns/1/", agent_fields="email")
    assert save(gus, **TYPED) == 303
    api.change("campaigns/1/", agent_fields=asked)
    assert ("interest", "hot") in shown(gus)
    assert save(gus, **{"field-7-interest": "hot"}) == 303
    assert (draft(database), variables(database)[0]["interest"]) == ({}, "hot")


def test_a_contact_who_is_gone_takes_nothing_and_what_was_typed_stays(
    gus: Visitor, contact: str, api: Caller, database: Database
) -> None:
    gus.get("desk/")
    api.request("DELETE", contact)
    store(database, update(Campaign).values(agent_fields=""))
    assert save(gus, **TYPED) == 303
    assert draft(database) == {"email": "ada@example.com", "interest": "hot"}
    store(database, update(Campaign).values(agent_fields="email"))
    page = gus.get("desk/")
    assert (GONE in page, LEFT.format("email: ada@example.com, interest: hot") in page) == (True, True)
    assert outcome(api) == ("success", "")


@pytest.mark.usefixtures("contact")
def test_nothing_is_kept_about_an_erased_person(gus: Visitor, admin: Visitor, database: Database) -> None:
    gus.get("desk/")
    end_call(database)
    erase(admin, "+12025550001")
    assert save(gus, **TYPED) == 303
    assert database.read_now(lambda c: c.scalar(select(CallDraft.id))) is None


@pytest.mark.usefixtures("contact")
def test_a_copy_that_is_not_readable_stays_and_the_contact_has_the_values(gus: Visitor, database: Database) -> None:
    store(database, update(Subscriber).values(additional_vars='{"a":'))
    assert save(gus, **TYPED) == 303
    contacts = select(Contact.additional_vars).order_by(Contact.id.desc())
    filled = json.loads(database.read_now(lambda c: c.scalar(contacts)) or "")
    assert filled == {**KNOWN, "email": "ada@example.com", "interest": "hot"}
    assert database.read_now(lambda c: c.scalar(select(Subscriber.additional_vars))) == '{"a":'
    assert draft(database) == {}


@pytest.mark.usefixtures("contact")
def test_a_contact_that_is_not_readable_is_told_and_the_outcome_is_saved(
    gus: Visitor, api: Caller, database: Database
) -> None:
    gus.get("desk/")
    store(database, update(Contact).values(additional_vars="[]"))
    assert save(gus, **TYPED) == 303
    page = gus.get("desk/")
    assert (UNREADABLE in page, shown(gus), outcome(api)) == (True, [], ("success", ""))
    assert LEFT.format("email: ada@example.com, interest: hot") in page


@pytest.mark.parametrize("typed", [{}, {"field-7-email": "ada@example.com"}])
def test_without_the_script_a_column_that_nobody_typed_stays_as_another_agent_has_left_it(
    gus: Visitor, contact: str, api: Caller, database: Database, typed: dict[str, str]
) -> None:
    sent = all_inputs(gus)
    api.change(contact, additional_vars=COLD)
    assert save(gus, **{**sent, **typed}) == 303
    filled = {"email": "ada@example.com"} if typed else {}
    assert variables(database)[0] == {**COLD, **filled}
    assert database.read_now(lambda c: c.scalar(select(CallDraft.id))) is None


def test_an_agent_hears_of_the_change_of_another_one_before_they_write_over_it(
    gus: Visitor, contact: str, api: Caller, database: Database
) -> None:
    sent = all_inputs(gus)
    api.change(contact, additional_vars=COLD)
    assert save(gus, **{**sent, "field-7-interest": "hot"}) == 303
    assert (outcome(api), variables(database)[0], draft(database)) == (("success", ""), COLD, {"interest": "hot"})
    assert ("interest", "hot") in shown(gus)
    assert '<p class="hint">The contact has: cold</p>' in gus.page
    logged = select(AuditLog.id).where(AuditLog.action == "person_filled_in")
    assert database.read_now(lambda c: c.scalar(logged)) is None
    assert save(gus, **all_inputs(gus)) == 303
    assert (variables(database)[0], draft(database)) == ({**KNOWN, "interest": "hot"}, {})


@pytest.mark.usefixtures("contact")
def test_more_columns_than_are_kept_are_refused_and_nothing_is_lost(
    gus: Visitor, api: Caller, database: Database
) -> None:
    gus.get("desk/")
    left = {f"field-7-column {place}": f"value {place}" for place in range(COLUMNS_MAX + 1)}
    refused = gus.send("desk/disposition/", call="7", **{"disposition-7": "success", "note-7": "Hi", **left})
    assert (refused.status_code, "41 columns cannot be written to the contact" in refused.text) == (400, True)
    assert ("value 0" in refused.text, "value 40" in refused.text, ">\nHi</textarea>" in refused.text) == (True,) * 3
    assert api.request("GET", "callrequest/7/disposition/").status_code == 404
    assert variables(database) == (KNOWN, KNOWN)
    left.popitem()
    assert save(gus, **left, **{"note-7": "Hi"}) == 303
    assert (outcome(api), len(draft(database))) == (("success", "Hi"), COLUMNS_MAX)
