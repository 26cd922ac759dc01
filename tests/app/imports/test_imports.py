"""Files of numbers become contacts and do-not-call entries: each number once, every bad row named."""

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, insert, text

from dialer.app.imports.headers import CsvError
from dialer.app.imports.imports import CHUNK_ROWS, Commit, import_csv
from dialer.app.imports.number_rows import ContactRows, DncRows, ImportTargetGoneError, StoredRows
from dialer.app.imports.report import ERRORS_MAX, ImportReport, RowRemark
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.enums import CampaignStatus
from dialer.store.database.database import Database
from dialer.store.tables import (
    Campaign,
    CampaignPhonebook,
    DncList,
    Gateway,
    Phonebook,
    Row,
    User,
)

NOW_MS = 1_000
DATES = {"created_date": 0, "updated_date": 0}
RIGHT = "Enter 3 to 15 digits with an optional leading +."


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Return a database with a user, two phonebooks and a do-not-call list."""
    database = Database(f"sqlite:///{tmp_path}/dialer.db")

    def fill(connection: Connection) -> None:
        Row.metadata.create_all(connection)
        connection.execute(insert(User), {"id": 1, "username": "anna", "password_hash": "x", **DATES})
        books = [{"id": number, "user_id": 1, "name": "book", **DATES} for number in (1, 2)]
        connection.execute(insert(Phonebook), books)
        connection.execute(insert(DncList), {"id": 1, "user_id": 1, "name": "list", **DATES})

    database.write_now(fill)
    yield database
    database.close()


def committing(database: Database) -> Commit:
    """Return what commits each part of a file."""
    return lambda work: database.write_now(lambda c: work(UnitOfWork(connection=c, now_ms=NOW_MS)))


def load(database: Database, content: str, phonebook_id: int = 1, region: str | None = None) -> ImportReport:
    target = ContactRows(phonebook_id, region=region)
    return import_csv([content.encode()], target, committing(database))


def load_dnc(database: Database, content: str, dnc_id: int = 1) -> ImportReport:
    target = DncRows(dnc_id, region="US")
    return import_csv([content.encode()], target, committing(database))


def rows(database: Database, query: str) -> list[tuple[object, ...]]:
    return database.read_now(lambda connection: [tuple(row) for row in connection.execute(text(query))])


CONTACTS = "SELECT contact, number, zone, full_name, additional_vars FROM contact ORDER BY id"


def test_a_plus_that_a_spreadsheet_took_is_put_back(database: Database) -> None:
    report = load(database, "contact\n491701234567\n491701234568.0\n1701234567\n", region="DE")
    assert report == ImportReport(imported=2, duplicates=1)
    assert rows(database, "SELECT contact, number FROM contact ORDER BY id") == [
        ("491701234567", "+491701234567"),
        ("491701234568", "+491701234568"),
    ]


def test_columns_become_number_name_and_variables(database: Database) -> None:
    report = load(database, 'City,Contact,FULL_NAME\nK\u00f6ln,+49 221 1234567," Ada L. "\n"A, ""B""",+12025550100,\n')
    assert report == ImportReport(imported=2)
    assert rows(database, CONTACTS) == [
        ("+49 221 1234567", "+492211234567", "Europe/Berlin", "Ada L.", '{"City":"K\u00f6ln"}'),
        ("+12025550100", "+12025550100", "America/New_York", "", '{"City":"A, \\"B\\""}'),
    ]


def test_rows_have_the_time_of_the_service(database: Database) -> None:
    load(database, "contact\n+12025550100\n")
    assert rows(database, "SELECT phonebook_id, created_date, updated_date FROM contact") == [(1, NOW_MS, NOW_MS)]


def test_a_number_is_in_a_phonebook_once_however_it_is_written(database: Database) -> None:
    load(database, "contact\n+12025550100\n")
    again = load(database, "contact\n+1 (202) 555-0100\n2025550101\n+1.202.555.0101\n", region="US")
    other = load(database, "contact\n+12025550100\n", phonebook_id=2)
    assert again == ImportReport(imported=1, duplicates=2)
    assert other == ImportReport(imported=1)
    assert rows(database, "SELECT contact FROM contact ORDER BY id") == [
        ("+12025550100",),
        ("2025550101",),
        ("+12025550100",),
    ]


