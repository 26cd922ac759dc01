"""Tests of the page of a number."""

from pathlib import Path

import pytest
from sqlalchemy import update

from dialer.console.pages.number import CAMPAIGNS_A_PAGE
from dialer.domain.formats.media_files import MediaError
from dialer.domain.sessions.leg_protocol import SPEECH_FOLDER
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.proof import Proof, WishSource
from dialer.store.database.database import Database
from dialer.store.media.folder import FolderMedia
from dialer.store.rows.wishes import call_off, held_list
from dialer.store.tables import Campaign, Cdr, SmsReceived, Subscriber
from tests.api.builders import stored
from tests.api.harness import NOW_MS, Caller
from tests.console.building import HOSTILE, campaign, store
from tests.console.visitor import Visitor, words

NUMBER = "%2B12025550100"


def test_it_tells_what_happened_in_each_campaign(alice: Visitor, bob: Visitor, api: Caller) -> None:
    campaign(api, name="Departures")
    campaign(api, name=HOSTILE)
    text = alice.text("number/?number=%2B1 (202) 555-0100")
    assert text.index('alert("x")') < text.index("Departures")
    assert text.count("It was not called yet.") == 2
    assert "<script>alert" not in alice.page
    assert "No campaign of yours has this number." in bob.text("number/?number=%2B12025550100")


