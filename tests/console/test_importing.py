"""Tests of lists that are imported in the console: upload, a look at how they are read, and the import."""

import io
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import openpyxl
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from dialer.api.answers.spreadsheets import XLSX
from dialer.store.media.folder import FolderMedia
from dialer.store.media.kept_lists import KEPT_OF_A_USER_MAX, KEPT_S, KeptLists
from tests.api.harness import Caller
from tests.console.visitor import Visitor, words
from tests.console.workbooks import filtered, saved

FILE = b"Phone,full_name\n+12025550111,Ann\nabc,<script>\n+12025550111,Twice\n"
BOOK = "records/phonebook/1/import/"
AT_WORK = "The file is being imported just now."


def upload(visitor: Visitor, path: str, file: bytes, file_name: str = "people.csv", **fields: str) -> httpx.Response:
    token = visitor.get("account/").split('name="csrf" value="')[1][:64]
    return visitor.request("POST", path, data={"csrf": token, **fields}, files={"file": (file_name, file)})


def look(visitor: Visitor, path: str, file: bytes, file_name: str = "people.csv", **fields: str) -> str:
    """Upload a file, and return the words of the page that shows how it is read."""
    answer = upload(visitor, path, file, file_name, **fields)
    assert answer.status_code == 303, words(answer.text)
    return visitor.text(answer.headers["location"].removeprefix("/console/"))


def chosen(page: str) -> dict[str, str]:
    """Return the fields of the form of a list, as a browser would send them."""
    fields = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', page))
    fields |= dict(re.findall(r'<input id="\w+" name="(\w+)" value="([^"]*)"', page))
    fields |= dict(re.findall(r'<input type="checkbox" name="(\w+)" value="([^"]*)" checked>', page))
    for name, options in re.findall(r'<select id="\w+" name="(\w+)">(.*?)</select>', page, re.DOTALL):
        found = re.findall(r'<option value="([^"]*)"( selected)?>', options)
        fields[name] = next((value for value, is_selected in found if is_selected), found[0][0])
    return {name: unescape(value) for name, value in fields.items()}


def press(visitor: Visitor, **changed: str) -> httpx.Response:
    """Send the form of the list that was loaded last, with some other choices."""
    token = re.search(r'action="/console/(lists/[0-9a-f]{32}/)"', visitor.page)
    assert token is not None
    return visitor.request("POST", token[1], data={**chosen(visitor.page), **changed})


def change(visitor: Visitor, **changed: str) -> str:
    """Send the form with other choices, and return the words of the page that shows what they do."""
    answer = press(visitor, **changed)
    assert answer.status_code == 303, words(answer.text)
    return visitor.text(answer.headers["location"].removeprefix("/console/"))


def token_in(page: str) -> str:
    """Return the token of the list that a page shows."""
    found = re.search(r"lists/([0-9a-f]{32})/", page)
    assert found is not None
    return found[1]


