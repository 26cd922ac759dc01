"""Limits that hold for all processes of a service: allowances of requests, and counts of wrong passwords.

Each write is one statement that checks its own condition, so it waits for no other unit of work.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, case, delete, select

from dialer.store.backends.expressions import greatest, insert_or
from dialer.store.database.touched import NOTHING, touch
from dialer.store.tables import RequestAllowance, WrongPassword

_now_us = bindparam("now_us", type_=RequestAllowance.__table__.c.restored_us.type)
_cost_us = bindparam("cost_us", type_=RequestAllowance.__table__.c.restored_us.type)
_spent_us = greatest(RequestAllowance.restored_us, _now_us) + _cost_us
_READ: Final = select(RequestAllowance.restored_us).where(RequestAllowance.subject == bindparam("of"))
_SPEND: Final = (
    insert_or(RequestAllowance.__table__)
    .values(subject=bindparam("of"), restored_us=_now_us + _cost_us)
    .on_conflict_do_update(
        index_elements=["subject"],
        set_={"restored_us": _spent_us},
        where=_spent_us <= bindparam("latest_us", type_=RequestAllowance.__table__.c.restored_us.type),
    )
)

_now_ms = bindparam("now_ms", type_=WrongPassword.__table__.c.last_ms.type)
_is_over = WrongPassword.first_ms <= bindparam("since_ms", type_=WrongPassword.__table__.c.last_ms.type)
_COUNT: Final = (
    insert_or(WrongPassword.__table__)
    .values(subject=bindparam("of"), failures=1, first_ms=_now_ms, last_ms=_now_ms)
    .on_conflict_do_update(
        index_elements=["subject"],
        set_={
            "failures": case((_is_over, 1), else_=WrongPassword.failures + 1),
            "first_ms": case((_is_over, _now_ms), else_=WrongPassword.first_ms),
            "last_ms": _now_ms,
        },
    )
)


def restored_us(connection: Connection, subject: str) -> int:
    """Return the time at which the whole allowance of a subject is restored, in microseconds; 0 if it is whole."""
    return int(connection.scalar(_READ, {"of": subject}) or 0)


def spend(connection: Connection, subject: str, *, cost_us: int, now_us: int, latest_us: int) -> bool:
    """Take `cost_us` from an allowance. Return False, without taking it, if it is whole after `latest_us` only."""
    values = {"of": subject, "cost_us": cost_us, "now_us": now_us, "latest_us": latest_us}
    touch(connection, NOTHING)
    return connection.execute(_SPEND, values).rowcount == 1


def forget_restored(connection: Connection, now_us: int) -> None:
    """Delete allowances that are fully restored."""
    touch(connection, NOTHING)
    connection.execute(delete(RequestAllowance).where(RequestAllowance.restored_us <= now_us))


class WrongPasswords(NamedTuple):
    """The wrong passwords of a subject in a row."""

    failures: int
    last_ms: int


def wrong_passwords(connection: Connection, subjects: Sequence[str]) -> dict[str, WrongPasswords]:
    """Return the counts of those subjects that have any."""
    query = select(WrongPassword.subject, WrongPassword.failures, WrongPassword.last_ms).where(
        WrongPassword.subject.in_(subjects)
    )
    return {row[0]: WrongPasswords(row[1], row[2]) for row in connection.execute(query)}


def count_wrong_password(connection: Connection, subjects: Sequence[str], *, now_ms: int, window_ms: int) -> None:
    """Count a wrong password for each subject. A count that began longer ago than the window begins again."""
    values = {"now_ms": now_ms, "since_ms": now_ms - window_ms}
    touch(connection, NOTHING)
    for subject in sorted(subjects):
        connection.execute(_COUNT, {"of": subject, **values})
    connection.execute(delete(WrongPassword).where(WrongPassword.last_ms <= now_ms - window_ms))