def test_every_text_that_came_in_is_shown_and_those_that_need_a_person_come_first(
    alice: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    """A text of no campaign is shown, too. The list leads to the page of the number, and the page to the text."""
    campaign(api, name="Departures")
    number, user_id = "+12025550100", int(api.get("campaigns/1/")["user"].rstrip("/").rsplit("/", 1)[-1])
    given = {"user_id": user_id, "gateway_id": 1, "phone_number": number, "number": number}
    doubted = stored(database, SmsReceived, **given, said="Hm <b>", understood="perhaps", needs_person=True)
    stored(database, SmsReceived, **given, campaign_id=1, said="yes", understood="other")
    listed = alice.text("records/sms-received/")
    assert listed.index("Hm <b>") < listed.index("yes")
    assert 'href="/console/number/?number=%2B12025550100"' in alice.page
    text = alice.text("number/?number=%2B12025550100")
    assert ("Hm <b> Needs a person" in text, "Text from the person: yes" in text) == (True, False)
    assert (f'href="/console/records/sms-received/{doubted}/"' in alice.page, "Hm <b>" in alice.page) == (True, False)
    assert text.index("yes Something else") < text.index("Hm <b>")
    record = alice.get(f"records/sms-received/{doubted}/")
    assert 'href="/console/number/?number=%2B12025550100"' in record
    assert "Hm" not in bob.text("number/?number=%2B12025550100")


def test_the_title_is_the_name_and_other_names_follow(alice: Visitor, bob: Visitor, api: Caller) -> None:
    campaign(api, name="Departures", started="no")
    book = api.get("phonebook/")["results"][0]["url"]
    for name in (HOSTILE, "Ada  Byron", "Ada Byron"):
        api.create("contact", phonebook=book, contact="+1 202 555 0100", full_name=name)
    text = alice.text(f"number/?number={NUMBER}")
    assert "<h1>Ada Byron</h1>" in alice.page
    assert (text.count("Ada Byron"), "<script>alert" in alice.page) == (2, False)
    assert text.index("+12025550100") < text.index('also: <script>alert("x")</script>')
    assert "Byron" not in bob.text(f"number/?number={NUMBER}")


def test_a_number_is_put_on_lists_and_taken_off_again(alice: Visitor, bob: Visitor, vera: Visitor, api: Caller) -> None:
    """The first choice is the own list, for all campaigns. A viewer sees the entry, and another account nothing.

    To take it off, people confirm it.
    """
    campaign(api, name="Departures", started="no")
    other = api.create("dnc-list", name="Competitors <b>")
    assert "It is on no do-not-call list that you see." in alice.text(f"number/?number={NUMBER}")
    assert '<option value="own-2">For all my campaigns</option>' in alice.page
    put = alice.send("number/do-not-call/", number="+12025550100", dnc="own-2")
    assert (put.status_code, put.headers["location"]) == (303, f"/console/number/?number={NUMBER}&done=listed&of=2")
    said = alice.text(f"number/?number={NUMBER}&done=listed&of=2")
    assert "<span>The number is on the list “Asked not to be called”.</span>" in alice.page
    assert "Take the number off the list “Asked not to be called”? Campaigns may call the person again" in said
    assert ("For all my campaigns" in said, "Asked not to be called : on it since" in said) == (False, True)
    (entry,) = api.get("dnc-contact/")["results"]
    assert (entry["phone_number"], entry["source"], "<b>" in alice.page) == ("+12025550100", "console", False)
    seen = vera.text(f"number/?number={NUMBER}")
    assert ("Asked not to be called : on it since" in seen, "Take it off" in seen) == (True, False)
    assert vera.send("number/allow/", number="+12025550100", entry=str(entry["id"])).status_code == 403
    alice.send("number/do-not-call/", number="+12025550100", dnc=str(other["id"]))
    again = alice.send("number/do-not-call/", number="+12025550100", dnc=str(other["id"]))
    assert (again.status_code, "is on the list already" in again.text) == (400, True)
    bob.get(f"number/?number={NUMBER}")
    assert bob.send("number/do-not-call/", number="+12025550100", dnc=str(other["id"])).status_code == 400
    assert bob.send("number/allow/", number="+12025550100", entry=str(entry["id"])).status_code == 404
    done = alice.send("number/allow/", number="+12025550100", entry=str(entry["id"]))
    assert done.headers["location"].endswith("done=allowed&of=2")
    assert "The number is off that list." in alice.text(f"number/?number={NUMBER}&done=allowed&of=2")
    assert "The number is off that list." not in alice.text(f"number/?number={NUMBER}&done=allowed&of=1")
    assert [one["dnc"] for one in api.get("dnc-contact/")["results"]] == [other["url"]]
    for wrong in ("", "x", "99999"):
        assert alice.send("number/allow/", number="+12025550100", entry=wrong).status_code == 404
    for wrong in ("x", "own-", "own-x", "own-1", "own-99"):
        assert alice.send("number/do-not-call/", number="+12025550100", dnc=wrong).status_code == 404
    unchosen = alice.send("number/do-not-call/", number="+12025550100", dnc="")
    assert (unchosen.status_code, "Choose a do-not-call list." in unchosen.text) == (400, True)


def test_an_admin_chooses_whose_campaigns_leave_a_number_alone(admin: Visitor, api: Caller) -> None:
    """Without a default. A page says which campaigns do not use the list, and nothing that no row shows."""
    campaign(api, name="Departures")
    other = api.create("dnc-list", name="Competitors")
    text = admin.text(f"number/?number={NUMBER}")
    assert ("For all campaigns of alice" in text, "For all my campaigns" in text) == (True, False)
    assert '<option value="" selected>Choose</option>' in admin.page
    assert "The number is on" not in admin.text(f"number/?number={NUMBER}&done=listed&of={other['id']}")
    put = admin.send("number/do-not-call/", number="+12025550100", dnc=str(other["id"]))
    assert put.headers["location"].endswith(f"done=listed&of={other['id']}")
    assert "The number is on the list “Competitors”. These campaigns do not use that list: Departures" in admin.text(
        f"number/?number={NUMBER}&done=listed&of={other['id']}"
    )
    assert admin.send("number/do-not-call/", number="+12025550100", dnc="own-99").status_code == 404
    put = admin.send("number/do-not-call/", number="+12025550100", dnc="own-2")
    own = next(one for one in api.get("dnc-list/")["results"] if one["keeps_wishes_of"] == "account")
    assert own["user"].endswith("/2/")
    said = admin.text(f"number/?number={NUMBER}&done=listed&of={own['id']}")
    assert "No campaign on this page calls it or writes to it from now on." in said
    assert "For all campaigns of alice" not in said
    for false in ("done=called&of=99", "done=listed", "done=listed&of=x", "done=allowed", "done=<b>&of=1"):
        assert 'class="notice good"' not in admin.get(f"number/?number={NUMBER}&{false}")


def test_a_held_number_is_not_taken_off_but_leads_to_the_text(alice: Visitor, api: Caller, database: Database) -> None:
    campaign(api, name="Departures")
    database.write_now(lambda c: call_off(c, [held_list(c, 2, NOW_MS)], "+12025550100", Proof(WishSource.TEXT), NOW_MS))
    text = alice.text(f"number/?number={NUMBER}")
    assert "until somebody has looked at a text from the person. Received texts" in text
    assert "Take it off" not in text


def test_the_words_of_a_campaign_of_text_messages_are_about_texts(
    alice: Visitor, api: Caller, database: Database
) -> None:
    gateway = Caller(api.client, "admin").create("sms-gateway", name="Texts", protocol="sim")
    made = api.create("sms-campaigns", name="Texts", text_message="Hello", sms_gateway=gateway["url"])
    values = {"campaign_id": made["id"], "duplicate_contact": "+12025550100", "number": "+12025550100", "zone": ""}
    person = stored(database, Subscriber, **values, user_id=2, status=SubscriberStatus.FAIL)
    page = f"number/?number={NUMBER}"
    text = alice.text(page)
    assert ("Nobody has written to it yet." in text, "Write again in Texts" in alice.page) == (True, True)
    api.change(f"sms-campaigns/{made['id']}/", status=3)
    over = "The campaign is over, so it writes to nobody any more. Write to its people again"
    assert over in alice.text(page)
    store(database, update(Campaign).values(status=1))
    alice.send("number/do-not-call/", number="+12025550100", dnc="own-2")
    assert "Not to get a text again: The number is on a do-not-call list of the campaign." in alice.text(page)
    alice.send("number/allow/", number="+12025550100", entry=str(api.get("dnc-contact/")["results"][0]["id"]))
    sent = alice.send("number/call-again/", number="+12025550100", subscriber=str(person))
    assert sent.headers["location"].endswith(f"done=called&of={person}")
    assert "The person gets a text again when it is their turn." in alice.text(f"{page}&done=called&of={person}")
    assert "call again" not in alice.text(page).lower()


def test_a_person_is_called_again_unless_there_is_a_reason(
    alice: Visitor, bob: Visitor, vera: Visitor, api: Caller, database: Database
) -> None:
    made = campaign(api, name="Departures")
    person = api.get("subscriber-list/", duplicate_contact="+12025550100")[0]["id"]
    done = update(Subscriber).where(Subscriber.id == person).values(status=SubscriberStatus.COMPLETED, count_attempt=1)
    store(database, done)
    store(database, update(Campaign).where(Campaign.id == made).values(completed=1))

    def called(by: Visitor) -> tuple[int, str]:
        answer = by.send("number/call-again/", number="+12025550100", subscriber=str(person))
        return answer.status_code, answer.headers.get("location", "")

    assert "Call again in Departures" in alice.get(f"number/?number={NUMBER}")
    assert "Call again" not in vera.get(f"number/?number={NUMBER}")
    bob.get(f"number/?number={NUMBER}")
    assert (called(vera)[0], called(bob)[0]) == (403, 404)
    alice.send("number/do-not-call/", number="+12025550100", dnc="own-2")
    assert "Not to be called again: The number is on a do-not-call list of the campaign." in alice.text(
        f"number/?number={NUMBER}"
    )
    refused = alice.send("number/call-again/", number="+12025550100", subscriber=str(person))
    assert (refused.status_code, "The number is on a do-not-call list" in refused.text) == (409, True)
    alice.send("number/allow/", number="+12025550100", entry=str(api.get("dnc-contact/")["results"][0]["id"]))
    assert called(alice) == (303, f"/console/number/?number={NUMBER}&done=called&of={person}")
    subscriber = api.get(f"subscriber-list/{person}/")
    assert (subscriber["status"], subscriber["count_attempt"]) == (1, 1)
    assert api.get(f"campaigns/{made}/")["completed"] == 0
    assert "The person is called again when it is their turn." in alice.text(
        f"number/?number={NUMBER}&done=called&of={person}"
    )
    assert (called(alice)[0], "Call again in" in alice.page) == (409, False)
    api.change(f"campaigns/{made}/", status=3)
    store(database, update(Subscriber).where(Subscriber.id == person).values(status=SubscriberStatus.FAIL))
    assert "The campaign is over, so it calls nobody any more. Call its people again" in alice.text(
        f"number/?number={NUMBER}"
    )
    assert f'href="/console/campaigns/{made}/call-again/"' in alice.page


def test_a_text_that_is_no_number_says_so(alice: Visitor) -> None:
    assert "A number in any spelling" in alice.get("number/")
    answer = alice.request("GET", "number/?number=<b>")
    assert (answer.status_code, "is not a phone number" in answer.text, "<b>" in answer.text) == (400, True, False)


def test_an_admin_erases_a_person(alice: Visitor, admin: Visitor, api: Caller) -> None:
    campaign(api, name="Departures", started="no")
    number = "+1 (202) 555-0100"
    assert "Erase" not in alice.text(f"number/?number={number.replace('+', '%2B')}")
    assert alice.send("number/erase/", number=number).status_code == 403
    assert "Erase the person" in admin.text("number/?number=%2B12025550100")
    assert admin.request("POST", "number/erase/", data={"number": number}).status_code == 403
    assert api.get("contact/", duplicate="+12025550100")["count"] == 4
    done = admin.send("number/erase/", number=number)
    assert (done.status_code, "The person is erased. 1 contact is gone." in words(done.text)) == (200, True)
    assert api.get("contact/")["count"] == 3
    entries = Caller(api.client, "admin").get("audit-log/", ordering="-id")["results"]
    (entry,) = [one for one in entries if one["action"] == "person_erased"]
    assert (entry["via"], "5550100" in str(entry)) == ("console", False)
    for wrong in ("", "<b>", "+12025550199"):
        refused = admin.send("number/erase/", number=wrong)
        assert (refused.status_code, "Nothing was erased" in refused.text, "<b>" in refused.text) in {
            (400, True, False),
            (200, False, False),
        }


def test_an_erasure_that_leaves_spoken_texts_says_so(
    admin: Visitor, api: Caller, media: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_media: FolderMedia, _name: str) -> None:
        raise MediaError("Operation not permitted")

    campaign(api, name="Departures", started="no")
    FolderMedia(media).save(f"{SPEECH_FOLDER}/x.wav", b"Good morning, Anna.")
    admin.get("number/?number=%2B12025550100")
    with monkeypatch.context() as patch:
        patch.setattr(FolderMedia, "delete", refuse)
        done = admin.send("number/erase/", number="+12025550100")
    (media / SPEECH_FOLDER / "x.wav").unlink()
    (media / SPEECH_FOLDER).rmdir()
    text = words(done.text)
    assert (done.status_code, "The person is erased. 1 contact is gone." in text) == (503, True)
    assert "The records are erased, but a spoken text cannot be deleted" in text
    assert api.get("contact/")["count"] == 3


def test_it_tells_to_what_the_person_agreed_and_which_rule_holds_them_back(
    alice: Visitor, bob: Visitor, api: Caller, database: Database
) -> None:
    campaign(api, name="Departures")
    text = alice.text("number/?number=+12025550100")
    assert ("Consents" in text, "Held back" in text) == (False, False)
    api.create("contact-rule", name="Once a week", limit=1, period=7, unit="days")
    given = {"phone_number": "+12025550100", "kind": "express", "given_date": "2026-11-01T10:00:00Z"}
    made = api.create("consent", **given, purposes=["sales", "debt"], seller="Shop <b>")
    api.change(made["url"], withdrawn_date="2026-11-02T10:00:00Z")
    user_id = int(api.get("campaigns/1/")["user"].rstrip("/").rsplit("/", 1)[-1])
    ended: dict[str, object] = {
        "leg_type": 1,
        "duration": 9,
        "billsec": 5,
        "attempt": 1,
        "starting_date": NOW_MS - 86_400_000,
    }
    ended |= {"callerid": "", "call_cost": 0, "billed_duration": 5, "hangup_cause_q850": 16, "amd_status": 1}
    ended |= {"subscriber_id": 0, "contact_id": None}
    stored(database, Cdr, user_id=user_id, campaign_id=1, callid="one", phone_number="+12025550100", **ended)
    text = alice.text("number/?number=+12025550100")
    assert "Express given " in text
    assert ", withdrawn " in text
    assert "Sales, Debt, Shop <b>" in text
    assert "Once a week Held back until " in text
    assert "What counts:" in text
    assert f'href="/console/records/consent/{made["id"]}/"' in alice.page
    text = bob.text("number/?number=+12025550100")
    assert ("Express" in text, "Held back" in text) == (False, False)


def test_many_campaigns_have_pages(alice: Visitor, api: Caller) -> None:
    first = campaign(api, name="Oldest")
    for _ in range(CAMPAIGNS_A_PAGE):
        copied = api.request("POST", f"campaigns/{first}/copy/").json()["id"]
        api.change(f"campaigns/{copied}/", status=1)
    path = "number/?number=%2B12025550100"
    assert alice.get(path).count('aria-labelledby="story-') == CAMPAIGNS_A_PAGE
    assert ("Older campaigns" in alice.page, "Newer campaigns" in alice.page) == (True, False)
    assert alice.get(f"{path}&page=2").count('aria-labelledby="story-') == 1
    assert ("Older campaigns" in alice.page, "Newer campaigns" in alice.page) == (False, True)
    assert alice.request("GET", f"{path}&page=x").status_code == 404
