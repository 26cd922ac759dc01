"""Tests of the telephones of users: how many codes go out, and what an erasure leaves of a number."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import insert, select

from dialer.app.accounts.own_telephones import await_code, confirmed_number, type_code
from dialer.app.erasure.erasure import erase_number
from dialer.app.work.errors import RefusedError
from dialer.app.work.unit import UnitOfWork
from dialer.store.database.database import Database
from dialer.store.tables import OwnTelephone, RequestAllowance, User
from tests.new_database import new_database

NUMBER: Final = "+12025550187"
NOON_MS: Final = 1_795_000_000_000
MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """Yield a database with one user."""
    one = Database(new_database(tmp_path), synchronous="OFF")
    stamps = {"created_date": NOON_MS, "updated_date": NOON_MS, "password_hash": "-"}
    one.write_now(lambda unit: unit.execute(insert(User).values(id=1, username="ann", **stamps)))
    yield one
    one.close()


def asked(database: Database, number: str, now_ms: int) -> bool:
    """Ask for a code; return whether one goes out."""
    try:
        database.write_now(lambda c: await_code(UnitOfWork(connection=c, now_ms=now_ms), 1, number, "042137"))
    except RefusedError:
        return False
    return True


def most_within(times_ms: list[int], period_ms: int) -> int:
    """Return the most of these moments that lie in one period."""
    return max(sum(begin <= one < begin + period_ms for one in times_ms) for begin in times_ms)


def test_a_number_gets_five_codes_in_any_day(database: Database) -> None:
    moments = [NOON_MS + hour * HOUR_MS for hour in range(60)]
    assert most_within([one for one in moments if asked(database, NUMBER, one)], 24 * HOUR_MS) == 5


def test_a_user_gets_five_codes_in_any_hour(database: Database) -> None:
    moments = {NOON_MS + place * 10 * MINUTE_MS: f"+120255501{place:02}" for place in range(18)}
    assert most_within([one for one, number in moments.items() if asked(database, number, one)], HOUR_MS) == 5


@pytest.mark.parametrize("is_confirmed", [False, True])
def test_an_erasure_leaves_nothing_of_a_telephone(database: Database, *, is_confirmed: bool) -> None:
    assert asked(database, NUMBER, NOON_MS)
    if is_confirmed:
        database.write_now(lambda c: type_code(UnitOfWork(connection=c, now_ms=NOON_MS), 1, NUMBER, "042137"))
        assert database.read_now(lambda c: confirmed_number(c, 1)) == NUMBER
    erase_number(database, NUMBER, lambda _: None, NOON_MS)
    subjects = database.read_now(lambda c: list(c.scalars(select(RequestAllowance.subject))))
    assert [one for one in subjects if NUMBER[1:] in one] == []
    assert database.read_now(lambda c: c.execute(select(OwnTelephone)).all()) == []
