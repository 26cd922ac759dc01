"""The names under which an import reads the columns of a file: pairs such as `Phone:contact,First:first_name`."""

import csv
from typing import Final

from dialer.app.errors import InvalidFieldsError
from dialer.app.imports.headers import COLUMN_NAME_MAX, COLUMNS_MAX

FIELD: Final = "columns"


def parse_columns(text: str) -> dict[str, str]:
    """Return the new names of columns by their names in the file, in lower case; an empty name leaves a column out.

    A name with a comma stands in double quotes, as in CSV: `"City, State":city`.

    Raises:
        InvalidFieldsError: a pair is wrong, or a name occurs twice.
    """
    if not text.strip():
        return {}
    try:
        pairs = next(csv.reader([text], skipinitialspace=True))
    except (csv.Error, StopIteration):
        wrong = f"{text[:COLUMN_NAME_MAX]!r} cannot be read. Write pairs such as Phone:contact,First:first_name."
        raise _wrong(wrong) from None
    if len(pairs) > COLUMNS_MAX:
        raise _wrong(f"{len(pairs)} pairs are given. Give at most {COLUMNS_MAX}.")
    columns: dict[str, str] = {}
    for pair in pairs:
        source, target = _pair(pair)
        if source.lower() in columns:
            raise _wrong(f"The column {source!r} is named twice. Name each column of the file once.")
        if target and target.lower() in {name.lower() for name in columns.values()}:
            raise _wrong(f"Two columns are read as {target!r}. Give each another name.")
        columns[source.lower()] = target
    return columns


def _pair(pair: str) -> tuple[str, str]:
    source, colon, target = (part.strip() for part in pair.rpartition(":"))
    if not colon or not source:
        raise _wrong(f"{pair!r} is no pair. Write the name in the file, a colon, and the name to read it as.")
    if "\0" in target or len(target) > COLUMN_NAME_MAX:
        raise _wrong(f"The name after {source!r} has a NUL character or more than {COLUMN_NAME_MAX} characters.")
    return source, target


def _wrong(message: str) -> InvalidFieldsError:
    return InvalidFieldsError({FIELD: [message]})
