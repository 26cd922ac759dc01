"""Files of numbers are imported over the API, by those whose list it is."""

from collections.abc import Iterator
from typing import Any

import pytest

from dialer.app.imports import CHUNK_ROWS, IMPORT_BYTES_MAX
from dialer.store.database import Database, StorageUnavailableError
from tests.api.harness import Caller, FakeWorker

CSV = "text/csv"
NONE = {"imported": 0, "duplicates": 0, "rejected": 0, "errors": []}


def load(caller: Caller, path: str, content: bytes | Iterator[bytes], content_type: str = CSV) -> tuple[int, Any]:
    answer = caller.request("POST", path, content=content, headers={"Content-Type": content_type})
    return answer.status_code, answer.json()


@pytest.fixture(autouse=True)
def _lists(alice: Caller) -> None:
    alice.create("phonebook", name="book")
    alice.create("dnc-list", name="list")


def test_a_phonebook_is_filled_and_the_bad_rows_are_told(alice: Caller, worker: FakeWorker) -> None:
    content = b"\xef\xbb\xbfcontact;full_name;city\r\n+12025550100;Ada;Rome\r\n+12025550100;Eve;\r\nx;y;z\r\n"
    reason = "contact: Enter 3 to 15 digits with an optional leading +."
    errors = [{"line": 4, "reason": reason}]
    report = {"imported": 1, "duplicates": 1, "rejected": 1, "errors": errors}
    assert load(alice, "phonebook/1/import/", content) == (200, report)
    (contact,) = alice.get("contact/")["results"]
    assert (contact["contact"], contact["full_name"], contact["additional_vars"]) == (
        "+12025550100",
        "Ada",
        '{"city":"Rome"}',
    )
    assert worker.settled == 0


@pytest.mark.parametrize("path", ["dnc-list/1/import/", "dnc-list/1/import", "dnc/1/import/"])
def test_a_do_not_call_list_is_filled(alice: Caller, path: str) -> None:
    assert load(alice, path, b"phone_number\n+12025550100\n") == (200, {**NONE, "imported": 1})
    (entry,) = alice.get("dnc-contact/")["results"]
    assert entry["phone_number"] == "+12025550100"


def test_a_file_of_many_chunks_arrives_piece_by_piece(alice: Caller) -> None:
    count = 2 * CHUNK_ROWS + 1

    def pieces() -> Iterator[bytes]:
        yield b"contact\n"
        for start in range(0, count, 1_000):
            yield b"".join(b"+1202%07d\n" % number for number in range(start, min(start + 1_000, count)))

    assert load(alice, "phonebook/1/import/", pieces()) == (200, {**NONE, "imported": count})
    assert alice.get("contact/", page_size=1)["count"] == count


def test_only_the_owner_and_admins_fill_a_list(admin: Caller, bob: Caller) -> None:
    content = b"contact\n+12025550100\n"
    assert load(bob, "phonebook/1/import/", content) == (404, {"detail": "Not found."})
    assert load(bob, "phonebook/x/import/", content) == (404, {"detail": "Not found."})
    assert load(admin, "phonebook/1/import/", content) == (200, {**NONE, "imported": 1})
    anonymous = admin.client.post("/rest-api/phonebook/1/import/", content=content, headers={"Content-Type": CSV})
    assert anonymous.status_code == 401


@pytest.mark.parametrize("content", [b"", b"phone\n1\n", "contact\n1\n".encode("utf-16"), b"\x00\xff" * 500])
def test_a_file_without_the_column_is_refused(alice: Caller, content: bytes) -> None:
    status, body = load(alice, "phonebook/1/import/", content)
    assert (status, list(body)) == (400, ["detail"])


@pytest.mark.parametrize("content_type", ["application/json", "", "text/csv; charset=iso-8859-1"])
def test_anything_but_csv_in_utf8_is_refused(alice: Caller, content_type: str) -> None:
    assert load(alice, "phonebook/1/import/", b"contact\n1234\n", content_type)[0] == 415


@pytest.mark.parametrize("content_type", ["text/csv; charset=UTF-8", "Text/CSV; header=present"])
def test_parameters_of_the_type_may_be_given(alice: Caller, content_type: str) -> None:
    assert load(alice, "phonebook/1/import/", b"contact\n1234\n", content_type)[0] == 200


def test_a_file_that_is_too_large_is_refused_at_once(alice: Caller) -> None:
    headers = {"Content-Type": CSV, "Content-Length": str(IMPORT_BYTES_MAX + 1)}
    answer = alice.request("POST", "phonebook/1/import/", content=b"contact\n1234\n", headers=headers)
    assert (answer.status_code, answer.json()) == (413, {"detail": "The body is too large."})


def test_a_database_out_of_reach_is_told_and_the_file_can_be_sent_again(
    alice: Caller, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise StorageUnavailableError("full")

    content = b"contact\n+12025550100\n"
    with monkeypatch.context() as broken:
        broken.setattr(database, "write", full)
        assert load(alice, "phonebook/1/import/", content)[0] == 503
    assert load(alice, "phonebook/1/import/", content) == (200, {**NONE, "imported": 1})
