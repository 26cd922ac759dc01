"""Tests of the API on records of erased people."""

import pytest

from dialer.app.erasure.erasure import erase_number
from dialer.store.database.database import Database
from tests.api.builders import Estate
from tests.api.harness import NOW_MS, Caller, Json

NUMBER = "+12025550187"
ON_IT = (400, {"phone_number": [f"{NUMBER!r} is on the list already."]})


@pytest.fixture
def lists(alice: Caller, database: Database) -> tuple[Json, Json]:
    """Create a list with an erased number, and another list."""
    one, other = alice.create("dnc-list", name="one"), alice.create("dnc-list", name="other")
    alice.create("dnc-contact", phone_number="+1 (202) 555-0187", dnc=one["url"])
    erase_number(database, NUMBER, lambda _: None, NOW_MS)
    return one, other


def entries(alice: Caller) -> list[tuple[str, str]]:
    return [(entry["phone_number"], entry["dnc"]) for entry in alice.get("dnc-contact/")["results"]]


def test_an_erased_number_is_still_on_its_list_and_is_not_put_there_again(
    alice: Caller, lists: tuple[Json, Json]
) -> None:
    one, other = lists
    assert entries(alice) == [("erased", one["url"])]
    assert alice.refused("POST", "dnc-contact/", phone_number=NUMBER, dnc=one["url"]) == ON_IT
    report = alice.request(
        "POST",
        f"dnc-list/{one['id']}/import/",
        content=f"phone_number\n{NUMBER}\n+12025550188\n",
        headers={"Content-Type": "text/csv"},
    ).json()
    assert (report["imported"], report["duplicates"]) == (1, 1)
    alice.create("dnc-contact", phone_number=NUMBER, dnc=other["url"])
    assert entries(alice) == [("erased", one["url"]), ("+12025550188", one["url"]), (NUMBER, other["url"])]


def test_the_entry_of_an_erased_number_is_moved_replaced_and_deleted_as_any_other(
    alice: Caller, lists: tuple[Json, Json]
) -> None:
    _, other = lists
    alice.change("dnc-contact/1/", dnc=other["url"])
    assert entries(alice) == [("erased", other["url"])]
    assert alice.refused("POST", "dnc-contact/", phone_number=NUMBER, dnc=other["url"]) == ON_IT
    alice.change("dnc-contact/1/", phone_number="+12025550188")
    assert entries(alice) == [("+12025550188", other["url"])]
    alice.create("dnc-contact", phone_number=NUMBER, dnc=other["url"])
    assert alice.request("DELETE", "dnc-contact/1/").status_code == 204


def test_a_client_cannot_make_an_entry_look_erased(alice: Caller) -> None:
    book = alice.create("dnc-list", name="one")
    status, errors = alice.refused("POST", "dnc-contact/", phone_number="erased", dnc=book["url"])
    assert (status, list(errors)) == (400, ["phone_number"])


def test_an_erased_subscriber_is_shown_and_changes_no_more(alice: Caller, estate: Estate, database: Database) -> None:
    erase_number(database, "+12025550122", lambda _: None, NOW_MS)
    url = estate.subscriber["url"]
    shown = alice.get(url)
    assert [shown[name] for name in ("duplicate_contact", "full_name", "status", "status_reason", "waits_for")] == [
        "erased",
        "",
        3,
        "erased",
        "",
    ]
    for fields in ({"status": 1}, {"full_name": "Ann"}):
        refused = alice.refused("PATCH", url, **fields)
        assert refused == (409, {"detail": "The number of this subscriber was erased. Add a new subscriber instead."})
    assert [cdr["phone_number"] for cdr in alice.get("cdr/")["results"]] == ["erased"]
    assert [call["phone_number"] for call in alice.get("callrequest/")["results"]] == ["erased"]
    assert [text["text_message"] for text in alice.get("sms-message/")["results"]] == ["erased"]
