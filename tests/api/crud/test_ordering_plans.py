"""Tests that large lists are read in the order of an index, on both databases."""

from typing import Any, Final

import pytest
from sqlalchemy import Connection, func, select, update

from dialer.resources.crud.resource import Resource
from dialer.resources.records.table import RESOURCES
from dialer.store.database.database import Database
from tests.api.builders import Estate
from tests.api.crud.test_statements import Statements, heard
from tests.databases.choice import is_postgresql

LARGE: Final = [resource for resource in RESOURCES if resource.is_large]
_NUMBER: Final = "+12025561113"
_PREFER_INDEXES: Final = "; ".join(f"SET LOCAL enable_{step} = off" for step in ("seqscan", "sort", "bitmapscan"))
"""PostgreSQL would read and sort a small table. With this, it sorts only what no index gives in order."""


def sorts(database: Database, statements: Statements) -> list[tuple[str, str]]:
    """Return the statements with a LIMIT whose rows must be sorted first, each with the step that sorts."""

    def read(connection: Connection) -> list[tuple[str, str]]:
        if is_postgresql():
            connection.exec_driver_sql(_PREFER_INDEXES)
        return [
            (text, step)
            for text, values in statements
            if "LIMIT" in text and "ORDER BY" in text
            for step in _steps(connection, text, values)
            if "Sort" in step or "TEMP B-TREE FOR" in step
        ]

    return database.read_now(read)


def _steps(connection: Connection, text: str, values: Any) -> list[str]:  # noqa: ANN401 - the driver's parameters
    if is_postgresql():
        return [row[0] for row in connection.exec_driver_sql(f"EXPLAIN (COSTS OFF) {text}", values)]
    return [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values)]


@pytest.mark.parametrize("resource", LARGE, ids=lambda resource: resource.path)
def test_a_large_list_is_read_in_the_order_of_an_index(
    estate: Estate, database: Database, monkeypatch: pytest.MonkeyPatch, resource: Resource
) -> None:
    monkeypatch.setattr("dialer.resources.crud.list_queries.SORTED_MAX", 0)
    for ordering in resource.orderings:
        for direction in ("", "-"):
            with heard(database) as statements:
                answer = estate.owner.request("GET", f"{resource.path}/?ordering={direction}{ordering}")
            assert answer.status_code == 200, answer.text
            assert sorts(database, statements) == []


def test_the_calls_of_an_account_by_date_are_read_without_those_of_others(
    estate: Estate, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An account that has not called for long would wait while all later calls of others are read."""
    monkeypatch.setattr("dialer.resources.crud.list_queries.SORTED_MAX", 0)
    with heard(database) as statements:
        estate.owner.get("cdr/", ordering="-starting_date")

    def read(connection: Connection) -> list[str]:
        if is_postgresql():
            connection.exec_driver_sql(_PREFER_INDEXES)
        pages = [(text, values) for text, values in statements if "FROM cdr" in text and "ORDER BY" in text]
        return [step for text, values in pages for step in _steps(connection, text, values)]

    assert any("ix_cdr_user_id_starting_date" in step for step in database.read_now(read))


@pytest.mark.parametrize("path", ["callrequest", "transfer", "sms-message", "cdr"])
def test_last_digits_are_looked_up_in_an_index(
    both_estates: tuple[Estate, Estate], database: Database, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Among a million numbers, only those with the same last digits are read, as SQLite's plan shows."""
    monkeypatch.setattr("dialer.resources.crud.list_queries.SORTED_MAX", 1)
    (table,) = (resource.table for resource in LARGE if resource.path == path)
    estate, _ = both_estates
    only = table.c.id == select(func.min(table.c.id)).where(table.c.user_id == estate.user_id).scalar_subquery()
    database.write_now(lambda connection: connection.execute(update(table).where(only).values(phone_number=_NUMBER)))
    with heard(database) as statements:
        page = estate.admin.get(f"{path}/", search=_NUMBER[-6:])
    assert [record["phone_number"] for record in page["results"]] == [_NUMBER]

    if is_postgresql():
        return  # For so few rows, it takes any index that has the number.

    def read(connection: Connection) -> list[str]:
        searches = [(text, values) for text, values in statements if f"FROM {table.name}" in text and "LIKE" in text]
        return [step for text, values in searches for step in _steps(connection, text, values) if table.name in step]

    steps = database.read_now(read)
    assert any(f"ix_{table.name}_last_digits" in step for step in steps)
    assert [step for step in steps if step.startswith("SCAN")] == []
