"""Tests of text messages that came in over the API: who sees them, filters, and the decision about one."""

import pytest

from dialer.store.database.database import Database
from dialer.store.tables import DncContact, DncList, SmsReceived
from tests.api.builders import stored
from tests.api.harness import Caller

NUMBER = "+12025550100"


@pytest.fixture
def text_id(alice: Caller, database: Database) -> int:
    """Return a text message to Alice that may be a wish, and two more."""
    user_id = int(alice.create("phonebook", name="mine")["user"].rstrip("/").rsplit("/", 1)[-1])
    given = {"user_id": user_id, "gateway_id": 1, "phone_number": NUMBER[1:], "number": NUMBER}
    stored(database, SmsReceived, **given, said="yes", understood="other")
    stored(database, SmsReceived, **given, said="STOP", understood="stop")
    held = stored(database, DncList, user_id=user_id, name="held", keeps_wishes_of="held")
    stored(database, DncContact, dnc_id=held, user_id=user_id, phone_number=NUMBER, number=NUMBER, source="text")
    return stored(database, SmsReceived, **given, said="Is this spam?", understood="perhaps", needs_person=True)


def test_texts_are_found_and_exported(alice: Caller, bob: Caller, text_id: int) -> None:
    for query, said in (
        ("", ["yes", "STOP", "Is this spam?"]),
        ("understood=perhaps&verdict=", ["Is this spam?"]),
        ("understood=stop", ["STOP"]),
        ("needs_person=true", ["Is this spam?"]),
        ("ordering=-needs_person", ["Is this spam?", "STOP", "yes"]),
        ("ordering=needs_person", ["yes", "STOP", "Is this spam?"]),
        ("search=0100", ["yes", "STOP", "Is this spam?"]),
        ("verdict=nothing", []),
    ):
        assert [one["said"] for one in alice.get(f"sms-received/?{query}")["results"]] == said, query
    assert bob.get("sms-received/")["count"] == 0
    assert bob.request("GET", f"sms-received/{text_id}/").status_code == 404
    assert "Is this spam?" in alice.request("GET", "sms-received/?format=csv").text
    assert alice.request("POST", "sms-received/", json={"said": "x"}).status_code == 405
    assert alice.request("DELETE", f"sms-received/{text_id}/").status_code == 405


@pytest.mark.parametrize(("verdict", "sources"), [("nothing", []), ("do_not_call", ["text"])])
def test_a_decision_is_kept_and_done(
    alice: Caller, bob: Caller, text_id: int, verdict: str, sources: list[str]
) -> None:
    url = alice.get(f"sms-received/{text_id}/")["url"]
    assert bob.request("PATCH", url, json={"verdict": verdict}).status_code == 404
    assert alice.request("PATCH", url, json={"verdict": "maybe"}).status_code == 400
    alice.change(url, verdict=verdict)
    shown = alice.get(url)
    assert (shown["verdict"], shown["looked_at"] is not None, shown["said"]) == (verdict, True, "Is this spam?")
    assert shown["needs_person"] is False
    assert [one["source"] for one in alice.get("dnc-contact/")["results"]] == sources


def test_texts_that_need_a_person_come_first_over_all_pages(alice: Caller, text_id: int) -> None:
    """A new one stands before those that were there, and nobody is shown twice."""
    found, url = [], "sms-received/?ordering=-needs_person&page_size=1"
    while url:
        page = alice.get(url)
        found += [one["said"] for one in page["results"]]
        url = page["next"]
    assert found == ["Is this spam?", "STOP", "yes"]
    assert alice.get(f"sms-received/{text_id}/")["needs_person"] is True
