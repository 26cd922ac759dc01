"""Tests of the pages of records: lists, forms, and the rights of viewers."""

import re

from sqlalchemy import select, update

from dialer.console.pages.record_list import ROWS
from dialer.console.words.catalogue import PAGES
from dialer.store.database.database import Database
from dialer.store.rows.law_rules import keep_law_rows
from dialer.store.tables import ContactRule, Gateway
from tests.api.harness import NOW_MS, PASSWORD, Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.test_carriers import filled_in
from tests.console.visitor import Visitor, words


def test_every_list_and_form_can_be_shown_with_hostile_names(admin: Visitor, api: Caller) -> None:
    campaign(api, name=HOSTILE)
    for path in PAGES:
        listed = admin.get(f"records/{path}/")
        form = admin.request("GET", f"records/{path}/new/")
        first = re.findall(rf'href="/console/records/{path}/(\d+)/"', listed)[:1]
        pages = [listed, form.text, *(admin.get(f"records/{path}/{identity}/") for identity in first)]
        assert form.status_code in {200, 303, 404}
        assert [page for page in pages if "<script>alert" in page] == []


def test_a_record_is_created_changed_and_deleted(alice: Visitor, api: Caller) -> None:
    assert "import a spreadsheet of people into it. New phonebook" in alice.text("records/phonebook/")
    alice.get("records/phonebook/new/")
    made = alice.send("records/phonebook/", name="Spring <b>", description="")
    assert (made.status_code, made.headers["location"]) == (303, "/console/records/phonebook/1/")
    assert 'value="Spring &lt;b&gt;"' in alice.get("records/phonebook/1/")
    version = alice.page.split('name="version" value="')[1].partition('"')[0]
    saved = alice.send("records/phonebook/1/", name="Summer", description="new", version=version)
    assert saved.headers["location"] == "/console/records/phonebook/1/?saved=1"
    assert "Saved." in alice.text("records/phonebook/1/?saved=1")
    stored = api.get("phonebook/1/")
    assert (stored["name"], stored["description"]) == ("Summer", "new")
    stale = alice.send("records/phonebook/1/", name="Autumn", version=version)
    assert (stale.status_code, "Somebody has changed this record" in words(stale.text)) == (409, True)
    assert alice.send("records/phonebook/1/delete/").headers["location"] == "/console/records/phonebook/"
    assert api.get("phonebook/")["count"] == 0


def test_a_wrong_form_says_what_is_wrong_and_keeps_what_was_filled_in(alice: Visitor, api: Caller) -> None:
    campaign(api)
    alice.get("records/campaigns/new/?phonebook=1&object_id=1")
    assert 'name="phonebook.1" type="checkbox" value="1" checked' in alice.page
    fields = {
        "name": "Spring",
        "object_id": "1",
        "aleg_gateway": "1",
        "frequency": "-1",
        "phonebook.1": "1",
        "monday": "0",
    }
    answer = alice.send("records/campaigns/", **fields, phonebook="")
    assert answer.status_code == 400
    assert "greater than or equal to" in words(answer.text), words(answer.text)
    assert ('value="Spring"' in answer.text, 'name="phonebook.1" type="checkbox" value="1" checked' in answer.text) == (
        True,
        True,
    )
    made = alice.send("records/campaigns/", **{**fields, "frequency": "20", "callerid": "+12025550199"}, phonebook="")
    assert made.headers["location"] == "/console/campaigns/2/"
    stored = api.get("campaigns/2/")
    assert (stored["frequency"], stored["monday"], stored["tuesday"], len(stored["phonebook"])) == (20, False, True, 1)


def test_lists_count_what_belongs_to_a_record_and_lead_there(alice: Visitor, bob: Visitor, api: Caller) -> None:
    for name, numbers in (("Spring", 2), ("Summer", 0)):
        book = api.create("phonebook", name=name, description="people")
        for one in range(numbers):
            api.create("contact", phonebook=book["url"], contact=f"+1202555010{one}")
    assert "Name Contacts Description Created Spring 2 people" in alice.text("records/phonebook/")
    assert '<a class="cut" href="/console/records/contact/?phonebook=1">2</a>' in alice.page
    assert '<a class="cut" href="/console/records/contact/?phonebook=2">0</a>' in alice.page
    assert "There is no phonebook yet." in bob.text("records/phonebook/")


