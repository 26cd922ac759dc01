"""Tests of the way from a spreadsheet to a campaign of text messages, without scripts."""

import re

from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import update

from dialer.console.pages.new_campaign import PASTED_MAX
from dialer.domain.billing.money import MONEY_SCALE
from dialer.store.database.database import Database
from dialer.store.tables import User
from tests.api.harness import Caller
from tests.console.building import store
from tests.console.test_importing import look, press
from tests.console.visitor import Visitor, words

FORM = "records/sms-campaigns/new/?phonebook=1&imported=2&rejected=1"
TOKEN = "a" * 32
AFTER = (("imported", "2"), ("rejected", "1"), ("list", TOKEN))


def test_cells_that_are_pasted_become_people_and_a_campaign_of_texts(
    alice: Visitor, admin: Visitor, api: Caller, database: Database
) -> None:
    text = alice.text("new-campaign/?medium=sms")
    assert ("Who shall get the text?" in text, "1 People 2 Text 3 Check and start" in text) == (True, True)
    assert alice.send("new-campaign/paste/", pasted=" ", medium="sms").status_code == 400
    cells = "number\tfull_name\tPlan\n+12025550111\tAnn\tGold\n+12025550112\tBob\tBlue\nabc\tBad\t\n"
    kept = alice.send("new-campaign/paste/", pasted=cells, medium="sms")
    alice.get(kept.headers["location"].removeprefix("/console/"))
    assert "New campaign of text messages Is the file read right?" in words(alice.page)
    imported = press(alice, **{"import": "1"}).headers["location"]
    assert imported.startswith(f"/console/{FORM}&list=")
    page = alice.get(imported.removeprefix("/console/"))
    assert "2 people imported. 1 line was refused." in words(page)
    assert "There is no carrier for text messages yet." in words(page)
    assert "Ask your admin to add it" in words(page)
    assert re.search(r'<textarea id="text_message"[^>]* required', page)
    assert page.index('href="/console/placeholders/?phonebook=1"') < page.index('name="sms_gateway"')
    assert 'value="1" checked' in page[page.index("phonebook.1") :][:60]
    admin.get(FORM)
    assert admin.send("new-campaign/gateway/", phonebook="1", medium="sms").headers["location"] == (
        "/console/records/sms-campaigns/new/?phonebook=1"
    )
    (gateway,) = api.get("sms-gateway/")["results"]
    assert gateway["name"] == "Simulator"
    assert '<option value="1" selected>Simulator</option>' in alice.get(FORM)

    assert "Plan" in alice.text("placeholders/?phonebook=1")
    store(database, update(User).values(sms_rate=MONEY_SCALE // 10))
    admin.get(FORM)
    store(database, update(User).where(User.username == "admin").values(sms_rate=0))
    measured = words(admin.send("text-length/", text="Dear {full_name}, {Plan}", phonebook="1").text)
    assert measured == (
        "14 characters, 1 part, as Ann gets it. For 2 people that makes about 2 parts. They cost about 0.20."
        " Dear Ann, Gold"
    )


def test_the_columns_and_people_of_others_are_not_shown(alice: Visitor, bob: Visitor) -> None:
    look(alice, "new-campaign/", b"contact,full_name,Secret\n+12025550111,Ann,x\n", name="Spring")
    assert press(alice, **{"import": "1"}).status_code == 303
    assert "Secret" not in bob.text("placeholders/?phonebook=1,2,x")
    bob.get("new-campaign/?medium=sms")
    assert words(bob.send("text-length/", text="Dear {full_name}", phonebook="1").text) == "16 characters, 1 part."


def test_the_check_shows_the_text_as_a_person_reads_it(
    alice: Visitor, api: Caller, client: TestClient[Litestar]
) -> None:
    book, gateway = (
        api.create("phonebook", name="Book"),
        Caller(client, "admin").create("sms-gateway", name="Texts", protocol="sim"),
    )
    api.create("contact", contact="+12025550111", full_name="Ann <b>", phonebook=book["url"])
    values = {"name": "Texts", "text_message": "Dear {full_name}", "sms_gateway": gateway["url"]}
    made = api.create("sms-campaigns", phonebook=[book["url"]], **values)
    page = alice.get(f"campaigns/{made['id']}/")
    assert "Ann &lt;b&gt; reads: <q" in page
    assert "Ann <b> reads: Dear Ann <b>" in words(page).replace("&lt;", "<")
    assert "1 People 2 Text 3 Check and start" in words(page)


def test_the_first_carrier_is_made_without_losing_what_was_typed(admin: Visitor, api: Caller) -> None:
    for name in ("One", "Two"):
        api.create("phonebook", name=name)
    page = admin.get(f"{FORM}&list={TOKEN}")
    assert re.search(r'form="settings" formaction="/console/new-campaign/gateway/" formnovalidate', page)
    typed = {"name": "Spring", "text_message": "Dear {full_name}", "phonebook": "", "phonebook.2": "1"}
    after = {"imported": "2", "rejected": "1", "list": TOKEN, "medium": "sms", "next": "//elsewhere"}
    location = admin.send("new-campaign/gateway/", **typed, **after).headers["location"]
    page = admin.get(location.removeprefix("/console/"))
    assert ('value="Spring"' in page, "Dear {full_name}</textarea>" in page) == (True, True)
    assert '<option value="1" selected>Simulator</option>' in page
    assert_as_it_was(page)


def test_a_form_that_is_refused_still_says_what_was_imported(alice: Visitor, api: Caller) -> None:
    for name in ("One", "Two"):
        api.create("phonebook", name=name)
    alice.get(f"{FORM}&list={TOKEN}")
    fields = {"phonebook": "", "phonebook.2": "1", "imported": "2", "rejected": "1", "list": TOKEN}
    answer = alice.send("records/sms-campaigns/", name="", text_message="Dear", **fields)
    assert answer.status_code == 400
    assert_as_it_was(answer.text)


def assert_as_it_was(page: str) -> None:
    """Assert that a page has the notice of the import, its list, and the second phonebook."""
    assert "2 people imported. 1 line was refused." in words(page)
    assert all(f'type="hidden" name="{name}" value="{value}"' in page for name, value in AFTER)
    assert (f"/console/lists/{TOKEN}/rejected/" in page, 'placeholders/?phonebook=2"' in page) == (True, True)
    assert [at for at in "12" if f'name="phonebook.{at}" type="checkbox" value="1" checked' in page] == ["2"]


def test_pasted_cells_keep_an_empty_first_header_and_any_script_fits(alice: Visitor, api: Caller) -> None:
    alice.get("new-campaign/?medium=sms")
    cells = "\tnumber\tfull_name\n1\t+12025550111\tAnn\n"
    kept = alice.send("new-campaign/paste/", pasted=cells, medium="sms")
    alice.get(kept.headers["location"].removeprefix("/console/"))
    assert press(alice, **{"import": "1"}).status_code == 303
    (made,) = api.get("contact/")["results"]
    assert (made["contact"], made["full_name"]) == ("+12025550111", "Ann")
    alice.get("new-campaign/?medium=sms")
    assert alice.send("new-campaign/paste/", pasted="\u4e2d" * PASTED_MAX, medium="sms").status_code == 303
    refused = alice.send("new-campaign/paste/", pasted="\u0416" * (PASTED_MAX + 1), medium="sms")
    assert (refused.status_code, "These are too many cells." in words(refused.text)) == (400, True)
