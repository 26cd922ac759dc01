"""Tests of the way from a spreadsheet to a campaign of text messages, without scripts."""

import re

from litestar import Litestar
from litestar.testing import TestClient
from sqlalchemy import update

from dialer.domain.billing.money import MONEY_SCALE
from dialer.store.database.database import Database
from dialer.store.tables import User
from tests.api.harness import Caller
from tests.console.building import store
from tests.console.test_importing import look, press
from tests.console.visitor import Visitor, words

FORM = "records/sms-campaigns/new/?phonebook=1&imported=2&rejected=1"


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
    alice.get(FORM)
    measured = words(alice.send("text-length/", text="Dear {full_name}, {Plan}", phonebook="1").text)
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
