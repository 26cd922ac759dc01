"""Tests of requests that create many contacts, or many entries of do-not-call lists, at once."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, insert

from dialer.api.routes.bulk import BULK_BYTES_MAX, BULK_COMMAS_MAX, BULK_RECORDS_MAX
from dialer.store.database.database import Database
from dialer.store.tables import Campaign, CampaignPhonebook, Subscriber
from tests.api.harness import BASE, Caller, FakeWorker, Json

NDJSON = {"Content-Type": "application/x-ndjson"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture(autouse=True)
def _lists(alice: Caller, bob: Caller) -> None:
    alice.create("phonebook", name="book")
    alice.create("dnc-list", name="list")
    bob.create("phonebook", name="foreign")
    bob.create("dnc-list", name="foreign")


def bulk(caller: Caller, path: str, records: Json, **headers: str) -> Json:
    answer = caller.request("POST", f"{path}/bulk/", json=records, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_each_record_has_its_own_answer(alice: Caller, worker: FakeWorker) -> None:
    records = [
        {"phonebook": 1, "contact": "+1 202 555 0100", "full_name": "Ada", "additional_vars": {"n": 1}},
        {"phonebook": "/rest-api/phonebook/2/", "contact": "911", "full_name": "x" * 256},
        {"contact": "x", "phonebook": None, "color": "red"},
        [1],
        {"phonebook": f"{BASE}/phonebook/1/", "contact": "+12025550100"},
    ]
    answer = bulk(alice, "contact", records)
    first = f"{BASE}/contact/1/"
    no_object = ["Invalid hyperlink - Object does not exist."]
    emergency = "'911' is an emergency number. Enter a number that may be called."
    assert answer == {
        "created": 2,
        "rejected": 3,
        "results": [
            {"status": 201, "id": 1, "url": first},
            {
                "status": 400,
                "errors": {
                    "full_name": ["Ensure this field has no more than 255 characters."],
                    "contact": [emergency],
                    "phonebook": no_object,
                },
            },
            {
                "status": 400,
                "errors": {
                    "contact": ["'x' has no digits. Enter 3 to 15 digits with an optional leading +."],
                    "phonebook": ["This field may not be null."],
                },
            },
            {"status": 400, "errors": {"non_field_errors": ["JSON parse error - an object is required."]}},
            {"status": 201, "id": 2, "url": f"{BASE}/contact/2/", "duplicate_of": first},
        ],
    }
    stored = alice.get(first)
    assert (stored["contact"], stored["full_name"], stored["additional_vars"]) == (
        "+1 202 555 0100",
        "Ada",
        '{"n":1}',
    )
    assert worker.settled == 0


def test_new_contacts_are_found_by_their_names(alice: Caller) -> None:
    bulk(alice, "contact", [{"phonebook": 1, "contact": "+12025550100", "full_name": "Ada Byron"}])
    assert [alice.get("contact/", search=name)["count"] for name in ("ada", "byron", "charles")] == [1, 1, 0]


def test_records_come_on_lines_too(alice: Caller) -> None:
    body = b'{"dnc": 1, "phone_number": "+12025550100"}\r\n\n{"dnc":\n{"phone_number": "+12025550101", "dnc": "1"}'
    answer = alice.request("POST", "dnc-contact/bulk", content=body, headers=NDJSON)
    assert [one["status"] for one in answer.json()["results"]] == [201, 400, 201]
    assert [one["phone_number"] for one in alice.get("dnc-contact/")["results"]] == ["+12025550100", "+12025550101"]


def test_a_number_comes_on_a_list_once(alice: Caller) -> None:
    alice.create("dnc-contact", phone_number="+12025550100", dnc=1)
    numbers = ["+1 (202) 555-0100", "+12025550101", "+1.202.555.0101", "911"]
    answer = bulk(alice, "dnc-contact", [{"dnc": 1, "phone_number": number} for number in numbers])
    assert [one["status"] for one in answer["results"]] == [400, 201, 400, 201]
    assert answer["results"][2]["errors"] == {"phone_number": ["'+1.202.555.0101' is on the list already."]}


def test_the_client_can_ask_for_strict_handling(alice: Caller) -> None:
    """Then unknown fields are errors, and a contact that repeats another is refused."""
    record = {"phonebook": 1, "contact": "+12025550100"}
    answer = bulk(alice, "contact", [record, record, {**record, "color": 1}], Prefer="handling=strict")
    assert [one["status"] for one in answer["results"]] == [201, 409, 400]
    again = bulk(alice, "contact", [record], Prefer="handling=strict")["results"][0]
    assert (again["status"], again["duplicate_of"]) == (409, f"{BASE}/contact/1/")
    ignored = alice.request("POST", "contact/bulk/", json=[{**record, "color": 1}, {**record, "size": 1}])
    assert ignored.headers["x-ignored-fields"] == "color, size"


def test_a_repeated_request_is_answered_from_memory(alice: Caller) -> None:
    records = [{"phonebook": 1, "contact": "+12025550100"}, {}]
    key = {"Idempotency-Key": "k"}
    first, second = (alice.request("POST", "contact/bulk/", json=records, headers=key) for _ in range(2))
    assert (first.json(), "idempotent-replayed" in first.headers) == (second.json(), False)
    assert second.headers["idempotent-replayed"] == "true"
    assert alice.get("contact/")["count"] == 1
    assert alice.request("POST", "contact/bulk/", json=[{}], headers=key).status_code == 422


def test_contacts_become_subscribers_of_started_campaigns_at_once(
    alice: Caller, database: Database, worker: FakeWorker
) -> None:
    user_id = int(alice.get("phonebook/1/")["user"].rstrip("/").rpartition("/")[2])
    stamps = {"created_date": 1, "updated_date": 1}
    campaign = {"user_id": user_id, "name": "c", "campaign_code": "A", "object_id": 1, "status": 1, "startingdate": 0}

    def start(connection: Connection) -> None:
        connection.execute(insert(Campaign).values(**campaign, expirationdate=2**40, **stamps))
        connection.execute(insert(CampaignPhonebook).values(campaign_id=1, phonebook_id=1))

    database.write_now(start)
    bulk(alice, "contact", [{"phonebook": 1, "contact": f"+1202555{number:04d}"} for number in range(300)])
    rows = database.read_now(lambda connection: connection.execute(Subscriber.__table__.select()).all())
    assert (len(rows), worker.settled) == (300, 1)


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"", JSON, 400),
        (b"{}", JSON, 400),
        (b"[{}", JSON, 400),
        (b"[" * 100_000, JSON, 400),
        (b'["\xff"]', JSON, 200),
        (b"\xff\xfe", NDJSON, 200),
        (b"[]", {"Content-Type": "text/csv"}, 415),
        (b"[]", JSON, 200),
        (b"", NDJSON, 200),
        (b"[" + b"1," * (BULK_COMMAS_MAX + 1) + b"1]", JSON, 400),
        (b"\n" * (BULK_COMMAS_MAX + 1), NDJSON, 400),
        (b"[" + b"1," * BULK_RECORDS_MAX + b"1]", JSON, 400),
        (b"{}\n" * (BULK_RECORDS_MAX + 1), NDJSON, 400),
        (b" " * (BULK_BYTES_MAX + 1), JSON, 413),
    ],
    ids=range(14),
)
def test_odd_bodies(alice: Caller, body: bytes, headers: dict[str, str], status: int) -> None:
    answer = alice.request("POST", "contact/bulk/", content=body, headers=headers)
    assert answer.status_code == status, answer.text[:200]


def test_the_records_may_name_a_hundred_phonebooks(alice: Caller) -> None:
    records = [{"phonebook": number, "contact": "+12025550100"} for number in range(1, 102)]
    answer = alice.request("POST", "contact/bulk/", json=records)
    message = "The records name 101 of them. Send at most 100 in one request."
    assert (answer.status_code, answer.json()) == (400, {"phonebook": [message]})


_NUMBERS = st.sampled_from(["+12025550100", "+1 202 555-0100", "+12025550101", "911", "x", "12", 1234567, None, ""])
_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "phonebook": st.sampled_from([1, "1", "/rest-api/phonebook/1/", 2, 9, "x", None]),
    "contact": _NUMBERS,
    "dnc": st.sampled_from([1, "1", "/rest-api/dnc/1/", 2, 9, [1], None]),
    "phone_number": _NUMBERS,
    "full_name": st.sampled_from(["Ada", "", "x" * 256, None, 5]),
    "additional_vars": st.sampled_from([{"a": [1]}, '{"b": 2}', "[]", "", 7, None]),
    "color": st.just(1),
}


def _records(*names: str) -> st.SearchStrategy[list[dict[str, Any]]]:
    fields = {name: _FIELDS[name] for name in (*names, "color")}
    return st.lists(st.fixed_dictionaries({}, optional=fields), max_size=6)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=_records("phonebook", "contact", "full_name", "additional_vars"))
def test_a_contact_gets_the_answer_of_a_single_request(alice: Caller, records: list[dict[str, Any]]) -> None:
    _same_as_single(alice, "contact", records)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=_records("dnc", "phone_number"))
def test_an_entry_gets_the_answer_of_a_single_request(alice: Caller, records: list[dict[str, Any]]) -> None:
    _same_as_single(alice, "dnc-contact", records)


def _same_as_single(alice: Caller, path: str, records: list[dict[str, Any]]) -> None:
    """Send the records one by one, delete what they made, and send them at once."""
    singly = [alice.request("POST", f"{path}/", json=record) for record in records]
    made = [_shown_and_deleted(alice, one.json()["url"]) for one in singly if one.status_code == 201]
    together = alice.request("POST", f"{path}/bulk/", content=json.dumps(records).encode(), headers=JSON).json()
    results = together["results"]
    assert [_shown_and_deleted(alice, one["url"]) for one in results if one["status"] == 201] == made
    assert [(one["status"], one.get("errors")) for one in results] == [
        (one.status_code, None if one.status_code == 201 else one.json()) for one in singly
    ]
    assert ["duplicate_of" in one for one in results] == ["x-duplicate-of" in one.headers for one in singly]


def _shown_and_deleted(alice: Caller, url: str) -> dict[str, Any]:
    shown = alice.get(url)
    assert alice.request("DELETE", url).status_code == 204
    return {name: value for name, value in shown.items() if name not in {"id", "url"}}


def test_half_of_a_surrogate_pair_is_an_error_of_its_record(alice: Caller) -> None:
    alice.create("phonebook", name="friends")
    good = {"phonebook": 1, "contact": "+12025550100", "full_name": "a, [b] \U0001f600"}
    bad = '{"phonebook": 1, "contact": "+12025550101", "full_name": "\\ud800"}'
    body = f"[ {json.dumps(good)} ,{bad}\n, {json.dumps(good | {'contact': '+12025550102'})}]".encode()
    answer = alice.request("POST", "contact/bulk/", content=body, headers=JSON).json()
    assert [one["status"] for one in answer["results"]] == [201, 400, 201]
    problem = "JSON parse error - 'full_name' has half of a surrogate pair."
    assert answer["results"][1]["errors"] == {"non_field_errors": [problem]}
    assert [one["full_name"] for one in alice.get("contact/")["results"]] == [good["full_name"]] * 2


@pytest.mark.parametrize("body", ['["\\ud800"', '["\\ud800",]', '["\\ud800" 1]', '{"a": "\\ud800"}', '["\\ud800"]]'])
def test_a_body_that_is_no_array_is_refused_with_half_of_a_surrogate_pair_too(alice: Caller, body: str) -> None:
    assert alice.request("POST", "contact/bulk/", content=body.encode(), headers=JSON).status_code == 400


def test_entries_are_read_kindly_and_each_number_of_a_text_counts(alice: Caller) -> None:
    texts = ["+49 30 2300074 ext. 5", "+49 30 2300074 / +1 212 555 0100", "+12125550100 (Ada)", "by post"]
    answers = bulk(alice, "dnc-contact", [{"dnc": 1, "phone_number": text} for text in texts])["results"]
    assert [one["status"] for one in answers] == [201, 201, 400, 400]
    assert [one.get("warnings") for one in answers] == [
        {"phone_number": ["The extension is left out: '+49302300074' is on the list."]},
        {"phone_number": ["The cell has several numbers. All are on the list: +49302300074, +12125550100."]},
        None,
        None,
    ]
    for number in ("+49302300074", "+12125550100"):
        assert alice.get("dnc-contact/", phone_number=number)["count"] == 1


def test_a_contact_that_nobody_can_be_is_stored_with_a_warning(alice: Caller) -> None:
    right, lost = bulk(
        alice, "contact", [{"phonebook": 1, "contact": number} for number in ("+12025550100", "+39612345678")]
    )["results"]
    assert (right["status"], "warnings" in right, lost["status"]) == (201, False, 201)
    assert lost["warnings"] == {
        "contact": ["'+39612345678' is a number that nobody can have. A 0 is missing: '+390612345678' would be right."]
    }