def test_bad_rows_are_named_with_line_and_reason_and_the_others_come_in(database: Database) -> None:
    long_name, long_text = "n" * 256, "v" * 16_000
    content = (
        f"contact,full_name,note\n+12025550100,A,x\nno number,B,x\n+12025550101,{long_name},x\n"
        f'+12025550102,C,"line\nline"\n+12025550103,D\n+12025550104,E,{long_text}\n'
    )
    assert load(database, content) == ImportReport(
        imported=2,
        rejected=4,
        errors=[
            RowRemark(3, f"contact: 'no number' has no digits. {RIGHT}", "no_digits", "no number"),
            RowRemark(4, "full_name: more than 255 characters", "full_name", "n" * 64),
            RowRemark(7, "2 cells, but the header has 3 columns", "row", ""),
            RowRemark(8, "additional_vars: more than 16,000 characters", "additional_vars", '{"note":"' + "v" * 55),
        ],
    )


def test_a_report_names_so_many_rows_and_counts_the_rest(database: Database) -> None:
    report = load(database, "contact\n" + "x\n" * (ERRORS_MAX + 5))
    assert (report.rejected, len(report.errors), report.errors[-1].line) == (ERRORS_MAX + 5, ERRORS_MAX, ERRORS_MAX + 1)


def test_a_file_without_the_column_is_refused_and_nothing_is_imported(database: Database) -> None:
    with pytest.raises(CsvError):
        load(database, "phone\n+12025550100\n")
    assert rows(database, CONTACTS) == []


def many(count: int) -> str:
    return "contact\n" + "".join(f"+1202{2_000_000 + number}\n" for number in range(count))


def test_an_import_that_is_cut_off_keeps_whole_chunks_and_can_be_run_again(database: Database) -> None:
    content = many(CHUNK_ROWS + 10)

    def broken() -> Iterable[bytes]:
        yield content.encode()[:-60]
        raise ConnectionError

    with pytest.raises(ConnectionError):
        import_csv(broken(), ContactRows(1, region=None), committing(database))
    assert rows(database, "SELECT count(*) FROM contact") == [(CHUNK_ROWS,)]
    assert load(database, content) == ImportReport(imported=10, duplicates=CHUNK_ROWS)


def test_a_phonebook_that_is_deleted_meanwhile_ends_the_import(database: Database) -> None:
    def commit(work: Callable[[UnitOfWork], StoredRows]) -> StoredRows:
        added = committing(database)(work)
        database.write_now(lambda connection: connection.exec_driver_sql("DELETE FROM phonebook WHERE id = 1").rowcount)
        return added

    target = ContactRows(1, region=None)
    with pytest.raises(ImportTargetGoneError):
        import_csv([many(CHUNK_ROWS + 1).encode()], target, commit)
    assert rows(database, CONTACTS) == []


def test_contacts_of_a_started_campaign_become_its_subscribers(database: Database) -> None:
    def start(connection: Connection) -> None:
        connection.execute(insert(Gateway), {"id": 1, "name": "sim", **DATES})
        campaign = {"id": 1, "user_id": 1, "campaign_code": "ABCDE", "name": "c", "aleg_gateway_id": 1, "object_id": 1}
        span = {"startingdate": 0, "expirationdate": 1, "status": CampaignStatus.START, **DATES}
        connection.execute(insert(Campaign), {**campaign, **span})
        connection.execute(insert(CampaignPhonebook), {"campaign_id": 1, "phonebook_id": 1})

    database.write_now(start)
    load(database, 'contact,city\n+12025550100,"K"\n+12025550101,L\n')
    subscribers = rows(database, "SELECT campaign_id, number, additional_vars, status FROM subscriber ORDER BY id")
    assert subscribers == [
        (1, "+12025550100", json.dumps({"city": "K"}, separators=(",", ":")), 1),
        (1, "+12025550101", '{"city":"L"}', 1),
    ]
    assert rows(database, "SELECT totalcontact FROM campaign") == [(2,)]


def test_a_list_of_numbers_takes_each_once_and_ignores_other_columns(database: Database) -> None:
    report = load_dnc(database, "reason;phone_number\nasked;202-555-0100\nasked;+12025550100\nasked;x\n")
    assert report == ImportReport(
        imported=1,
        duplicates=1,
        rejected=1,
        errors=[RowRemark(4, f"phone_number: 'x' has no digits. {RIGHT}", "no_digits", "x")],
    )
    query = "SELECT dnc_id, phone_number, number, created_date FROM dnc_contact"
    assert rows(database, query) == [(1, "202-555-0100", "+12025550100", NOW_MS)]
    assert load_dnc(database, "phone_number\n+1 202 555 0100\n") == ImportReport(duplicates=1)


def test_a_list_that_is_not_there_takes_nothing(database: Database) -> None:
    with pytest.raises(ImportTargetGoneError):
        load_dnc(database, "phone_number\n+12025550100\n", dnc_id=9)
