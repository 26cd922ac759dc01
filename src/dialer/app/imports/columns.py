"""The names under which an import reads the columns of a file: pairs such as `Phone:contact,First:first_name`."""

import csv
from typing import Final

from dialer.app.errors import InvalidFieldsError
from dialer.app.imports.headers import COLUMN_NAME_MAX, COLUMNS_MAX
from dialer.domain.sentences import Sentence

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
        wrong = Sentence(
            "%(text)r cannot be read. Write pairs such as Phone:contact,First:first_name.", text=text[:COLUMN_NAME_MAX]
        )
        raise _wrong(wrong) from None
    if len(pairs) > COLUMNS_MAX:
        raise _wrong(Sentence("%(count)s pairs are given. Give at most %(most)s.", count=len(pairs), most=COLUMNS_MAX))
    columns: dict[str, str] = {}
    for pair in pairs:
        source, target = _pair(pair)
        if source.lower() in columns:
            raise _wrong(
                Sentence("The column %(source)r is named twice. Name each column of the file once.", source=source)
            )
        if target and target.lower() in {name.lower() for name in columns.values()}:
            raise _wrong(Sentence("Two columns are read as %(target)r. Give each another name.", target=target))
        columns[source.lower()] = target
    return columns


def _pair(pair: str) -> tuple[str, str]:
    source, colon, target = (part.strip() for part in pair.rpartition(":"))
    if not colon or not source:
        raise _wrong(
            Sentence("%(pair)r is no pair. Write the name in the file, a colon, and the name to read it as.", pair=pair)
        )
    if "\0" in target or len(target) > COLUMN_NAME_MAX:
        raise _wrong(
            Sentence(
                "The name after %(source)r has a NUL character or more than %(most)s characters.",
                source=source,
                most=COLUMN_NAME_MAX,
            )
        )
    return source, target


def _wrong(message: str) -> InvalidFieldsError:
    return InvalidFieldsError({FIELD: [message]})
