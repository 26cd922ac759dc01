"""Tests of the database cost of requests, without a clock.

They count statements, and check that no list scans a whole table.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import pytest
from sqlalchemy import Engine, event

from dialer.store.database.database import Database
from dialer.store.tables import Contact, Phonebook
from tests.api.builders import Estate, stored
from tests.api.harness import Caller
from tests.databases.choice import is_postgresql

PARTS: Final = ("_readers", "_writer")
NOTHING: Final = ("SCAN CONSTANT ROW", "SCAN (subquery-1)")
"""Steps of a plan that read one row at most: an empty list of ids."""
UNDER_WAY: Final = {
    "SCAN callrequest USING INDEX ix_callrequest_calling",
    "SCAN sms_message USING INDEX ix_sms_message_on_its_way",
}
"""The steps of a plan that reads all calls in progress, or all messages on their way."""
Statements = list[tuple[str, Any]]

# Method, path and body of a request, and the most statements that it may take.
CEILINGS: Final = (
    ("GET", "contact/?phonebook_id=1", None, 3),
    ("GET", "contact/?phonebook_id=1&page=2&cursor=a10", None, 3),
    ("GET", "contact/1/", None, 2),
    # Two look for the phonebook and the number, two read the account and insert, one counts the names for placeholders,
    # one finds the campaigns that call the contact, and one tends the audit log.
    ("POST", "contact/", {"contact": "+12025550177", "phonebook": 1}, 7),
    # One reads what is to be changed, one what is counted, one changes it, one counts the names for placeholders, one
    # reads the reply, one the newest entry of the audit log, and one writes an entry that has its hash.
    ("PATCH", "contact/1/", {"full_name": "Ann Other"}, 7),
    # A contact whose counted values stay as they are is not counted again.
    ("PATCH", "contact/1/", {"full_name": ""}, 5),
    ("GET", "campaigns/?status=1", None, 4),
    ("GET", "callrequest/", None, 3),
    ("GET", "cdr/", None, 3),
    ("GET", "survey-result/", None, 3),
    ("GET", "ledger/", None, 3),
)
LISTS: Final = tuple(path for method, path, _, _ in CEILINGS if method == "GET" and not path.endswith(("1/", "a10")))


@contextmanager
def heard(database: Database) -> Iterator[Statements]:
    """Record the statements that run meanwhile, with their values, without transactions and pragmas.

    The task that looks after recordings of calls runs beside every request.
    """
    statements: Statements = []

    def hear(_connection: Any, _cursor: Any, text: str, values: Any, *_: Any) -> None:  # noqa: ANN401 - SQLAlchemy's event
        if not text.startswith(("BEGIN", "PRAGMA")) and "FROM call_recording" not in text:
            statements.append((text, values))

    engines: list[Engine] = [getattr(database, part) for part in PARTS]
    for engine in engines:
        event.listen(engine, "before_cursor_execute", hear)
    try:
        yield statements
    finally:
        for engine in engines:
            event.remove(engine, "before_cursor_execute", hear)


def plans(database: Database, statements: Statements) -> list[str]:
    """Return the steps of the statements' plans."""

    def read(connection: Any) -> list[str]:  # noqa: ANN401 - a connection
        found: list[str] = []
        for text, values in statements:
            if text.lstrip().upper().startswith(("SELECT", "UPDATE", "DELETE", "WITH")):
                rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values).all()
                found += [row[3] for row in rows]
        return found

    return database.read_now(read)


def scans(database: Database, statements: Statements) -> list[str]:
    """Return the steps of the statements' plans that scan a whole table or index."""
    return [step for step in plans(database, statements) if step.startswith("SCAN") and step not in NOTHING]


def ask(caller: Caller, method: str, path: str, body: object) -> None:
    response = caller.request(method, path, **({} if body is None else {"json": body}))
    assert response.status_code < 300, response.text


