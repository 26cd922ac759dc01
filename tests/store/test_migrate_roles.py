"""Tests of a migration: the flag of admins becomes a role, and ids are still never given twice."""

from pathlib import Path

from sqlalchemy import create_engine, select, text
from sqlalchemy.pool import NullPool

from dialer.store.tables import User
from tests.store.test_migrate_rates import bring

USER = (
    "INSERT INTO user_account (id, username, username_key, password_hash, is_admin, first_name, last_name, email,"
    " call_rate, sms_rate, balance, held, created_date, updated_date)"
    " VALUES (:id, :name, :name, '-', :is_admin, '', '', '', 0, 0, 700, 0, 0, 0)"
)


def test_admins_stay_admins_and_all_others_become_managers(tmp_path: Path) -> None:
    people = [{"id": 1, "name": "ann", "is_admin": 1}, {"id": 2, "name": "bob", "is_admin": 0}]
    with create_engine(f"sqlite:///{tmp_path}/dialer.db", poolclass=NullPool).begin() as connection:
        bring(connection, "0016")
        connection.execute(text(USER), [*people, {"id": 9, "name": "gone", "is_admin": 0}])
        connection.execute(text("DELETE FROM user_account WHERE id = 9"))
        bring(connection, "head")
        found = connection.execute(
            select(User.id, User.username, User.role, User.enabled, User.manager_id, User.balance)
        ).all()
        connection.execute(
            text(
                "INSERT INTO user_account (username, username_key, password_hash, first_name,"
                " last_name, email, call_rate, sms_rate, balance, held, created_date, updated_date)"
                " VALUES ('new', 'new', '-', '', '', '', 0, 0, 0, 0, 0, 0)"
            )
        )
        newest = connection.scalar(select(User.id).where(User.username == "new"))
    assert [tuple(row) for row in found] == [
        (1, "ann", "admin", True, None, 700),
        (2, "bob", "manager", True, None, 700),
    ]
    assert newest == 10