def test_the_audit_log_begins_with_the_newest_entry(alice: Visitor, api: Caller) -> None:
    for name in ("first", "second"):
        api.create("phonebook", name=name)
    shown = alice.text("records/audit-log/")
    assert shown.index("Created Phonebook second Name: second") < shown.index("Created Phonebook first Name: first")


def test_the_audit_log_says_in_words_what_was_changed(alice: Visitor, bob: Visitor, api: Caller) -> None:
    campaign(api, name="Spring")
    api.change("campaigns/1/", status=2)
    api.change("campaigns/1/", daily_stop_time="19:30:00")
    api.create("phonebook", name="Old <b>")
    api.request("DELETE", "phonebook/2/")
    shown = alice.text("records/audit-log/")
    assert "Changed Campaign Spring State: Started \u2192 Paused" in shown
    assert "Until: 23:59:59 \u2192 19:30:00" in shown
    assert "Created Section Hello Title: Hello; Script: Hello; Survey: Survey; Type: Message" in shown
    assert "Signed in User alice \u2013 testclient" in shown
    assert "Deleted Phonebook No. 2 Name: Old <b>" in shown
    assert '<a class="cut" href="/console/campaigns/1/" title="campaigns 1">Spring</a>' in alice.page
    assert '<span class="cut" title="change">Changed</span>' in alice.page
    assert "/console/records/phonebook/2/" not in alice.page
    entry = api.get("audit-log/", action="change")["results"][1]["id"]
    shown = alice.text(f"records/audit-log/{entry}/")
    assert "Changes State: Started \u2192 Paused" in shown
    assert "Signed in by Password password" in shown
    shown = words(alice.request("GET", "records/audit-log/", headers={"Accept-Language": "de"}).text)
    assert "Ge\u00e4ndert Kampagne Spring Zustand: Gestartet \u2192 Pausiert" in shown
    assert bob.request("GET", f"records/audit-log/{entry}/").status_code == 404


def test_the_audit_log_is_narrowed_to_a_user_an_action_a_record_and_a_time(
    alice: Visitor, admin: Visitor, api: Caller
) -> None:
    for name in ("Spring", "Summer"):
        api.create("phonebook", name=name)
    api.change("phonebook/2/", name="Autumn")
    shown = alice.text("records/audit-log/?resource=phonebook&record_id=2&action=change")
    assert "Changed Phonebook Autumn Name: Summer → Autumn" in shown
    assert "Only those of Autumn ." in shown
    assert "1 in all" in shown
    assert '<option value="change" selected>Changed</option>' in alice.page
    assert '<option value="gateway">Carriers</option>' in alice.page
    assert '<option value="sms-campaigns">Campaign of text messages</option>' in alice.page
    assert 'name="record_id" type="number" min="1" value="2"' in alice.page
    assert "3 in all" in admin.text("records/audit-log/?actor=alice&resource=phonebook")
    assert '<option value="alice"></option>' in admin.page
    assert "Nothing here fits." in admin.text("records/audit-log/?actor=bob")


