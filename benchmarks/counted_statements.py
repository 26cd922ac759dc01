"""The statements that a piece of work sends to its database."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Engine, event


@contextmanager
def counted_statements() -> Iterator[list[str]]:
    """Record every statement that is sent to a database. A statement for many rows counts once."""
    statements: list[str] = []

    def count(_connection: object, _cursor: object, statement: str, *_: Any) -> None:  # noqa: ANN401 - SQLAlchemy's
        statements.append(statement)

    event.listen(Engine, "before_cursor_execute", count)
    try:
        yield statements
    finally:
        event.remove(Engine, "before_cursor_execute", count)
