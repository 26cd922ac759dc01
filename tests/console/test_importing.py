"""Tests of files that are imported in the console."""

import httpx
import pytest

from tests.api.harness import Caller
from tests.console.visitor import Visitor, words

FILE = b"Phone,full_name\n+12025550111,Ann\nabc,<script>\n+12025550111,Twice\n"


def upload(visitor: Visitor, path: str, file: bytes, **fields: str) -> httpx.Response:
    token = visitor.get("account/").split('name="csrf" value="')[1][:64]
    return visitor.request("POST", path, data={"csrf": token, **fields}, files={"file": ("people.csv", file)})


def test_a_file_is_checked_and_then_imported(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    assert "The numbers are in the column contact." in alice.text("records/phonebook/1/import/")
    checked = upload(alice, "records/phonebook/1/check/", FILE, columns="Phone:contact")
    assert "What an import would do New 1 Known already 1 Refused 1 Look wrong 0" in words(checked.text)
    assert "3 abc contact: 'abc' has no digits." in words(checked.text)
    assert api.get("contact/")["count"] == 0
    done = upload(alice, "records/phonebook/1/import/", FILE, columns="Phone:contact")
    assert "Imported Added 1 Known already 1 Refused 1 Look wrong 0" in words(done.text)
    assert api.get("contact/")["results"][0]["full_name"] == "Ann"


@pytest.mark.parametrize(
    ("file", "fields", "message"),
    [
        (b"name\nAnn\n", {}, "contact"),
        (FILE, {"columns": "nothing"}, "nothing"),
        (FILE, {"charset": "ebcdic"}, "Use one of"),
    ],
)
def test_a_file_that_cannot_be_read_says_why(
    alice: Visitor, api: Caller, file: bytes, fields: dict[str, str], message: str
) -> None:
    api.create("phonebook", name="Book")
    answer = upload(alice, "records/phonebook/1/import/", file, **fields)
    assert (answer.status_code, message in words(answer.text).lower() or message in answer.text) == (400, True)
    assert api.get("contact/")["count"] == 0


def test_nobody_imports_into_the_list_of_another(bob: Visitor, api: Caller) -> None:
    api.create("dnc-list", name="Never")
    assert upload(bob, "records/dnc-list/1/import/", b"phone_number\n+12025550111\n").status_code == 404
    assert upload(bob, "records/contact/1/import/", FILE).status_code == 404
    assert api.get("dnc-contact/")["count"] == 0
