"""Tests of imports of CSV files through the API."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dialer.app.imports.imports import CHUNK_ROWS, IMPORT_BYTES_MAX
from dialer.domain.numbers.normal_form import normalise
from dialer.store.database.database import Database, StorageUnavailableError
from tests.api.harness import Caller, FakeWorker

CSV = "text/csv"
NONE: dict[str, object] = {
    "imported": 0,
    "duplicates": 0,
    "not_to_be_called": 0,
    "rejected": 0,
    "errors": [],
    "warned": 0,
    "warnings": [],
    "kinds": {},
    "file_warnings": [],
    "hidden": 0,
    "totals": 0,
    "on_dnc": 0,
    "on_other_dnc": 0,
}


def load(caller: Caller, path: str, content: bytes | Iterator[bytes], content_type: str = CSV) -> tuple[int, Any]:
    answer = caller.request("POST", path, content=content, headers={"Content-Type": content_type})
    return answer.status_code, answer.json()


@pytest.fixture(autouse=True)
def _lists(alice: Caller) -> None:
    alice.create("phonebook", name="book")
    alice.create("dnc-list", name="list")


def test_a_phonebook_is_filled_and_the_bad_rows_are_told(alice: Caller, worker: FakeWorker) -> None:
    content = b"\xef\xbb\xbfcontact;full_name;city\r\n+12025550100;Ada;Rome\r\n+12025550100;Eve;\r\nx;y;z\r\n"
    reason = "contact: 'x' has no digits. Enter 3 to 15 digits with an optional leading +."
    errors = [{"line": 4, "reason": reason, "kind": "no_digits", "value": "x"}]
    report = {**NONE, "imported": 1, "duplicates": 1, "rejected": 1, "errors": errors}
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
            yield b"".join(b"+1202%d\n" % (2_000_000 + number) for number in range(start, min(start + 1_000, count)))

    assert load(alice, "phonebook/1/import/", pieces()) == (200, {**NONE, "imported": count})
    assert alice.get("contact/", page_size=1)["count"] == count


def test_only_the_owner_and_admins_fill_a_list(admin: Caller, bob: Caller) -> None:
    content = b"contact\n+12025550100\n"
    assert load(bob, "phonebook/1/import/", content) == (404, {"detail": "Not found."})
    assert load(bob, "phonebook/x/import/", content) == (404, {"detail": "Not found."})
    assert load(admin, "phonebook/1/import/", content) == (200, {**NONE, "imported": 1})
    anonymous = admin.client.post("/rest-api/phonebook/1/import/", content=content, headers={"Content-Type": CSV})
    assert anonymous.status_code == 401


@pytest.mark.parametrize("content", [b"", b"phone\n1\n", "phone\n1\n".encode("utf-16"), b"\x00\xff" * 500])
def test_a_file_without_the_column_is_refused(alice: Caller, content: bytes) -> None:
    status, body = load(alice, "phonebook/1/import/", content)
    assert (status, list(body)) == (400, ["detail"])


@pytest.mark.parametrize("content_type", ["application/json", "", "text/csv; charset=klingon"])
def test_another_type_or_an_unknown_charset_is_refused(alice: Caller, content_type: str) -> None:
    assert load(alice, "phonebook/1/import/", b"contact\n1234\n", content_type)[0] == 415


def test_the_refusal_of_a_type_names_both_types(alice: Caller) -> None:
    detail = "Send the body as text/csv. Or send it as multipart/form-data, in the part 'file'."
    assert load(alice, "phonebook/1/import/", b"{}", "application/json") == (415, {"detail": detail})


@pytest.mark.parametrize("content_type", ["text/csv; charset=UTF-8", "Text/CSV; header=present"])
def test_parameters_of_the_type_may_be_given(alice: Caller, content_type: str) -> None:
    assert load(alice, "phonebook/1/import/", b"contact\n1234\n", content_type)[0] == 200


def test_emergency_numbers_are_rejected_and_impossible_ones_are_warned_of(alice: Caller) -> None:
    status, report = load(alice, "phonebook/1/import/", b"contact\n1-1-2\n+1911\n+1 202 555\n+12025550100\n1001\n")
    reason = "contact: {!r} is an emergency number. Enter a number that may be called."
    warning = "'+1202555' is impossible in its country. Check the number of digits and the country code."
    assert (status, report) == (
        200,
        {
            **NONE,
            "imported": 3,
            "rejected": 2,
            "errors": [
                {"line": line, "reason": reason.format(value), "kind": "emergency", "value": value}
                for line, value in ((2, "1-1-2"), (3, "+1911"))
            ],
            "warned": 1,
            "warnings": [{"line": 4, "reason": warning, "kind": "impossible_number", "value": "+1202555"}],
            "kinds": {"impossible_number": 1},
        },
    )
    status, report = load(alice, "dnc-list/1/import/", b"phone_number\n911\n")
    assert (status, report["imported"], report["kinds"]) == (200, 1, {"short_number": 1})


def test_each_rejection_names_its_value_and_is_of_a_kind(alice: Caller) -> None:
    rows = b"contact,full_name,additional_vars\n ,A,\nby post,A,\n12,A,\n12a4,A,\n1111111111111111,A,\n1\n"
    wrong = b'+12025550100,A,x\n+12025550101,A,"[1]"\n+12025550102,A,"{""a"": NaN}"\n'
    wrong += b'+12025550103,A,"{""a"": ""\\ud800""}"\n'
    _, report = load(alice, "phonebook/1/import/", rows + wrong)
    assert [(error["kind"], error["value"]) for error in report["errors"]] == [
        ("empty", ""),
        ("no_digits", "by post"),
        ("too_short", "12"),
        ("wrong_character", "12a4"),
        ("too_long", "1111111111111111"),
        ("row", ""),
        ("additional_vars", "x"),
        ("additional_vars", "[1]"),
        ("additional_vars", '{"a": NaN}'),
        ("additional_vars", '{"a": "\\ud800"}'),
    ]
    assert len({error["reason"] for error in report["errors"]}) == 7


def test_a_column_of_variables_is_joined_with_the_other_columns(alice: Caller) -> None:
    content = (
        b'contact,city,id,Additional_Vars\n+12025550100,Rome,7,"{""n"": [1], ""city"": ""Bern""}"\n+12025550101,,,\n'
    )
    assert load(alice, "phonebook/1/import/", content) == (200, {**NONE, "imported": 2})
    assert [contact["additional_vars"] for contact in alice.get("contact/")["results"]] == [
        '{"n":[1],"city":"Rome","id":"7"}',
        '{"city":"","id":""}',
    ]


_TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=255)
_TRICKY = st.text(st.sampled_from("'=+-@\t\r\n\",;1. \ufeff\u2028"), max_size=255)
_NUMBERS = st.from_regex(r"[ ]?\+1[ .-]?\(?202\)?[ .-]555[ -]?[0-9]{4} ?", fullmatch=True) | st.sampled_from(
    ["-2025550100", "(202) 555-0101", "12025550102", "+44 20 7946 0000", "0049 30 1234567"]
)
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXTS, inner, max_size=3),
    max_leaves=5,
)
_CONTACTS = st.lists(
    st.fixed_dictionaries(
        {
            "contact": _NUMBERS,
            "full_name": _TEXTS | _TRICKY,
            "additional_vars": st.dictionaries(_TEXTS | _TRICKY, _JSON | _TRICKY, max_size=3),
        }
    ),
    min_size=1,
    max_size=4,
    unique_by=lambda fields: normalise(str(fields["contact"]), None),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(contacts=_CONTACTS)
def test_an_export_is_imported_as_it_was(alice: Caller, contacts: list[dict[str, Any]]) -> None:
    given_book, other_book = (alice.create("phonebook", name="book") for _ in range(2))
    for fields in contacts:
        alice.create("contact", phonebook=given_book["url"], **fields)
    exported = alice.request("GET", "contact/", params={"format": "csv", "phonebook_id": given_book["id"]}).content
    report = {**NONE, "imported": len(contacts)}
    assert load(alice, f"phonebook/{other_book['id']}/import/", exported) == (200, report)
    before, after = (
        [
            (contact["contact"], contact["full_name"], contact["additional_vars"])
            for contact in alice.get("contact/", phonebook_id=book["id"])["results"]
        ]
        for book in (given_book, other_book)
    )
    assert after == before


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.dictionaries(st.sampled_from(["city", "Plan", "n"]), _JSON | _TRICKY | _TEXTS), max_size=4),
    names=st.sampled_from(["city", "city,Plan", "n, Plan,city", 'n,"a, b"']),
)
def test_an_export_with_variables_as_columns_is_imported_as_it_was(
    alice: Caller, rows: list[dict[str, Any]], names: str
) -> None:
    given_book, other_book = (alice.create("phonebook", name="book") for _ in range(2))
    records = [
        {"phonebook": given_book["id"], "contact": f"+1202555010{place}", "additional_vars": variables}
        for place, variables in enumerate(rows)
    ]
    alice.request("POST", "contact/bulk/", json=records)
    params = {"format": "csv", "phonebook_id": given_book["id"], "variables": names}
    exported = alice.request("GET", "contact/", params=params).content
    status, report = load(alice, f"phonebook/{other_book['id']}/import/", exported)
    stored = alice.get("contact/", phonebook_id=given_book["id"])["results"]
    assert (status, report) == (200, {**NONE, "imported": len(stored)})
    after = alice.get("contact/", phonebook_id=other_book["id"])["results"]
    assert [one["additional_vars"] for one in after] == [one["additional_vars"] for one in stored]


def test_a_changed_cell_of_a_variable_counts(alice: Caller) -> None:
    alice.create("contact", phonebook=1, contact="+12025550100", additional_vars={"n": 5, "city": "Rome", "on": True})
    exported = alice.request("GET", "contact/", params={"format": "csv", "variables": "n,city,on,plan"}).text
    head, row = exported.splitlines()
    assert (head.endswith(",updated_date,n,city,on,plan"), row.endswith(",5,Rome,true,")) == (True, True)
    book = alice.create("phonebook", name="other")["id"]
    changed = f"{head}\n{row.removesuffix('Rome,true,')}Bern,true,gold\n".encode()
    assert load(alice, f"phonebook/{book}/import/", changed) == (200, {**NONE, "imported": 1})
    (contact,) = alice.get("contact/", phonebook_id=book)["results"]
    assert contact["additional_vars"] == '{"n":5,"city":"Bern","on":true,"plan":"gold"}'


@pytest.mark.parametrize(
    ("path", "names", "message"),
    [
        ("contact", "city,CITY", "There is a column 'CITY' already. Name each variable once."),
        ("contact", "Contact", "There is a column 'Contact' already. Name each variable once."),
        ("contact", "=x", "'=x' cannot be the name of a column."),
        ("contact", "a,,b", "'' cannot be the name of a column."),
        ("contact", "a\rb", "'' cannot be the name of a column."),
        ("contact", ",".join(f"v{number}" for number in range(92)), "Name at most 91 variables."),
        ("cdr", "city", "These records have no variables. Leave the parameter out."),
    ],
)
def test_variables_that_cannot_be_columns_are_refused(alice: Caller, path: str, names: str, message: str) -> None:
    answer = alice.request("GET", f"{path}/", params={"format": "csv", "variables": names})
    assert (answer.status_code, answer.json()) == (400, {"variables": [message]})


@pytest.mark.parametrize("more", [{}, {"variables": "a"}])
def test_the_largest_contact_comes_back(alice: Caller, more: dict[str, str]) -> None:
    wide = "\U0001f600"
    fields = {"full_name": "\n" * 255, "additional_vars": {"a": wide * 15_990}}
    alice.create("contact", phonebook=1, contact="+12025550100", **fields)
    exported = alice.request("GET", "contact/", params={"format": "csv", **more}).content
    book = alice.create("phonebook", name="other")
    assert load(alice, f"phonebook/{book['id']}/import/", exported) == (200, {**NONE, "imported": 1})
    first, second = alice.get("contact/")["results"]
    assert (second["full_name"], second["additional_vars"]) == (first["full_name"], first["additional_vars"])


def test_a_file_that_is_too_large_is_refused_at_once(alice: Caller) -> None:
    headers = {"Content-Type": CSV, "Content-Length": str(IMPORT_BYTES_MAX + 1)}
    answer = alice.request("POST", "phonebook/1/import/", content=b"contact\n1234\n", headers=headers)
    assert (answer.status_code, answer.json()) == (413, {"detail": "The body is too large."})


def test_a_database_out_of_reach_is_told_and_the_file_can_be_sent_again(
    alice: Caller, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object, *, is_long: bool) -> None:  # noqa: ARG001 - as `write`
        raise StorageUnavailableError("full")

    content = b"contact\n+12025550100\n"
    with monkeypatch.context() as broken:
        broken.setattr(database, "write", full)
        assert load(alice, "phonebook/1/import/", content)[0] == 503
    assert load(alice, "phonebook/1/import/", content) == (200, {**NONE, "imported": 1})
