"""The telephones of users: a code that was heard or read there confirms that a number is their own."""

from typing import Final

from sqlalchemy import Connection, delete, insert, select, update

from dialer.app.accounts.api_keys import hash_secret
from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.app.work.unit import RecordWritten, UnitOfWork
from dialer.domain.words.sentences import Sentence
from dialer.store.database.touched import NOTHING
from dialer.store.rows.limits import spend
from dialer.store.tables import OwnTelephone

CODE_LIFE_MS: Final = 900_000
"""Time for which a code may be typed."""
TRIES_MAX: Final = 5
"""Tries for a code."""
CODES_AN_HOUR_MAX: Final = 5
"""Codes for a user in an hour."""
CODES_A_DAY_MAX: Final = 5
"""Codes to a number in a day, whoever asks for them."""
CODE_SENT: Final = "telephone_code_sent"
CONFIRMED: Final = "telephone_confirmed"
_HOUR_US: Final = 3_600_000_000
_DAY_US: Final = 24 * _HOUR_US
_HASH_DIGITS: Final = 32
"""Digits of the hash of a number by which codes to it are counted, so that no erasure has to find it there."""


def confirmed_number(connection: Connection, user_id: int) -> str:
    """Return the number that a user has confirmed to be their own, in normal form; empty if there is none."""
    return connection.scalar(select(OwnTelephone.number).where(OwnTelephone.user_id == user_id)) or ""


def awaited_number(connection: Connection, user_id: int, now_ms: int) -> str:
    """Return the number whose code a user may type now; empty if there is none."""
    is_theirs = OwnTelephone.user_id == user_id, OwnTelephone.code_until_ms > now_ms, OwnTelephone.tries_left > 0
    return connection.scalar(select(OwnTelephone.asked_number).where(*is_theirs)) or ""


def await_code(unit: UnitOfWork, user_id: int, number: str, code: str) -> None:
    """Note the code that goes to a number. A number that is confirmed stays so until another one is.

    Raises:
        RefusedError: the user asked for many codes in an hour, or many went to the number in a day.
    """
    to_number = f"codes-to:{hash_secret(number).hex()[:_HASH_DIGITS]}"
    limits = (f"codes:{user_id}", _HOUR_US, CODES_AN_HOUR_MAX), (to_number, _DAY_US, CODES_A_DAY_MAX)
    now_us = unit.now_ms * 1_000
    for subject, period_us, most in limits:
        # A burst takes a part at once, and the period gives the rest back: together they are `most`.
        cost_us = 2 * period_us // (most + 1)
        if not spend(unit.connection, subject, cost_us=cost_us, now_us=now_us, latest_us=now_us + period_us):
            raise RefusedError("These were many codes. Try again later.", code=ErrorCode.LIMIT_REACHED)
    values = {
        "number": confirmed_number(unit.connection, user_id),
        "asked_number": number,
        "code_hash": _hash(number, code),
        "code_until_ms": unit.now_ms + CODE_LIFE_MS,
        "tries_left": TRIES_MAX,
    }
    unit.connection.execute(delete(OwnTelephone).where(OwnTelephone.user_id == user_id))
    unit.connection.execute(insert(OwnTelephone).values(user_id=user_id, **values))
    unit.written.append(RecordWritten(CODE_SENT, "users", user_id, user_id, {}, {}))


def type_code(unit: UnitOfWork, user_id: int, number: str, code: str) -> Sentence | None:
    """Confirm a number by the code that was heard or read there; return why it does not, which counts as a try."""
    is_asked = OwnTelephone.user_id == user_id, OwnTelephone.asked_number == number
    unit.note(NOTHING)
    tried = (
        update(OwnTelephone)
        .where(*is_asked, OwnTelephone.code_until_ms > unit.now_ms, OwnTelephone.tries_left > 0)
        .values(tries_left=OwnTelephone.tries_left - 1)
        .returning(OwnTelephone.code_hash, OwnTelephone.tries_left)
    )
    row = unit.connection.execute(tried).first() if number else None
    if row is None:
        return Sentence("No code is awaited for this number: ask for a new one.")
    if bytes(row.code_hash) == _hash(number, code):
        unit.connection.execute(update(OwnTelephone).where(*is_asked).values(number=number, asked_number=""))
        unit.written.append(RecordWritten(CONFIRMED, "users", user_id, user_id, {}, {}))
        return None
    if row.tries_left == 0:
        return Sentence("This is not the code, and it was typed too often. Ask for a new one.")
    return Sentence("This is not the code.")


def _hash(number: str, code: str) -> bytes:
    return hash_secret(f"{number} {code}")
