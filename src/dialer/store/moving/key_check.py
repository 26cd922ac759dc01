"""The check that a process holds the key of a database's secrets, and the change of that key.

The database keeps a known word, encrypted with the key. A process that cannot read the word has the wrong key, and
finds out before it writes anything.
"""

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Select,
    String,
    Table,
    bindparam,
    column,
    delete,
    insert,
    inspect,
    select,
    table,
    type_coerce,
    update,
)

from dialer.store.database.bulk import Bulk, Page, pages
from dialer.store.tables import KeyCheck, Row
from dialer.store.tables.key_ring import RING, Secret, SecretsKeyError, fernet_of, is_signed

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
    """Check that this process holds the key of the database's secrets. The first use may create the key.

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
    """Encrypt all secrets with the first key of this process, in one transaction. Return their number.

    Secrets that cannot be decrypted stay as they are.

    Raises:
        SecretsKeyError: this process does not hold the key of the database's secrets.
    """
    check_key(connection)
    cipher = fernet_of(RING.keys())
    count = 0
    for of, name in secret_columns():
        for rows in _tokens(connection, of, name):
            readable = [(*row[:-1], cipher.rotate(row[-1]).decode()) for row in rows if _is_readable(row[-1])]
            count += _change(connection, of, name, readable)
    from dialer.store.moving.live_keys import rotate_live_keys  # noqa: PLC0415 - it imports what only services need

    return count + rotate_live_keys(connection)


def forget(connection: Connection) -> int:
    """Delete the secrets that this process cannot decrypt, and let its key be that of the database from now on.

    Parameters of gateways become empty. Return the number of deleted secrets.
    """
    RING.keys(may_create=True)
    connection.execute(delete(KeyCheck))
    count = 0
    for of, name in secret_columns():
        empty = None if of.c[name].nullable else fernet_of(RING.keys()).encrypt(b"{}").decode()
        for rows in _tokens(connection, of, name):
            lost = [(*row[:-1], empty) for row in rows if not _is_readable(row[-1])]
            count += _change(connection, of, name, lost)
    check_key(connection)
    return count


def secret_columns() -> Iterator[tuple[Table, str]]:
    """Yield each column of secrets with its table."""
    for of in Row.metadata.sorted_tables:
        for one in of.c:
            if isinstance(one.type, Secret):
                yield of, one.name


def _tokens(connection: Connection, of: Table, name: str) -> Iterator[Page]:
    """Yield the primary keys and tokens of all rows with a secret, some at a time."""
    key = list(of.primary_key.columns)
    query = select(*key, type_coerce(of.c[name], String)).where(of.c[name].is_not(None))
    return pages(connection, query, key, ROWS_AT_ONCE)


def _change(connection: Connection, of: Table, name: str, rows: Page) -> int:
    """Store tokens in rows, each after the primary key of its row. Return the number of rows."""
    key = [column.name for column in of.primary_key.columns]
    is_it = [of.c[part] == bindparam(f"old_{part}") for part in key]
    names = [*[f"old_{part}" for part in key], "token"]
    change = update(of).where(*is_it).values({name: bindparam("token")})
    Bulk(change, names).run(connection, rows)
    return len(rows)


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
    return is_signed(token, RING.keys())