def test_a_list_is_looked_at_and_then_imported(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    assert "Nothing is stored before you have seen how it is read." in alice.text(BOOK)
    shown = look(alice, BOOK, FILE)
    assert "Will be stored 1 There already, or twice in the file 1 Refused 1 Number looks wrong 0" in shown
    assert "2 +12025550111 → +12025550111 Ann 3 abc 'abc' has no digits." in shown
    assert api.get("contact/")["count"] == 0
    done = press(alice, **{"import": "1"})
    assert "Stored 1 There already, or twice in the file 1 Refused 1" in words(done.text)
    assert api.get("contact/")["results"][0]["full_name"] == "Ann"
    rejected = re.search(r'href="/console/(lists/[0-9a-f]{32}/rejected/\?format=csv)"', done.text)
    assert rejected is not None
    lines = alice.request("GET", rejected[1]).content.decode("utf-8-sig").splitlines()
    assert lines[0] == "Line,Reason,Phone,full_name"
    assert (lines[1][:2], lines[1][-13:]) == ("3,", ",abc,<script>")
    again = press(alice, **{"import": "1"})
    assert (again.status_code, words(again.text)) == (200, words(done.text))
    gone = alice.request("GET", f"lists/{token_in(alice.page)}/?id=1")
    assert (gone.status_code, "The file is not here any more" in words(gone.text)) == (404, True)


def test_refused_lines_are_a_workbook_too_which_can_be_corrected_and_imported(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    look(alice, BOOK, b'Phone;full_name;Plan\nabc;=1+1;a,b\n+12025550111;Ann;x\n\'+49;"J\xc3\xb6rg\nM.";y\n')
    offered = re.search(r'href="/console/(lists/[^"]*/rejected/[^"]*format=xlsx)"', alice.page)
    assert offered is not None
    answer = alice.request("GET", unescape(offered[1]))
    assert answer.headers["content-disposition"] == 'attachment; filename="rejected.xlsx"'
    digits = "Enter 3 to 15 digits with an optional leading +."
    expected = [
        ("Line", "Reason", "Phone", "full_name", "Plan"),
        (2, f"'abc' has no digits. {digits}", "abc", "'=1+1", "a,b"),
        (4, f'"\'+49" has fewer than 3 digits. {digits}', "'+49", "J\u00f6rg\nM.", "y"),
    ]
    assert rows_of(answer.content) == expected
    done = press(alice, **{"import": "1"})
    offered = re.search(r'href="/console/(lists/[^"]*/rejected/\?format=xlsx)"', done.text)
    assert offered is not None
    answer = alice.request("GET", offered[1])
    assert rows_of(answer.content) == expected
    book = openpyxl.load_workbook(io.BytesIO(answer.content))
    sheet: Any = book.active
    sheet["C2"], sheet["C3"] = "+12025550112", "+12025550113"
    shown = look(alice, BOOK, saved(book), "rejected.xlsx")
    assert "Will be stored 2" in shown
    change(alice, m0="leave_out", m1="leave_out")
    press(alice, **{"import": "1"})
    assert [(one["full_name"], one["additional_vars"]) for one in api.get("contact/")["results"]] == [
        ("Ann", '{"Plan":"x"}'),
        ("=1+1", '{"Plan":"a,b"}'),
        ("J\u00f6rg\nM.", '{"Plan":"y"}'),
    ]
    gone = alice.request("GET", f"lists/{'0' * 32}/rejected/?format=xlsx")
    assert gone.status_code == 404
    assert alice.request("GET", offered[1].replace("xlsx", "pdf")).status_code == 400


@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_rejected_lines_of_no_list_or_of_another_are_not_found(
    alice: Visitor, bob: Visitor, api: Caller, client: TestClient[Litestar], form: str
) -> None:
    api.create("phonebook", name="Book")
    own = Caller(client, "bob").create("phonebook", name="His")["id"]
    look(alice, BOOK, FILE)
    token = token_in(alice.page)
    for query in ("", "&kept=1", f"&id={own}", f"&into=phonebook&id={own}"):
        for visitor, wanted in ((bob, token), (bob, "0" * 32), (alice, "0" * 32), (alice, "x")):
            assert visitor.request("GET", f"lists/{wanted}/rejected/?format={form}{query}").status_code == 404
    press(alice, **{"import": "1"})
    kept = alice.request("GET", f"lists/{token}/rejected/?format={form}")
    types = {"csv": "text/csv; charset=utf-8", "xlsx": XLSX}
    assert (kept.status_code, kept.headers.get_list("content-type")) == (200, [types[form]])
    assert bob.request("GET", f"lists/{token}/rejected/?format={form}").status_code == 404


def rows_of(content: bytes) -> list[tuple[object, ...]]:
    """Return the rows of a workbook, as the library of spreadsheets reads them."""
    sheet: Any = openpyxl.load_workbook(io.BytesIO(content)).active
    return [row for row in sheet.iter_rows(values_only=True) if any(cell is not None for cell in row)]


def test_two_presses_at_once_make_one_phonebook(alice: Visitor, api: Caller) -> None:
    rows = b"".join(b"+12025%06d,Ann\n" % number for number in range(100_000, 103_000))
    look(alice, "new-campaign/", b"Phone,full_name\n" + rows, name="Spring")
    with ThreadPoolExecutor() as threads:
        answers = list(threads.map(lambda _: press(alice, **{"import": "1"}), range(4)))
    assert api.get("phonebook/")["count"] == 1
    again = press(alice, **{"import": "1"})
    first = "/console/new-campaign/survey/?phonebook=1&imported=3000&rejected=0"
    assert again.headers["location"] == first
    for answer in answers:
        assert answer.headers.get("location") == first or (answer.status_code, AT_WORK in words(answer.text)) == (
            409,
            True,
        )


def test_a_press_during_an_import_says_so_and_a_failed_import_can_be_repeated(
    alice: Visitor, api: Caller, media: Path
) -> None:
    api.create("phonebook", name="Book")
    look(alice, BOOK, FILE)
    kept = KeptLists(FolderMedia(media)).find(2, token_in(alice.page))
    assert kept.claim()
    assert not kept.claim()
    during = press(alice, **{"import": "1"})
    assert (during.status_code, AT_WORK in words(during.text)) == (409, True)
    shown = alice.request("GET", f"lists/{token_in(alice.page)}/?id=1")
    assert (shown.status_code, AT_WORK in words(shown.text)) == (409, True)
    assert api.get("contact/")["count"] == 0
    kept.give_back(is_cut_off=False)
    assert "Choose the column that has the phone numbers." in change(alice, m0="leave_out")
    failed = press(alice, **{"import": "1"})
    assert "Choose the column that has the phone numbers." in words(failed.text)
    change(alice, m0="number")
    assert "Stored 1" in words(press(alice, **{"import": "1"}).text)


def test_a_list_that_is_deleted_while_it_is_read_is_gone(alice: Visitor, api: Caller, media: Path) -> None:
    api.create("phonebook", name="Book")
    look(alice, BOOK, FILE)
    (path,) = (media / "lists").glob("*.list")
    path.unlink()
    shown = alice.request("GET", f"lists/{token_in(alice.page)}/?id=1")
    assert (shown.status_code, "Choose it again" in words(shown.text)) == (404, True)
    answer = press(alice, **{"import": "1"})
    assert (answer.status_code, "Choose it again" in words(answer.text)) == (404, True)


def test_a_lost_plus_and_a_number_that_comes_twice_are_named(alice: Visitor, api: Caller) -> None:
    file = b"Telefon;Name\n491701234567;Eva\n1701234568;Max\n0170 1234567;Eve\n"
    look(alice, "new-campaign/", file, name="Autumn")
    answer = press(alice, region="DE")
    shown = alice.text(answer.headers["location"].removeprefix("/console/"))
    assert "491701234567 → +491701234567 A + was missing at the beginning. Eva" in shown
    assert "1701234568 → +491701234568 A 0 was missing at the beginning. Max" in shown
    assert "0170 1234567 → +491701234567 The same number as in line 2, so only that line is stored. Eve" in shown
    press(alice, **{"import": "1"})
    stored = [(contact["contact"], contact["full_name"]) for contact in api.get("contact/")["results"]]
    assert stored == [("491701234567", "Eva"), ("1701234568", "Max")]


def test_numbers_that_nobody_can_have_are_named_before_the_import(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    shown = look(alice, BOOK, b"Phone\n+39612345678\n+390612345678\n+12025550\n+12025551\n")
    assert "+39612345678 '+39612345678' is a number that nobody can have. A 0 is missing: '+390612345678'" in shown
    assert "+390612345678 → +390612345678 4 " in shown
    assert "+12025550 → +12025550 Too long or too short for its country." in shown


def test_the_choices_can_be_changed_and_nothing_is_lost(alice: Visitor, api: Caller) -> None:
    file = "Telefonnummer;Vorname;Nachname;Kundennummer\r\n030/230 00 74;J\u00f6rg;M\u00fcller;7\r\n".encode("cp1252")
    shown = look(alice, "new-campaign/", file, "kunden.csv", name="Fr\u00fchling")
    assert "→ +49302300074 J\u00f6rg M\u00fcller" in shown
    fields = chosen(alice.page)
    assert (fields["charset"], fields["separator"], fields["header"]) == ("windows-1252", ";", "1")
    assert [fields[f"m{place}"] for place in range(4)] == ["number", "first_name", "last_name", "variable"]
    answer = press(alice, region="DE", m3="leave_out")
    shown = alice.text(answer.headers["location"].removeprefix("/console/"))
    assert "030/230 00 74 → +49302300074 J\u00f6rg M\u00fcller" in shown
    fields = chosen(alice.page)
    assert (fields["name"], fields["region"], fields["m3"]) == ("Fr\u00fchling", "DE", "leave_out")
    back = re.search(r'<a class="button" href="/console/(new-campaign/[^"]*)">Back', alice.page)
    assert back is not None
    alice.get(unescape(back[1]))
    assert 'value="Fr\u00fchling"' in alice.page
    onward = re.search(r'<a href="/console/(lists/[^"]*)">Go on with it', alice.page)
    assert onward is not None
    assert "+49302300074" in alice.text(unescape(onward[1]))
    assert api.get("phonebook/")["count"] == 0
    done = press(alice, **{"import": "1"})
    assert done.headers["location"] == "/console/new-campaign/survey/?phonebook=1&imported=1&rejected=0"
    (contact,) = api.get("contact/")["results"]
    assert (contact["contact"], contact["full_name"]) == ("030/230 00 74", "J\u00f6rg M\u00fcller")
    assert contact["additional_vars"] == '{"Vorname":"J\u00f6rg"}'.replace("Vorname", "first_name").replace(
        "}", ',"last_name":"M\u00fcller"}'
    )
    assert api.get("phonebook/")["results"][0]["name"] == "Fr\u00fchling"
    assert api.get("users/2/")["default_region"] == ""


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (b"", "The file is empty."),
        (b"name\nAnn\n", "Choose the column that has the phone numbers."),
        (b"%PDF-1.7", "The file is a PDF, not a table."),
        (b"\xd0\xcf\x11\xe0" + b"x" * 600, "Save it as .xlsx without a password, or as CSV."),
        (b"PK\x03\x04" + b"x" * 600, "The workbook cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_says_what_to_do(alice: Visitor, api: Caller, file: bytes, message: str) -> None:
    api.create("phonebook", name="Book")
    for path in (BOOK, "new-campaign/"):
        assert message in look(alice, path, file)
    assert press(alice, **{"import": "1"}).status_code == 400
    assert api.get("contact/")["count"] == 0


def test_a_do_not_call_list_takes_numbers_alone(alice: Visitor, api: Caller) -> None:
    api.create("dnc-list", name="Never")
    shown = look(alice, "records/dnc-list/1/import/", b"Who;Tel\nAnn;+12025550111\nBob;+12025550112\n")
    assert "Import 2 numbers" in shown
    assert "Stored 2" in words(press(alice, **{"import": "1"}).text)
    assert [one["phone_number"] for one in api.get("dnc-contact/")["results"]] == ["+12025550111", "+12025550112"]


def test_nobody_sees_or_imports_into_the_list_of_another(alice: Visitor, bob: Visitor, api: Caller) -> None:
    api.create("dnc-list", name="Never")
    api.create("phonebook", name="Book")
    assert upload(bob, "records/dnc-list/1/import/", b"phone_number\n+12025550111\n").status_code == 404
    assert upload(bob, "records/contact/1/import/", FILE).status_code == 404
    location = upload(alice, BOOK, FILE).headers["location"].removeprefix("/console/")
    assert bob.request("GET", location).status_code == 404
    token = location.split("/")[1]
    assert bob.request("GET", f"lists/{token}/").status_code == 404
    assert bob.request("GET", f"lists/{token}/rejected/?id=1").status_code == 404
    bob.get("account/")
    assert bob.send(f"lists/{token}/", **{"import": "1", "id": "1"}).status_code == 404
    assert alice.request("GET", "lists/../../x/").status_code == 404
    assert api.get("dnc-contact/")["count"] == 0


def test_a_header_line_that_no_file_has_is_the_guessed_one(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    look(alice, BOOK, FILE)
    token = re.search(r"lists/[0-9a-f]{32}/", alice.page)
    assert token is not None
    for header in ("0" * 5_000, "100", "\u00b2", "-1"):
        assert chosen(alice.get(f"{token[0]}?header={header}"))["header"] == "1"


def test_an_address_of_no_list_is_not_found(alice: Visitor) -> None:
    for token in ("x", "%C3%A9", "%00", "%F0%9F%98%80", "..%2F..%2Fmedia"):
        alice.get("account/")
        assert alice.request("GET", f"lists/{token}/").status_code == 404
        assert alice.send(f"lists/{token}/").status_code == 404


def test_few_files_of_a_user_are_kept_and_not_for_long(alice: Visitor, api: Caller, media: Path) -> None:
    api.create("phonebook", name="Book")
    for _ in range(KEPT_OF_A_USER_MAX + 2):
        upload(alice, BOOK, FILE)
    kept = list((media / "lists").iterdir())
    assert len(kept) <= KEPT_OF_A_USER_MAX
    for path in kept:
        os.utime(path, (0, time.time() - KEPT_S - 60))
    upload(alice, BOOK, FILE)
    assert len(list((media / "lists").iterdir())) == 1


def test_the_contacts_of_a_telephone_are_imported(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    api.create("dnc-list", name="Never")
    card = (
        b"BEGIN:VCARD\nVERSION:3.0\nFN:Ann Lee\nN:Lee;Ann;;;\nTEL:+12025550111\nTEL;TYPE=CELL:+12025550112\nEND:VCARD\n"
    )
    shown = look(alice, BOOK, card, "contacts.vcf")
    assert "1 +12025550112 \u2192 +12025550112 Ann Lee" in shown
    assert ("Between the cells" in shown, "Names of the columns" in shown) == (False, False)
    assert "Stored 1" in words(press(alice, **{"import": "1"}).text)
    (contact,) = api.get("contact/")["results"]
    assert (contact["contact"], contact["full_name"]) == ("+12025550112", "Ann Lee")
    assert contact["additional_vars"] == (
        '{"number_2":"+12025550111","number_3":"","first_name":"Ann","last_name":"Lee","email":"","organisation":""}'
    )
    assert "Import 2 numbers" in look(alice, "records/dnc-list/1/import/", card, "contacts.vcf")
    press(alice, **{"import": "1"})
    assert [one["phone_number"] for one in api.get("dnc-contact/")["results"]] == ["+12025550112", "+12025550111"]


def test_hidden_rows_columns_and_sheets_are_named_and_can_be_imported(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    api.create("dnc-list", name="Never")
    shown = look(alice, BOOK, filtered(), "people.xlsx")
    assert "1 row is hidden in the sheet, as after a filter. It is left out. Choose otherwise below." in shown
    assert "These columns are hidden in the sheet, and are read: a, b." in shown
    assert ("+12025550101" in shown, "Import 2 people" in shown) == (False, True)
    answer = press(alice, hidden="1")
    shown = alice.text(answer.headers["location"].removeprefix("/console/"))
    assert "The sheet has hidden rows, as after a filter. They are imported too." in shown
    assert ("+12025550101" in shown, "Import 3 people" in shown) == (True, True)
    assert "Import 2 people" in change(alice, hidden="0")
    done = words(press(alice, **{"import": "1"}).text)
    assert "Stored 2" in done
    assert "1 row was hidden in the sheet, and was left out." in done
    assert "Import 3 numbers" in look(alice, "records/dnc-list/1/import/", filtered(), "never.xlsx")
    other = alice.text(f"lists/{token_in(alice.page)}/?id=1&into=dnc-list&sheet=Old")
    assert "The sheet Old is hidden in the workbook." in other


def test_people_on_do_not_call_lists_are_counted_before_and_after_the_import(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    look(alice, BOOK, b"Phone,Do not call\n+12025550111,yes\n+12025550112,\n")
    press(alice, **{"import": "1"})
    named = api.create("dnc-list", name="Some campaigns")
    api.create("dnc-contact", dnc=named["url"], phone_number="+12025550113")
    some = "1 person is on another do-not-call list. A campaign that uses this list does not call them."
    shown = look(alice, BOOK, b"Phone,full_name\n+12025550111,Ann\n+12025550113,Cem\n+12025550114,Dan\n")
    never = "of them is on a do-not-call list and will not be called."
    assert f"3 will be stored, 1 {never} {some} Nothing is stored yet." in shown
    assert "Import 3 people" in shown
    assert f"3 are stored, 1 {never} {some}" in words(press(alice, **{"import": "1"}).text)


def test_words_that_refuse_calls_below_the_first_lines_are_counted_and_asked_about(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    lines = [
        f"+12025550{number},{'Please DO NOT CALL' if number in {250, 290} else 'ok'}" for number in range(100, 300)
    ]
    shown = look(alice, BOOK, "\n".join(["Phone,Remark", *lines]).encode())
    question = "Does the column “Remark” say who must not be called?"
    assert f"{question} 2 lines of the file have words such as “do not call” there. Yes: those with words" in shown
    assert "Will be stored 200" in shown
    answered = change(alice, answer="m1:do_not_call_notes")
    assert "Will be stored 198 There already, or twice in the file 0 Must not be called, left out 2" in answered
    assert question not in answered


def test_the_country_of_a_person_is_shown_with_its_zones(alice: Visitor, api: Caller) -> None:
    api.create("phonebook", name="Book")
    shown = look(alice, BOOK, b"Phone,Country\n+12025550111,France\n+12025550112,USA\n")
    assert "→ +12025550111 Where the person is: Europe/Paris@FR." in shown
    assert shown.count("Where the person is") == 1
    assert chosen(alice.page)["m1"] == "country_code"
    press(alice, **{"import": "1"})
    assert [one["tz_code"] for one in api.get("contact/")["results"]] == ["Europe/Paris@FR", ""]
    assert b",Europe/Paris@FR," in api.request("GET", "contact/", params={"format": "csv"}).content
