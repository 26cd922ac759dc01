"""The variables of an imported contact: its columns, and the JSON object in a column `additional_vars`."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from dialer.app.import_report import RowError

VARIABLES_MAX: Final = 16_000
"""The most characters of a contact's `additional_vars` as JSON text."""
OBJECT_COLUMN: Final = "additional_vars"
_ESCAPED_NUL: Final = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


class Variables:
    """The columns of a file that hold variables; a column `additional_vars` holds an object of further variables."""

    def __init__(self, columns: Sequence[tuple[int, str]]) -> None:
        """Take the places and the names of the columns."""
        self._columns = [(place, name) for place, name in columns if name.lower() != OBJECT_COLUMN]
        self._object = next((place for place, name in columns if name.lower() == OBJECT_COLUMN), None)

    def of(self, cells: Sequence[str]) -> str:
        """Return the variables of a row as JSON text.

        Raises:
            RowError: the object is invalid, or the text is too long.
        """
        named = {name: cells[place] for place, name in self._columns}
        if self._object is None:
            text = msgspec.json.encode(named).decode()
        else:
            given = cells[self._object]
            text = _compact({**_read_object(given), **named}, given)
        if len(text) > VARIABLES_MAX:
            raise RowError(OBJECT_COLUMN, f"{OBJECT_COLUMN}: more than {VARIABLES_MAX:,} characters", text)
        return text


def _read_object(text: str) -> dict[str, Any]:
    """Return the object in a cell; an empty cell is an empty object."""
    if not text.strip():
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise _wrong(text)
    return found


def _compact(variables: dict[str, Any], given: str) -> str:
    """Return variables in the form in which the API stores them."""
    try:
        text = json.dumps(variables, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        text.encode()
    except (ValueError, RecursionError):
        raise _wrong(given) from None
    if _ESCAPED_NUL.search(text):
        raise _wrong(given)
    return text


def _wrong(text: str) -> RowError:
    return RowError(OBJECT_COLUMN, f"{OBJECT_COLUMN}: not a JSON object that can be stored", text)