@pytest.fixture
def book(database: Database) -> int:
    """Create a phonebook of Alice's with 25 contacts, ids 1 to 25, and return its id."""
    book = stored(database, Phonebook, user_id=2, name="friends")
    for number in range(25):
        digits = f"+1202555{number:04d}"
        stored(database, Contact, phonebook_id=book, contact=digits, number=digits, zone="")
    return book


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize(("method", "path", "body", "ceiling"), CEILINGS)
def test_a_request_takes_few_statements(
    alice: Caller, database: Database, method: str, path: str, body: object, ceiling: int
) -> None:
    ask(alice, "GET", "phonebook/", None)  # This request verifies the password, which is cached from here on.
    with heard(database) as statements:
        ask(alice, method, path, body)
    # SQLite counts changes in the header of its file, PostgreSQL in a row.
    assert len(statements) <= ceiling + is_postgresql(), statements


@pytest.mark.usefixtures("book")
@pytest.mark.parametrize("name", ["csv", "ndjson"])
def test_head_of_an_export_reads_its_beginning_alone(
    alice: Caller, database: Database, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr("dialer.resources.crud.pagination.CHUNK_SIZE", 5)
    path = f"contact/?format={name}"
    with heard(database) as for_all:
        ask(alice, "GET", path, None)
    with heard(database) as for_head:
        ask(alice, "HEAD", path, None)
    assert (len(for_head) < 4, len(for_all) > 5) == (True, True), (for_head, for_all)


@pytest.mark.sqlite_only("reads the query plans of SQLite")
@pytest.mark.parametrize("path", LISTS)
def test_no_list_reads_a_table_from_one_end_to_the_other(estate: Estate, database: Database, path: str) -> None:
    ask(estate.owner, "GET", path, None)
    with heard(database) as statements:
        ask(estate.owner, "GET", path, None)
    assert scans(database, statements) == []


@pytest.mark.sqlite_only("reads the query plans of SQLite")
@pytest.mark.parametrize("path", ["campaigns/1/", "sms-campaigns/2/", "subscriber-list/1/"])
def test_a_delete_reads_no_more_than_the_calls_in_progress(estate: Estate, database: Database, path: str) -> None:
    """Busy subscribers are searched among the calls in progress, because there may be a million subscribers."""
    ask(estate.owner, "GET", "phonebook/", None)
    with heard(database) as statements:
        ask(estate.owner, "DELETE", path, None)
    assert set(scans(database, statements)) <= UNDER_WAY


@pytest.mark.sqlite_only("reads the query plans of SQLite")
@pytest.mark.parametrize("path", ["campaigns/1/statistics/", "statistics/"])
def test_statistics_read_the_cdrs_of_the_last_minute_alone(estate: Estate, database: Database, path: str) -> None:
    ask(estate.owner, "GET", "phonebook/", None)
    with heard(database) as statements:
        ask(estate.owner, "GET", path, None)
    of_cdrs = [step for step in plans(database, statements) if "cdr" in step]
    assert of_cdrs == ["SEARCH cdr USING INDEX ix_cdr_starting_date (starting_date>?)"]


@pytest.mark.sqlite_only("reads the query plans of SQLite")
def test_the_calls_of_an_agent_are_found_by_their_index(estate: Estate, database: Database) -> None:
    with heard(database) as statements:
        ask(estate.owner, "GET", "cdr/?agent_id=1", None)
    assert {step for step in plans(database, statements) if " cdr " in step} == {
        "SEARCH cdr USING INDEX ix_cdr_agent_id (agent_id=? AND user_id=?)",
        "SEARCH cdr USING COVERING INDEX ix_cdr_agent_id (agent_id=? AND user_id=?)",
    }


@pytest.mark.sqlite_only("reads the query plans of SQLite")
def test_a_plan_that_reads_all_is_noticed(database: Database) -> None:
    look: Callable[[str], list[str]] = lambda text: scans(database, [(text, ())])  # noqa: E731 - shorter so
    assert look("SELECT * FROM contact WHERE full_name = 'Ann'") != []
    assert look("SELECT * FROM contact WHERE id = 1") == []
