"""SQL that each kind of database spells in its own way."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, SQLColumnExpression, String, Table, func
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import BigInteger, Integer, NullType, TypeEngine

from dialer.domain.numbers.search_keys import ENDING_MIN


class _Spelled(FunctionElement[Any]):
    """An expression that each database spells in its own way: a text with a place for each of its parts."""

    inherit_cache = True


class _Unindexed(_Spelled):
    inherit_cache = True


class _Ascending(_Spelled):
    inherit_cache = True


class _Descending(_Spelled):
    inherit_cache = True


class _Greatest(_Spelled):
    inherit_cache = True


class _Place(_Spelled):
    inherit_cache = True


class _Among(_Spelled):
    inherit_cache = True


class _WholeNumber(_Spelled):
    inherit_cache = True


class _TextOfBytes(_Spelled):
    inherit_cache = True


class _LastDigits(_Spelled):
    inherit_cache = True


class _PlainName(_Spelled):
    inherit_cache = True


class _Folded(_Spelled):
    inherit_cache = True


class _Spellings(NamedTuple):
    sqlite: str
    postgresql: str


_FOLDED: Final = {
    char: folded
    for char, folded in ((chr(code), chr(code).casefold()) for code in range(0x80, 0x2000))
    if folded != char and len(folded) == 1
} | {"ẞ": "ß"}
"""Letters beyond ASCII in the scripts that have case: a database of PostgreSQL in the locale C knows none of them."""
_SPELLINGS: Final[dict[type[_Spelled], _Spellings]] = {
    _Unindexed: _Spellings("+({0})", "({0})"),
    _Ascending: _Spellings("{0}", "{0} NULLS FIRST"),
    _Descending: _Spellings("{0} DESC", "{0} DESC NULLS LAST"),
    _Greatest: _Spellings("max({0}, {1})", "greatest({0}, {1})"),
    _Place: _Spellings("instr({0}, {1})", "strpos({0}, {1})"),
    _Among: _Spellings(
        "{0} IN (SELECT CAST(value AS INTEGER) FROM json_each({1}))",
        "{0} = ANY (CAST(translate({1}, '[]', '{{}}') AS BIGINT[]))",
    ),
    _WholeNumber: _Spellings("CAST({0} AS INTEGER)", "CASE WHEN {0} ~ '^[0-9]{{1,18}}$' THEN CAST({0} AS BIGINT) END"),
    _PlainName: _Spellings("lower(ltrim({0}, '0'))", "lower(ltrim({0}, '0'))"),
    _Folded: _Spellings(
        "folded({0})",
        f"replace(translate(lower({{0}}), '{''.join(_FOLDED)}', '{''.join(_FOLDED.values())}'), 'ß', 'ss')",
    ),
    _LastDigits: _Spellings(f"substr({{0}}, -{ENDING_MIN})", f"right({{0}}, {ENDING_MIN})"),
    _TextOfBytes: _Spellings("CAST({0} AS TEXT)", "encode({0}, 'escape')"),
}


@compiles(_Spelled)
def _spell(element: _Spelled, compiler: SQLCompiler, **options: Any) -> str:  # noqa: ANN401 - options of all kinds
    parts = [compiler.process(part, **options) for part in element.clauses]
    spelling: str = getattr(_SPELLINGS[type(element)], compiler.dialect.name)
    return spelling.format(*parts)


def _typed(made: _Spelled, type_: TypeEngine[Any]) -> ColumnElement[Any]:
    made.type = type_
    return made


def _typed_alike(made: _Spelled) -> ColumnElement[Any]:
    return _typed(made, next(iter(made.clauses)).type)


def without_index(expression: SQLColumnExpression[Any]) -> ColumnElement[Any]:
    """Return an expression with an equal value, for which a planner without statistics uses no index."""
    return _typed_alike(_Unindexed(expression))


def in_order(expression: SQLColumnExpression[Any], *, is_descending: bool) -> ColumnElement[Any]:
    """Return a part of an ORDER BY. Null is before all values, as in SQLite."""
    made: Callable[..., _Spelled] = _Descending if is_descending else _Ascending
    return _typed_alike(made(expression))


def greatest(first: SQLColumnExpression[Any], second: SQLColumnExpression[Any]) -> ColumnElement[Any]:
    """Return an SQL expression for the greater of two numbers, neither of which is null."""
    return _typed_alike(_Greatest(first, second))


def place_of(part: SQLColumnExpression[str], text: SQLColumnExpression[str]) -> ColumnElement[int]:
    """Return an SQL expression for the place of a part in a text, counted from 1; 0 if it is not there."""
    return _typed(_Place(text, part), Integer())


def among(identity: SQLColumnExpression[int], ids: SQLColumnExpression[str]) -> ColumnElement[bool]:
    """Return the condition that an id is in a list of ids, which is a text of JSON."""
    return _typed(_Among(identity, ids), NullType())  # SQLite would compare a Boolean with 1, and use no index.


def whole_number(text: SQLColumnExpression[str]) -> ColumnElement[int]:
    """Return an SQL expression for the number that a text is. Texts that are no numbers give any number, or null."""
    return _typed(_WholeNumber(text), BigInteger())


def text_of_bytes(column: SQLColumnExpression[Any]) -> ColumnElement[str]:
    """Return an SQL expression for bytes as text; characters beyond ASCII may be escapes."""
    return _typed(_TextOfBytes(column), String())


def last_digits(number: SQLColumnExpression[str]) -> ColumnElement[str]:
    """Return an SQL expression for the last `ENDING_MIN` digits of a number."""
    return _typed(_LastDigits(number), String())


def plain_name(name: SQLColumnExpression[str]) -> ColumnElement[str]:
    """Return an SQL expression for the `dialer.domain.messages.carrier_names.plain_name` of a name in ASCII."""
    return _typed(_PlainName(name), String())


def folded(text: SQLColumnExpression[str]) -> ColumnElement[str]:
    """Return an SQL expression for a text without case, of all its letters."""
    return _typed(_Folded(text), String())


def name_key(name: SQLColumnExpression[Any]) -> ColumnElement[str]:
    """Return an SQL expression for the `dialer.domain.numbers.search_keys.name_key` of a name; empty for null."""
    return func.name_key(name, type_=String)


def bare_number(number: SQLColumnExpression[Any]) -> ColumnElement[str]:
    """Return an SQL expression for a number without its punctuation; empty for null."""
    return func.bare_number(number, type_=String)


def insert_or(table: Table) -> postgresql.Insert:
    """Return an INSERT that can say what happens on a conflict, which both databases spell alike."""
    return postgresql.insert(table)
