"""Common parts of all tables: an id that is never used again, and the types of columns."""

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final

from advanced_alchemy.base import IdentityBase
from advanced_alchemy.types import BigIntIdentity
from sqlalchemy import ForeignKey, ForeignKeyConstraint, Index, Integer, SmallInteger, String, Table, Text, select, text
from sqlalchemy.engine.default import DefaultExecutionContext
from sqlalchemy.orm import MappedColumn, mapped_column

BIG = BigIntIdentity

Milliseconds = Annotated[int, mapped_column(BIG)]
"""A point in time: milliseconds since 1970-01-01T00:00:00Z."""

Money = Annotated[int, mapped_column(BIG)]
"""An amount of money: integer multiples of 1e-5 of the account's currency."""

Count = Annotated[int, mapped_column(Integer, default=0, server_default="0")]
Increment = Annotated[int, mapped_column(Integer, default=60, server_default="60")]
"""Billing increment in seconds: a call is charged for whole increments."""
Code = Annotated[int, mapped_column(SmallInteger)]
Name = Annotated[str, mapped_column(String(255))]
Medium = Annotated[str, mapped_column(String(8))]
"""`voice` or `sms`."""
ZoneKey = Annotated[str, mapped_column(String(255).with_variant(Text(), "postgresql"))]
"""A zone key (`dialer.domain.calling_times.zones`), which can be longer than 255 characters. SQLite ignores the length,
and would have to copy the table to change it."""
LongText = Annotated[str, mapped_column(Text, default="", server_default="")]


UPDATED_OFTEN: Final = {"sqlite_autoincrement": True, "postgresql_with": {"fillfactor": 50}}
"""Arguments of a small table whose rows change often. PostgreSQL leaves room beside a row for its next version."""


VACUUMED_OFTEN: Final = {"autovacuum_vacuum_scale_factor": 0.02}
"""Settings of a large table whose oldest rows are removed. By default, PostgreSQL keeps them until they are a fifth of
the table, and pages that begin with the oldest rows pass over them."""


class Row(IdentityBase):
    """Base class of the tables. Their integer ids are never used again, not even after the newest row is deleted."""

    __abstract__ = True
    __table_args__: Any = {"sqlite_autoincrement": True}  # noqa: RUF012 - not a default value but a declaration

    if TYPE_CHECKING:
        # Every row class is one plain table; SQLAlchemy's own annotation also allows joins.
        __table__: ClassVar[Table]


def belongs_to(table: str, *, index: bool = True) -> MappedColumn[Any]:
    """Return a column that refers to the owner of a row in `table`. The row is deleted with its owner.

    Without an index of its own, another index must begin with the column.
    """
    return mapped_column(BIG, ForeignKey(f"{table}.id", ondelete="CASCADE"), index=index)


def needs(table: str, *, index: bool = True) -> MappedColumn[Any]:
    """Return a column that refers to a row of `table` that this row needs: that row cannot be deleted first."""
    return mapped_column(BIG, ForeignKey(f"{table}.id", ondelete="RESTRICT"), index=index)


def mentions(table: str, *, index: bool = True) -> MappedColumn[Any]:
    """Return a nullable column that refers to a row of `table`, and becomes null when that row is deleted."""
    return mapped_column(BIG, ForeignKey(f"{table}.id", ondelete="SET NULL"), index=index)


def where_known(name: str, column: str) -> Index:
    """Return an index for a column that is null in most rows, which the index leaves out."""
    condition = text(f"{column} IS NOT NULL")
    return Index(name, column, sqlite_where=condition, postgresql_where=condition)


def where_given(name: str, column: str, *others: str) -> Index:
    """Return an index for a column that is 0 in most rows, which the index of PostgreSQL leaves out.

    SQLite would use such an index for queries only that name the condition, and adds rows with 0 at one place.
    """
    return Index(name, column, *others, postgresql_where=text(f"{column} > 0"))


def in_account(table: str) -> Index:
    """Return the index by which the pages of an account are read in the order of the ids.

    By the primary key, all earlier rows of other accounts would be read.
    """
    return Index(f"ix_{table}_user_id_id", "user_id", "id")


def account_of(table: str, through: str) -> MappedColumn[Any]:
    """Return a column with the account of a row: that of the row of `table` that the column `through` names.

    Large tables have it themselves, so that a database of several machines can keep the rows of an account together.
    An INSERT without it reads it; statements for many rows give it.
    """

    def read(context: DefaultExecutionContext) -> Any:  # noqa: ANN401 - an id, or None if there is no such row
        owner = Row.metadata.tables[table]
        parent: int = context.get_current_parameters()[through]  # type: ignore[no-untyped-call]
        return context.connection.scalar(select(owner.c.user_id).where(owner.c.id == parent))

    return mapped_column(BIG, default=read)


def belongs_with_account(table: str, through: str) -> ForeignKeyConstraint:
    """Return the constraint that a row belongs to a row of `table`, has its account, and is deleted with it.

    If an admin gives the row of `table` to another account, this one follows.
    """
    columns, targets = [through, "user_id"], [f"{table}.id", f"{table}.user_id"]
    return ForeignKeyConstraint(columns, targets, ondelete="CASCADE", onupdate="CASCADE")
