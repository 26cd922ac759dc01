"""The check that a process holds the key of a database's secrets, and the change of that key.

The database keeps a known word, encrypted with the key. A process that cannot read the word has the wrong key, and
finds out before it writes anything.
"""

from collections.abc import Iterator
from typing import Any, Final

from cryptography.fernet import InvalidToken
from sqlalchemy import Connection, Select, Table, bindparam, column, delete, insert, inspect, select, table, update

from dialer.store.key_ring import RING, Secret, SecretsKeyError, fernet_of
from dialer.store.tables import KeyCheck, Row

ROWS_AT_ONCE: Final = 1_000
"""Rows in memory at once."""
_ONLY_ROW: Final = 1
_WORD: Final = "dialer"
_WRONG: Final = (
    "the secrets of this database were encrypted with another key: start with the one that was in use before"
    " (DIALER_SECRETS_KEY, or the file of DIALER_SECRETS_KEY_FILE)"
)
_checks: Final = table(KeyCheck.__tablename__, column("id"), column("word"))
"""The table without the types of its columns, which would decrypt."""


def check_key(connection: Connection) -> None:
    """Check that this process holds the key of the database's secrets. At the first use there may be no key yet.

    Raises:
        SecretsKeyError: it does not.
    """
    found = _word(connection)
    if found is None:
        RING.keys(may_create=True)
        _refuse_other_secrets(connection)
        connection.execute(insert(KeyCheck).values(id=_ONLY_ROW, word=_WORD))
    elif not _is_readable(found):
        raise SecretsKeyError(_WRONG)


def rotate(connection: Connection) -> int:
    """Encrypt all secrets anew with the first key of this process, in one transaction. Return how many there are.

    Secrets that cannot be decrypted stay as they are.

    Raises:
        SecretsKeyError: this process does not hold the key of the database's secrets.
    """
    check_key(connection)
    cipher = fernet_of(RING.keys())
    count = 0
    for of, name in secret_columns():
        plain: Any = table(of.name, column("id"), column(name))
        change = update(plain).where(plain.c.id == bindparam("row_id")).values({name: bindparam("token")})
        for rows in _tokens(connection, plain, name):
            fresh = [{"row_id": row_id, "token": cipher.rotate(token).decode()} for row_id, token in rows]
            connection.execute(change, fresh)
            count += len(fresh)
    return count


def forget(connection: Connection) -> int:
    """Delete the secrets that this process cannot decrypt, and let its key be that of the database from now on.

    Parameters of gateways become empty. Return the number of deleted secrets.
    """
    RING.keys(may_create=True)
    connection.execute(delete(KeyCheck))
    count = 0
    for of, name in secret_columns():
        plain: Any = table(of.name, column("id"), column(name))
        found = connection.execute(select(plain.c.id, plain.c[name]).where(plain.c[name].is_not(None)))
        lost = [{"row_id": row_id} for row_id, token in found.all() if not _is_readable(token)]
        if lost:
            value = None if of.c[name].nullable else "{}"
            connection.execute(update(of).where(of.c.id == bindparam("row_id")).values({name: value}), lost)
        count += len(lost)
    check_key(connection)
    return count


def secret_columns() -> Iterator[tuple[Table, str]]:
    """Yield each table and column that holds secrets."""
    for of in Row.metadata.sorted_tables:
        for one in of.c:
            if isinstance(one.type, Secret):
                yield of, one.name


def _tokens(connection: Connection, plain: Any, name: str) -> Iterator[list[tuple[int, str]]]:  # noqa: ANN401 - a table clause
    """Yield the ids and tokens of all rows with a readable secret, some at a time."""
    query = select(plain.c.id, plain.c[name]).where(plain.c.id > bindparam("after"), plain.c[name].is_not(None))
    after = 0
    while rows := connection.execute(query.order_by(plain.c.id).limit(ROWS_AT_ONCE), {"after": after}).all():
        if readable := [(row_id, token) for row_id, token in rows if _is_readable(token)]:
            yield readable
        after = rows[-1][0]


def _word(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_checks.name):
        return None
    found: str | None = connection.scalar(select(_checks.c.word).where(_checks.c.id == _ONLY_ROW))
    return found


def _refuse_other_secrets(connection: Connection) -> None:
    """Raise SecretsKeyError if there are secrets of another key, although the database has no word to check it by."""
    for of, name in secret_columns():
        token = connection.scalar(_all(of, name).order_by(column("id")).limit(1))
        if token is not None and not _is_readable(token):
            raise SecretsKeyError(_WRONG)


def _all(of: Table, name: str) -> Select[Any]:
    """Return the query of all tokens of a column."""
    plain = table(of.name, column("id"), column(name))
    return select(plain.c[name]).where(plain.c[name].is_not(None))


def _is_readable(token: str) -> bool:
    try:
        fernet_of(RING.keys()).decrypt(token)
    except (InvalidToken, UnicodeError):
        return False
    return True
