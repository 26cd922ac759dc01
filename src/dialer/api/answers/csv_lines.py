"""Lines of CSV, in which no cell is a formula of a spreadsheet program."""

import csv
import io
from collections.abc import Sequence
from typing import Final

import msgspec

from dialer.domain.formats.formula_guard import FORMULA_STARTS, GUARD, guard
from dialer.resources.crud.fields import Json
from dialer.resources.crud.shapes import Columns

_UNSAFE_STARTS: Final = FORMULA_STARTS | {GUARD}


def write_csv(columns: Columns) -> bytes:
    """Return one or more records, of two or more fields each, as lines of CSV (RFC 4180) in UTF-8."""
    rows = list(zip(*map(_cells, columns), strict=True))
    line = f"{','.join(['%s'] * len(columns))}\r\n"
    text = "".join([line % row for row in rows])
    # This is three times as fast as the csv module, with the same result: if the text has no quote, and no comma or
    # line end except those between cells, then no cell needs quotes.
    between = text.count(","), text.count("\r"), text.count("\n")
    if between == (len(rows) * (len(columns) - 1), len(rows), len(rows)) and '"' not in text:
        return text.encode()
    buffer = io.StringIO()
    csv.writer(buffer).writerows(rows)
    return buffer.getvalue().encode()


def _cells(values: Sequence[Json]) -> Sequence[str | int]:
    """Return the values of one field as cells of CSV."""
    types = set(map(type, values))
    if types == {int} or (types == {str} and _UNSAFE_STARTS.isdisjoint([text[:1] for text in values])):
        return values
    if types == {str}:
        return [guard(value) for value in values]
    return [_cell(value) for value in values]


def _cell(value: Json) -> str | int:
    """Return a value as in JSON, but strings without their quotes and guarded, and null as an empty cell."""
    if value is None:
        return ""
    if type(value) is int:
        return value
    return guard(value) if isinstance(value, str) else msgspec.json.encode(value).decode()
