"""Tests of the page of a number."""

from pathlib import Path

import pytest

from dialer.console.pages.number import CAMPAIGNS_A_PAGE
from dialer.domain.formats.media_files import MediaError
from dialer.domain.sessions.leg_protocol import SPEECH_FOLDER
from dialer.store.database.database import Database
from dialer.store.media.folder import FolderMedia
from dialer.store.tables import SmsReceived
from tests.api.builders import stored
from tests.api.harness import Caller
from tests.console.building import HOSTILE, campaign
from tests.console.visitor import Visitor, words


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
