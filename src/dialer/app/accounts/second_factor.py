"""Use cases of second factors: codes of a telephone that change every 30 seconds (RFC 6238), and recovery codes.

The times are those of the machine, as for sessions.
"""

import hmac
import re
import secrets
from base64 import b32encode
from typing import Final

import pyotp
from sqlalchemy import Connection, delete, insert, select, update

from dialer.app.accounts.api_keys import hash_secret
from dialer.app.accounts.sessions import end_other_sessions
from dialer.app.work.errors import ErrorCode, RefusedError
from dialer.app.work.events import RecoveryCodeUsed, SecondFactorRemoved, SecondFactorSet
from dialer.app.work.unit import UnitOfWork
from dialer.store.database.touched import NOTHING
from dialer.store.tables import RecoveryCode, SecondFactor

STEP_MS: Final = 30_000
STEPS_BESIDE: Final = 1
"""Time steps before and after the present one whose codes are accepted, because clocks differ (RFC 6238, 5.2)."""
SETUP_MS: Final = 900_000
"""Time from the first look at a new secret to its first code."""
TOO_OLD: Final = "The key is too old. Load the page of the second factor again, and let the app read the new picture."
RECOVERY_CODES: Final = 10
RECOVERY_BYTES: Final = 10
CODE_LENGTH_MAX: Final = 40
"""Characters of a typed code that are looked at."""
_CODE: Final = re.compile(r"[0-9]{6}", re.ASCII)


def begin_second_factor(unit: UnitOfWork, user_id: int, at_ms: int) -> str:
    """Return the secret of a user's second factor that is not confirmed yet; replace one that is too old.

    Raises:
        RefusedError: the user has a second factor already.
    """
    secret = _unconfirmed(unit, user_id, at_ms)
    if secret is not None:
        return secret
    forget_unconfirmed(unit.connection, user_id)
    secret = pyotp.random_base32()
    values = {"user_id": user_id, "secret": secret, "created_date": at_ms}
    unit.connection.execute(insert(SecondFactor).values(values))
    return secret


def forget_unconfirmed(connection: Connection, user_id: int) -> None:
    """Delete an unconfirmed second factor of a user, because another person may have seen its secret."""
    connection.execute(
        delete(SecondFactor).where(SecondFactor.user_id == user_id, SecondFactor.confirmed_date.is_(None))
    )


def _unconfirmed(unit: UnitOfWork, user_id: int, at_ms: int) -> str | None:
    """Return the secret of a user's second factor that may still be confirmed, or None.

    Raises:
        RefusedError: the user has a second factor already.
    """
    unit.note(NOTHING)
    columns = SecondFactor.secret, SecondFactor.confirmed_date, SecondFactor.created_date
    row = unit.connection.execute(select(*columns).where(SecondFactor.user_id == user_id)).first()
    if row is not None and row.confirmed_date is not None:
        raise RefusedError("You have a second factor already. Turn it off first.", code=ErrorCode.ALREADY_EXISTS)
    is_good = row is not None and row.secret and abs(at_ms - row.created_date) < SETUP_MS
    return str(row.secret) if row is not None and is_good else None


def confirm_second_factor(
    unit: UnitOfWork, user_id: int, code: str, at_ms: int, *, session_id: int
) -> list[str] | None:
    """Turn on a user's second factor if the code is right, and return the recovery codes, which are stored nowhere.

    All sessions of the user but one end, because they began without it. Return None for a wrong code.

    Raises:
        RefusedError: the user has a second factor already, or a secret that is too old.
    """
    if _unconfirmed(unit, user_id, at_ms) is None:
        raise RefusedError(TOO_OLD)
    if not _takes_code(unit, user_id, code, at_ms):
        return None
    unit.connection.execute(update(SecondFactor).where(SecondFactor.user_id == user_id).values(confirmed_date=at_ms))
    codes = [b32encode(secrets.token_bytes(RECOVERY_BYTES)).decode().lower() for _ in range(RECOVERY_CODES)]
    unit.connection.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user_id))
    rows = [{"user_id": user_id, "code_hash": hash_secret(recovery_code)} for recovery_code in codes]
    unit.connection.execute(insert(RecoveryCode), rows)
    end_other_sessions(unit.connection, user_id, session_id)
    unit.note(NOTHING, SecondFactorSet(user_id))
    return [
        "-".join(recovery_code[start : start + 4] for start in range(0, len(recovery_code), 4))
        for recovery_code in codes
    ]


def takes_second_factor(unit: UnitOfWork, user_id: int, code: str, at_ms: int) -> bool:
    """Check a user's code, of the telephone or for recovery, and use it up. Return whether it is right."""
    unit.note(NOTHING)
    plain = "".join(code[:CODE_LENGTH_MAX].replace("-", "").split()).lower()
    if _takes_code(unit, user_id, plain, at_ms):
        return True
    is_one = (RecoveryCode.user_id == user_id) & (RecoveryCode.code_hash == hash_secret(plain))
    if not unit.connection.execute(delete(RecoveryCode).where(is_one)).rowcount:
        return False
    unit.note(NOTHING, RecoveryCodeUsed(user_id))
    return True


def remove_second_factor(unit: UnitOfWork, user_id: int) -> None:
    """Turn off a user's second factor.

    Raises:
        RefusedError: the user has none.
    """
    is_on = (SecondFactor.user_id == user_id) & SecondFactor.confirmed_date.is_not(None)
    if not unit.connection.execute(delete(SecondFactor).where(is_on)).rowcount:
        raise RefusedError("The user has no second factor.", code=ErrorCode.NOTHING_TO_DO)
    unit.connection.execute(delete(RecoveryCode).where(RecoveryCode.user_id == user_id))
    unit.note(NOTHING, SecondFactorRemoved(user_id))


def _takes_code(unit: UnitOfWork, user_id: int, code: str, at_ms: int) -> bool:
    """Return whether a code is that of a time step after the last accepted one, and let it be the last."""
    plain = "".join(code[:CODE_LENGTH_MAX].split())
    query = select(SecondFactor.secret, SecondFactor.last_step).where(SecondFactor.user_id == user_id)
    row = unit.connection.execute(query).first()
    if row is None or not row.secret or not _CODE.fullmatch(plain):
        return False
    codes = pyotp.HOTP(row.secret)
    now = at_ms // STEP_MS
    for step in range(now - STEPS_BESIDE, now + STEPS_BESIDE + 1):
        if step > row.last_step and hmac.compare_digest(codes.at(step), plain):
            unused = (SecondFactor.user_id == user_id) & (SecondFactor.last_step < step)
            changed = unit.connection.execute(update(SecondFactor).where(unused).values(last_step=step))
            return bool(changed.rowcount)
    return False
