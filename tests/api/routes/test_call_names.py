"""Tests of the names and numbers that exports have beside ids."""

import csv
import io
import json

from sqlalchemy import update

from dialer.store.database.database import Database
from dialer.store.tables import Cdr, Contact, Phonebook, Subscriber, SurveyResult
from tests.api.builders import Estate
from tests.api.harness import Caller, Json

NAMES = ("campaign_name", "contact_number", "contact_name", "disposition", "disposition_note", "disposition_word")
NUMBERED = ("campaign_name", "phone_number", "contact_number", "contact_name")


def rows(caller: Caller, path: str) -> tuple[list[dict[str, str]], list[Json]]:
    """Return the records of an export, as CSV and as NDJSON."""
    as_csv = caller.request("GET", f"{path}/?format=csv").text
    as_ndjson = caller.request("GET", f"{path}/?format=ndjson").text
    return list(csv.DictReader(io.StringIO(as_csv, newline=""))), [json.loads(line) for line in as_ndjson.splitlines()]


def write(database: Database, model: Json, **values: Json) -> None:
    database.write_now(lambda connection: connection.execute(update(model.__table__).values(**values)))


def test_exports_have_names_after_the_fields_of_json(estate: Estate, database: Database) -> None:
    write(database, Subscriber, full_name="Ada Byron")
    for path, names in (("cdr", NAMES), ("survey-result", NUMBERED)):
        (record,) = estate.owner.get(f"{path}/")["results"]
        (as_csv,), (as_ndjson,) = rows(estate.owner, path)
        assert list(as_csv) == list(as_ndjson) == [*record, *names]
        assert {name: as_ndjson[name] for name in record} == record
        known = {"campaign_name": "spring", "contact_number": "+12025550122", "contact_name": "Ada Byron"}
        said = {"disposition": "", "disposition_note": "", "disposition_word": ""}
        expected = known | ({"phone_number": "+12025550122"} if path == "survey-result" else said)
        assert {name: as_csv[name] for name in names} == {name: as_ndjson[name] for name in names} == expected


def test_the_contact_names_a_callee_whose_subscriber_is_gone(estate: Estate, database: Database) -> None:
    write(database, Contact, full_name="Ann Lee")
    write(database, Cdr, contact_id=estate.contact["id"], subscriber_id=999, campaign_id=None, callrequest_id=None)
    write(database, SurveyResult, campaign_id=None, callrequest_id=None)
    (cdr,), (answer,) = rows(estate.owner, "cdr")[0], rows(estate.owner, "survey-result")[0]
    assert [cdr[name] for name in NAMES] == ["", "+12025550100", "Ann Lee", "", "", ""]
    assert [answer[name] for name in NUMBERED] == ["", "+12025550122", "+12025550100", "Ann Lee"]


def test_an_answer_of_a_call_in_progress_has_its_number(estate: Estate, database: Database) -> None:
    write(database, Cdr, callid="other")
    (answer,), _ = rows(estate.owner, "survey-result")
    assert (answer["phone_number"], answer["contact_number"]) == ("+12025550122", "+12025550122")


def test_a_contact_of_another_user_is_not_named(estate: Estate, database: Database) -> None:
    write(database, Contact, full_name="Ann Lee")
    write(database, Cdr, contact_id=estate.contact["id"], subscriber_id=999)
    write(database, Phonebook, user_id=3)
    (cdr,), _ = rows(estate.owner, "cdr")
    assert [cdr[name] for name in NAMES] == ["spring", "", "", "", "", ""]


def test_erased_people_stay_erased(estate: Estate, database: Database) -> None:
    write(database, Subscriber, full_name="erased", duplicate_contact="erased", number="#x")
    (cdr,), _ = rows(estate.owner, "cdr")
    assert [cdr[name] for name in NAMES] == ["spring", "erased", "erased", "", "", ""]


def test_no_name_is_a_formula(estate: Estate, database: Database) -> None:
    write(database, Subscriber, full_name="=1+1")
    (cdr,), (as_ndjson,) = rows(estate.owner, "cdr")
    assert (cdr["contact_name"], as_ndjson["contact_name"]) == ("'=1+1", "=1+1")
