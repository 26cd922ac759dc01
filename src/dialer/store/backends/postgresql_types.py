"""Types of values in PostgreSQL: those of parameters, and of sums."""

from typing import Any, Final

from psycopg.adapt import Loader
from sqlalchemy import BigInteger, Boolean, Integer, SmallInteger
from sqlalchemy.dialects.postgresql.base import PGTypeCompiler
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg


class _Wide(BigInteger):
    """An integer whose parameters are of the largest type: a filter may name more than a column can hold."""

    render_bind_cast = True


WIDE: Final[dict[Any, Any]] = {BigInteger: _Wide, Integer: _Wide, SmallInteger: _Wide}
"""The types of integers in a dialect."""


class _Flag(Boolean):
    """A Boolean whose parameters name their type."""

    render_bind_cast = True


class _FlagTypes(PGTypeCompiler):
    """Names of types in casts of parameters. Rows for the driver have Booleans as 0 and 1, which are numbers."""

    def visit_BOOLEAN(self, type_: Boolean, **kw: Any) -> str:  # noqa: ANN401, ARG002, N802 - SQLAlchemy's signature
        """Return the type of a cast from numbers or Booleans."""
        return "INTEGER::BOOLEAN"


class _DriverDialect(PGDialect_psycopg):
    """The dialect of statements that are compiled for the driver."""

    colspecs: Any = {**PGDialect_psycopg.colspecs, **WIDE, Boolean: _Flag}  # noqa: RUF012 - SQLAlchemy's declaration
    type_compiler_cls = _FlagTypes
    supports_statement_cache = True


DIALECT: Final = _DriverDialect(paramstyle="format")  # type: ignore[no-untyped-call]
"""The dialect of statements that are compiled for the driver."""


class WholeLoader(Loader):
    """The sum of large integers has the type of decimals in PostgreSQL."""

    def load(self, data: Any) -> int | float:  # noqa: ANN401 - bytes of any kind
        """Return a sum as a number; an integer if it is whole."""
        digits = bytes(data)
        return float(digits) if b"." in digits or b"N" in digits else int(digits)
