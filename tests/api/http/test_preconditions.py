"""Tests of entity tags, of conditional requests, and of the record as the answer to a change."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from litestar.testing import TestClient
from sqlalchemy import update

from dialer.resources.records.table import RESOURCES
from dialer.resources.words.preconditions import TAGS_MAX, EntityTag, PreconditionFailedError, Preconditions
from dialer.resources.words.preconditions import parse_preconditions as parse
from dialer.store.database.database import Database
from dialer.store.tables import Campaign
from tests.api.builders import Estate
from tests.api.harness import Caller, Json

STALE: Final = '"0000000000000000.0000000000000000"'
TAGS: Final = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters='"'), max_size=20)


def tag(caller: Caller, path: str) -> str:
    return str(caller.request("GET", path).headers["etag"])


def when(caller: Caller, method: str, path: str, headers: dict[str, str], **fields: Json) -> Json:
    return caller.request(method, path, headers=headers, **({"json": fields} if method != "DELETE" else {}))


@pytest.mark.parametrize("resource", RESOURCES, ids=lambda resource: resource.path)
def test_a_known_record_is_not_sent_again(resource: Json, estate: Estate) -> None:
    path = estate.paths().get(resource.path, f"{resource.path}/1/")
    if resource.path == "payment":
        estate.admin.create("payment", user=estate.user_id, amount="1")
    reader = estate.admin if resource.admins_only else estate.owner
    first = reader.request("GET", path)
    again = when(reader, "GET", path, {"If-None-Match": first.headers["etag"]})
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert when(reader, "GET", path, {"If-None-Match": STALE}).json() == first.json()


def test_a_weak_comparison_finds_one_of_many(alice: Caller) -> None:
    path = alice.create("phonebook", name="friends")["url"]
    known = tag(alice, path)
    assert when(alice, "GET", path, {"If-None-Match": f"{STALE},, W/{known}"}).status_code == 304
    assert when(alice, "HEAD", path, {"If-None-Match": "*"}).status_code == 304
    assert when(alice, "GET", path, {"If-Match": STALE}).status_code == 412


@pytest.mark.parametrize("method", ["PATCH", "PUT", "DELETE"])
def test_a_record_that_has_changed_is_not_written(alice: Caller, method: str) -> None:
    path = alice.create("phonebook", name="friends")["url"]
    old = tag(alice, path)
    alice.change(path, name="enemies")
    new = tag(alice, path)
    answer = when(alice, method, path, {"If-Match": old}, name="family")
    assert (answer.status_code, alice.get(path)["name"]) == (412, "enemies")
    assert answer.headers["etag"].strip('"') == new.strip('"').partition(".")[0]
    assert "has changed" in answer.json()["detail"]
    assert when(alice, method, path, {"If-Match": f"{old}, {new}"}, name="family").is_success


def test_the_answer_to_a_change_has_the_next_tag(alice: Caller) -> None:
    made = alice.request("POST", "phonebook/", json={"name": "first"})
    path, known = made.json()["url"], made.headers["etag"]
    assert known == tag(alice, path)
    for name in ("second", "third", "third"):
        answer = when(alice, "PATCH", path, {"If-Match": known}, name=name)
        assert (answer.status_code, answer.content) == (202, b"")
        known = answer.headers["etag"]
    assert when(alice, "DELETE", path, {"If-Match": known}).status_code == 204


def test_a_value_that_is_set_back_has_its_old_version(alice: Caller) -> None:
    path = alice.create("phonebook", name="first")["url"]
    known = tag(alice, path)
    alice.change(path, name="second")
    alice.change(path, name="first")
    assert when(alice, "PATCH", path, {"If-Match": known}, name="third").status_code == 202


def test_dialling_changes_the_tag_and_not_the_version(estate: Estate, database: Database) -> None:
    path = estate.campaign["url"]
    known = tag(estate.owner, path)
    database.write_now(lambda connection: connection.execute(update(Campaign).values(calls=Campaign.calls + 1)))
    assert when(estate.owner, "GET", path, {"If-None-Match": known}).json()["calls"] == 1
    assert when(estate.owner, "PATCH", path, {"If-Match": known}, frequency=20).status_code == 202


def test_lists_of_references_belong_to_the_version(estate: Estate) -> None:
    path = estate.campaign["url"]
    known = tag(estate.owner, path)
    estate.owner.change(path, phonebook=[estate.phonebook["url"]])
    assert when(estate.owner, "PATCH", path, {"If-Match": known}, frequency=20).status_code == 412


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("If-Match", "*", 202),
        ("If-Match", "W/{tag}", 412),
        ("If-Match", STALE, 412),
        ("If-Match", "{bare}", 400),
        ("If-Match", "", 400),
        ("If-Match", ", ,", 400),
        ("If-Match", '{tag} "', 400),
        ("If-Match", ",".join(f'"{number}"' for number in range(TAGS_MAX + 1)), 400),
        ("If-None-Match", "*", 412),
        ("If-None-Match", "{tag}", 412),
        ("If-None-Match", STALE, 202),
        ("If-None-Match", "abc", 400),
    ],
)
def test_conditions_of_a_change(alice: Caller, name: str, value: str, expected: int) -> None:
    path = alice.create("phonebook", name="friends")["url"]
    known = tag(alice, path)
    header = value.replace("{tag}", known).replace("{bare}", known.strip('"'))
    assert when(alice, "PATCH", path, {name: header}, name="family").status_code == expected
    assert alice.get(path)["name"] == ("family" if expected == 202 else "friends")


@pytest.mark.parametrize(("value", "named"), [("*", "*, which stands for every version"), ("{tag}", "that version")])
def test_a_version_that_the_client_rules_out_is_named(alice: Caller, value: str, named: str) -> None:
    path = alice.create("phonebook", name="friends")["url"]
    known = tag(alice, path)
    answer = when(alice, "PATCH", path, {"If-None-Match": value.replace("{tag}", known)}, name="family")
    version = known.partition(".")[0]
    detail = f'The record exists with the ETag {version}", but If-None-Match has {named}. Leave it out.'
    assert answer.json() == {"detail": detail}


def test_a_malformed_condition_of_a_read_is_ignored(alice: Caller) -> None:
    path = alice.create("phonebook", name="friends")["url"]
    assert when(alice, "GET", path, {"If-None-Match": "abc"}).status_code == 200
    assert when(alice, "GET", path, {"If-Match": "abc"}).status_code == 200


def test_other_errors_come_first(alice: Caller, bob: Caller) -> None:
    path = alice.create("phonebook", name="friends")["url"]
    assert when(bob, "PATCH", path, {"If-Match": "*"}, name="mine").status_code == 404
    assert when(alice, "PATCH", "phonebook/99/", {"If-Match": "*"}, name="mine").status_code == 404
    assert when(alice, "PATCH", path, {"If-Match": STALE}, name="").status_code == 412


def test_a_recording_is_deleted_in_its_version_only(estate: Estate) -> None:
    path = estate.paths()["audio-files"]
    assert when(estate.owner, "DELETE", path, {"If-Match": STALE}).status_code == 412
    assert when(estate.owner, "DELETE", path, {"If-Match": tag(estate.owner, path)}).status_code == 204


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_a_change_shows_the_record_if_the_client_prefers_it(alice: Caller, method: str) -> None:
    path = alice.create("phonebook", name="friends")["url"]
    prefer = {"Prefer": "return=representation, handling=strict"}
    answer = when(alice, method, path, prefer, name="family")
    assert (answer.status_code, answer.json()) == (200, alice.get(path))
    assert answer.json()["name"] == "family"
    assert answer.headers["etag"] == tag(alice, path)
    assert answer.headers["preference-applied"] == "handling=strict, return=representation"
    refused = when(alice, method, path, {"Prefer": "return=representation"}, name="")
    assert (refused.status_code, "preference-applied" in refused.headers) == (400, False)


def test_of_clients_who_change_one_version_at_once_one_succeeds(client: TestClient[Json], alice: Caller) -> None:
    """Each client appends its letter to the text that it has read, and begins again when it was too late."""
    path, letters = alice.create("phonebook", name="-")["url"], "abcdefgh"

    def append(letter: str) -> int:
        caller = Caller(client, "alice")
        for attempt in range(100):
            read = caller.request("GET", path)
            body = {"name": read.json()["name"] + letter}
            answer = caller.request("PATCH", path, json=body, headers={"If-Match": read.headers["etag"]})
            if answer.status_code == 202:
                return attempt
            assert answer.status_code == 412
        return 100

    with ThreadPoolExecutor(len(letters)) as threads:
        list(threads.map(append, letters))
    assert sorted(alice.get(path)["name"]) == sorted(f"-{letters}")


def scope(name: bytes, value: str, method: str = "PATCH") -> Json:
    return {"method": method, "headers": [(name, value.encode("latin-1"))]}


@given(version=TAGS.filter(lambda text: "." not in text), given_tags=st.lists(TAGS, min_size=1, max_size=5))
def test_a_write_passes_only_with_its_version(version: str, given_tags: list[str]) -> None:
    conditions = parse(scope(b"if-match", ", ".join(f'"{text}"' for text in given_tags)))
    is_named = version in {text.partition(".")[0] for text in given_tags}
    try:
        conditions.check(EntityTag(version, "state"))
    except PreconditionFailedError:
        assert not is_named
    else:
        assert is_named


@given(st.binary(max_size=60))
def test_no_condition_breaks_a_request_that_reads(value: bytes) -> None:
    conditions = parse(scope(b"if-none-match", value.decode("latin-1"), "GET"))
    assert isinstance(conditions, Preconditions)
    assert conditions.is_known(EntityTag("v", "s")) in {True, False}
