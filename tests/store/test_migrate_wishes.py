"""Tests of a migration: wishes of the past that were lost, or were on one campaign's list only, are kept."""

from collections.abc import Mapping
from pathlib import Path

from sqlalchemy import create_engine, select, text
from sqlalchemy.pool import NullPool

from dialer.store.tables import DncContact, DncList
from tests.store.test_migrate_rates import bring

ADA, BEN, CARL, DORA, EVE = (f"+1202555010{place}" for place in range(5))
USER = (
    "INSERT INTO user_account (id, username, username_key, password_hash, first_name, last_name, email, call_rate,"
    " sms_rate, balance, held, created_date, updated_date)"
    " VALUES (:id, :name, :name, '-', '', '', '', 0, 0, 0, 0, 0, 0)"
)
LIST = "INSERT INTO dnc_list (id, user_id, name, is_global, created_date, updated_date) VALUES (1, 1, 'l', false, 0, 0)"
ENTRY = "INSERT INTO dnc_contact (dnc_id, phone_number, number, created_date, updated_date) VALUES (1, :to, :to, 0, 0)"


def test_wishes_of_the_past_go_on_the_accounts_own_lists(tmp_path: Path) -> None:
    """Campaign 1 names a list, from which somebody took back a wish. Campaign 2 of another account names none."""
    with create_engine(f"sqlite:///{tmp_path}/dialer.db", poolclass=NullPool).begin() as connection:
        bring(connection, "0038_0036")
        connection.execute(text("PRAGMA foreign_keys = OFF"))
        connection.execute(text(USER), [{"id": 1, "name": "ann"}, {"id": 2, "name": "ben"}])
        connection.execute(text(LIST))
        connection.execute(text(ENTRY), [{"to": ADA}])
        for campaign_id, dnc_id in ((1, 1), (2, None)):
            values = {"id": campaign_id, "user_id": campaign_id, "dnc_id": dnc_id, "campaign_code": str(campaign_id)}
            _insert(connection, "campaign", values)
        calls = ((1, 1, ADA), (2, 1, BEN), (3, 2, CARL), (4, 2, DORA), (5, 2, EVE))
        for call_id, campaign_id, number in calls:
            person = {"id": call_id, "campaign_id": campaign_id, "number": number, "duplicate_contact": number}
            _insert(connection, "subscriber", person)
            call = {"id": call_id, "campaign_id": campaign_id, "subscriber_id": call_id, "user_id": campaign_id}
            _insert(connection, "callrequest", {**call, "started_ms": 700 + call_id, "attempt": 1})
        for call_id, kind in ((1, 9), (2, 9), (3, 9), (5, 1)):
            _insert(connection, "survey_result", {"callrequest_id": call_id, "section_type": kind, "id": call_id})
        _insert(connection, "call_disposition", {"id": 1, "callrequest_id": 4, "disposition": "do_not_call"})
        bring(connection, "head")
        query = select(DncList.user_id, DncContact.number, DncList.created_date).join(
            DncList.__table__.c.id.table, DncList.id == DncContact.dnc_id
        )
        found = connection.execute(query.where(DncList.keeps_wishes_of == "account").order_by(DncContact.id)).all()
    assert [tuple(row) for row in found] == [(1, ADA, 705), (2, CARL, 705), (2, DORA, 705)]


def _insert(connection: object, table: str, values: Mapping[str, object]) -> None:
    """Insert a row, with a zero or an empty text in all other columns that need a value."""
    described = connection.execute(text(f"PRAGMA table_info({table})")).all()  # type: ignore[attr-defined]
    fill = {
        row.name: "" if "CHAR" in row.type or "TEXT" in row.type else 0
        for row in described
        if row.notnull and row.dflt_value is None and not row.pk
    }
    given = {**fill, **values}
    names, places = ", ".join(f'"{name}"' for name in given), ", ".join(f":{name}" for name in given)
    connection.execute(text(f"INSERT INTO {table} ({names}) VALUES ({places})"), given)  # type: ignore[attr-defined] # noqa: S608 - names of ours