def test_the_times_of_the_audit_log_are_those_of_the_viewer(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Spring")
    alice.cookies["dialer_zone"] = "Asia/Tokyo"
    moment = "records/audit-log/?resource=phonebook&created_date_after="
    assert "1 in all" in alice.text(f"{moment}2026-11-18T20:06")
    assert 'name="created_date_after" type="datetime-local" step="1" value="2026-11-18T20:06"' in alice.page
    assert "Nothing here fits." in alice.text(f"{moment}2026-11-18T20:07")
    alice.get(f"{moment}2026-11-18T11:06:00Z")
    assert 'name="created_date_after" type="datetime-local" step="1" value="2026-11-18T20:06"' in alice.page


def test_records_lead_to_their_changes(alice: Visitor, admin: Visitor, api: Caller) -> None:
    campaign(api, name="Spring")
    for page, record in (
        (alice.get("campaigns/1/"), "campaigns&amp;record_id=1"),
        (alice.get("records/phonebook/1/"), "phonebook&amp;record_id=1"),
        (admin.get("records/users/2/"), "users&amp;record_id=2"),
        (admin.get("records/gateway/1/"), "gateway&amp;record_id=1"),
    ):
        assert f'href="/console/records/audit-log/?resource={record}">Changes</a>' in page


def test_lists_and_forms_have_words_for_codes(admin: Visitor, api: Caller) -> None:
    Caller(api.client, "admin").create("gateway", name="Trunk", protocol="sip", parameters={"server": "192.0.2.1"})
    assert "Trunk SIP" in admin.text("records/gateway/")
    assert '<option value="4">Always from the first one, by level</option>' in admin.get("records/queue/new/")
    assert "alice Manager Yes" in admin.text("records/users/")
    assert '<label for="manager">Manager <' in admin.get("records/users/new/")


def test_the_list_and_the_page_of_a_gateway_say_why_its_line_is_down(
    admin: Visitor, api: Caller, database: Database
) -> None:
    Caller(api.client, "admin").create("gateway", name="Trunk", protocol="sip", parameters={"server": "192.0.2.1"})
    store(database, update(Gateway).values(line_down="no route to host", line_since_ms=NOW_MS - 3_600_000))
    assert "Trunk SIP Down: no route to host" in admin.text("records/gateway/")
    assert "The line Down Nobody is called over it now: no route to host. Down since 10:06" in admin.text(
        "records/gateway/1/"
    )


def test_moments_are_in_the_zone_of_the_viewer(alice: Visitor, api: Caller) -> None:
    campaign(api, started="no")
    alice.cookies["dialer_zone"] = "Asia%2FTokyo"
    page = alice.get("records/campaigns/1/")
    assert 'name="startingdate" type="datetime-local" value="2026-11-18T20:06:40"' in page
    alice.send("records/campaigns/1/", startingdate="2026-11-19T09:00", expirationdate="2026-11-20T09:00:30")
    stored = api.get("campaigns/1/")
    assert (stored["startingdate"], stored["expirationdate"]) == ("2026-11-19T00:00:00Z", "2026-11-20T00:00:30Z")


def test_a_record_that_is_needed_stays(alice: Visitor, api: Caller) -> None:
    campaign(api, started="no")
    alice.get("records/survey-template/1/")
    answer = alice.send("records/survey-template/1/delete/")
    assert (answer.status_code, "Still used by campaign 1." in words(answer.text)) == (409, True)


def test_the_key_is_shown_once(alice: Visitor, api: Caller) -> None:
    alice.get("records/api-key/new/")
    shown = alice.send("records/api-key/", name="nightly", scopes="", current=PASSWORD, **{"scopes.read": "1"})
    key = shown.text.split('class="secret">')[1].partition("<")[0]
    assert (shown.status_code, shown.headers["cache-control"]) == (200, "no-store")
    assert api.get("api-key/")["results"][0]["scopes"] == ["read"]
    assert key not in alice.get("records/api-key/1/")


def test_the_password_of_a_gateway_is_never_shown_and_stays(admin: Visitor, api: Caller) -> None:
    parameters = {"server": "192.0.2.10", "username": "anna", "password": "s3cret-of-the-trunk"}
    Caller(api.client, "admin").create("gateway", name="Trunk", protocol="sip", parameters=parameters)
    for path in ("records/gateway/", "records/gateway/1/"):
        assert "s3cret" not in admin.get(path)
    assert 'name="parameters.server" type="text" value="192.0.2.10"' in admin.page
    shown = '{"server":"192.0.2.10","username":"anna"}'
    assert admin.send("records/gateway/1/", name="Trunk 2", parameters=shown).status_code == 303
    wrong = admin.send("records/gateway/1/", name="", parameters=shown)
    assert (wrong.status_code, "s3cret" in wrong.text) == (400, False)


def test_lists_are_searched_ordered_and_paged(alice: Visitor, api: Caller) -> None:
    book = api.create("phonebook", name="Book")["url"]
    for number in range(ROWS + 2):
        api.create("contact", phonebook=book, contact=f"+1202555{number:04}", full_name=f"Name {number:03}")
    assert f"{ROWS + 2} in all" in alice.text("records/contact/?ordering=-contact")
    assert 'aria-sort="descending"' in alice.page
    following = alice.page.split('rel="next" href="/console/')[1].partition('"')[0].replace("&amp;", "&")
    assert "+12025550001 Name 001 Book" in alice.text(following)
    assert "+12025550000 Name 000 Book" in alice.text("records/contact/?search=%2B1 (202) 555-0000")
    assert "Only those of Book . Show all" in alice.text("records/contact/?phonebook=1")
    assert "Nothing here fits." in alice.text("records/contact/?search=nobody")


def test_a_customer_sees_and_changes_nothing_of_another(bob: Visitor, api: Caller) -> None:
    campaign(api, started="no")
    for path in ("phonebook", "campaigns", "survey-template", "contact"):
        assert f"records/{path}/1/" not in bob.get(f"records/{path}/")
        bob.get("account/")
        assert bob.request("GET", f"records/{path}/1/").status_code == 404
        assert bob.send(f"records/{path}/1/", name="x").status_code == 404
        assert bob.send(f"records/{path}/1/delete/").status_code == 404
    bob.get("records/campaigns/new/")
    assert bob.send("records/campaigns/", name="x", object_id="1", aleg_gateway="1").status_code == 400


def test_viewers_and_agents_change_nothing(alice: Visitor, visitor: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    visitor.sign_in("vera")
    page = visitor.get("records/phonebook/1/")
    assert ("Book" in page, "Save" in page, "Delete" in page) == (True, False, False)
    visitor.page = visitor.get("account/")
    for path, fields in (("", {"name": "x"}), ("1/", {"name": "x"}), ("1/delete/", {})):
        assert visitor.send(f"records/phonebook/{path}", **fields).status_code == 403
    assert visitor.request("GET", "records/phonebook/new/").status_code == 403
    assert alice.request("GET", "records/gateway/new/").status_code == 403
    assert alice.request("GET", "records/payment/").status_code == 403


def test_wrong_addresses_are_not_found(alice: Visitor) -> None:
    for path in ("nothing/", "phonebook/0/", "phonebook/x/", "cdr/", "audit-log/new/", "phonebook/?page=0"):
        assert alice.request("GET", f"records/{path}").status_code == 404


def test_lists_are_exported_as_far_as_they_are_narrowed_down(alice: Visitor, bob: Visitor, api: Caller) -> None:
    for name, number in (("Spring", "+12025550100"), ("Summer", "+12025550101")):
        book = api.create("phonebook", name=name)["url"]
        api.create("contact", phonebook=book, contact=number, full_name="=Ada")
    link = alice.get("records/contact/?phonebook=1").split('class="button" href="/console/')[1].partition('"')[0]
    assert ("+12025550100" in alice.page, "+12025550101" in alice.page) == (True, False)
    exported = alice.request("GET", link.replace("&amp;", "&"))
    assert exported.headers["content-type"].startswith("text/csv")
    assert ("+12025550100" in exported.text, "+12025550101" in exported.text) == (True, False)
    assert "+1202555" not in bob.request("GET", "records/contact/export/?format=csv").text
    assert alice.request("GET", "records/users/export/?format=csv").status_code == 404
    assert alice.request("GET", "records/nothing/export/?format=csv").status_code == 404
    assert "Export" not in alice.get("records/phonebook/")


def test_durations_are_given_in_seconds_minutes_or_hours(alice: Visitor, api: Caller) -> None:
    campaign(api, started="no")
    page = alice.get("records/campaigns/1/")
    assert '<option value="60" selected>minutes</option>' in page
    fields = {"intervalretry": "2", "intervalretry.unit": "3600", "callmaxduration": "90", "callmaxduration.unit": "1"}
    assert alice.send("records/campaigns/1/", **fields).status_code == 303
    stored = api.get("campaigns/1/")
    assert (stored["intervalretry"], stored["callmaxduration"]) == (7_200, 90)
    for wrong in ("-1", "x", "9" * 40):
        answer = alice.send("records/campaigns/1/", **{**fields, "intervalretry": wrong})
        assert (answer.status_code, 'id="intervalretry-hint"' in answer.text) == (400, True)
        assert '<option value="3600" selected>hours</option>' in answer.text


def test_a_person_of_a_campaign_leads_to_the_contact_by_name_and_number(alice: Visitor, api: Caller) -> None:
    campaign(api, started="no")
    api.change("contact/1/", full_name="Ada Byron")
    api.create("subscriber-list", campaign="/rest-api/campaigns/1/", contact="/rest-api/contact/1/")
    page = alice.get("records/subscriber-list/1/")
    assert '<a href="/console/records/contact/1/">Ada Byron, +12025550100</a>' in page
    assert '<select id="contact"' not in page
    options = page.split('<select id="status"')[1].partition("</select>")[0]
    assert words(f"<select {options}") == "Waiting Paused Called off"


def test_forms_have_groups_in_the_order_of_the_task_and_no_codes(admin: Visitor) -> None:
    page = admin.get("records/campaigns/new/")
    found = re.findall(r"<legend>([^<]+)</legend>", page)
    assert [title for title in found if title[:3] in {"Who", "Wha", "Whe", "How", "If "}] == [
        *("Who is called", "What they hear", "When", "How fast", "If nobody answers", "If no agent came in time")
    ]
    for path in PAGES:
        form = admin.request("GET", f"records/{path}/new/").text
        wrong = [text for text in ("Besides", "Null", "of type ", "Used with", "is true") if text in words(form)]
        assert (path, wrong) == (path, [])


def test_a_user_is_changed_without_another_password(admin: Visitor, visitor: Visitor) -> None:
    """The field of the password is empty in the form, and a form with an empty one leaves the password as it is."""
    form = filled_in(admin.get("records/users/2/"))
    assert form["password"] == ""
    assert admin.send("records/users/2/", **{**form, "first_name": "Alice"}).status_code == 303
    assert 'name="first_name" type="text" value="Alice"' in admin.get("records/users/2/")
    assert visitor.sign_in("alice").status_code == 303


def test_the_list_of_contact_rules_shows_the_rows_of_law_with_their_sources(alice: Visitor) -> None:
    text = alice.text("records/contact-rule/")
    shown = "Florida: 3 in 24 hours us-fl-cap Nobody in Florida is called more than three times in 24 hours"
    assert shown in text
    assert "Fla. Stat. 501.616(6)(b) 2026-11-28: verified; whether texts count was not found 2021-07-01 Yes" in text
    assert "2025-04-11 No Wishes not to be contacted go to do-not-call lists at once, and stay there." in text
    assert "us-fl-cap" not in alice.text("records/consent/")


def test_an_admin_switches_a_row_of_law_on_its_page(admin: Visitor, visitor: Visitor, database: Database) -> None:
    database.write_now(lambda connection: keep_law_rows(connection, NOW_MS))
    identity = database.read_now(lambda c: c.scalar(select(ContactRule.id).where(ContactRule.row == "us-fl-cap")))
    assert "There is no rule yet." in admin.text("records/contact-rule/"), "rows of law have a table of their own"
    assert f'href="/console/records/contact-rule/{identity}/"' in admin.page
    page = admin.get(f"records/contact-rule/{identity}/")
    assert (filled_in(page).keys() - {"csrf", "version", "q"}, "Delete it" in page) == ({"enabled"}, False)
    saved = admin.send(f"records/contact-rule/{identity}/", enabled="false")
    assert saved.headers["location"] == f"/console/records/contact-rule/{identity}/?saved=1"
    assert "No Switched off by admin, 18 Nov 2026, 11:06" in admin.text("records/contact-rule/")
    admin.get(f"records/contact-rule/{identity}/")
    assert admin.send(f"records/contact-rule/{identity}/delete/").status_code == 409
    visitor.sign_in("alice")
    assert "No Switched off by admin, 18 Nov 2026, 11:06" in visitor.text("records/contact-rule/")
    assert f'href="/console/records/contact-rule/{identity}/"' not in visitor.page
    own = visitor.get(f"records/contact-rule/{identity}/")
    assert ('name="enabled"' in own, "Delete it" in own) == (False, False)
    visitor.get("records/contact-rule/new/")
    assert visitor.send(f"records/contact-rule/{identity}/", enabled="true").status_code == 403
