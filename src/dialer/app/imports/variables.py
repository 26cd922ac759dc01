"""The variables of an imported contact: its columns, and the JSON object in a column `additional_vars`."""

import json
import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from dialer.app.imports.report import RowError
from dialer.domain.words.sentences import FieldName, Grouped, Sentence

VARIABLES_MAX: Final = 16_000
"""Maximum length of a contact's `additional_vars` as JSON text, in characters."""
OBJECT_COLUMN: Final = "additional_vars"
_encode: Final = msgspec.json.Encoder().encode
_ESCAPED_NUL: Final = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def cell_of(value: Any) -> str:  # noqa: ANN401 - a value of JSON
    """Return a variable as the cell of its own column in an export; null and a missing variable are empty."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Variables:
    """Columns of an import file that hold variables. `additional_vars` holds a JSON object of more variables.

    In an export, a column that has a variable of that object keeps its type, unless its cell was changed.
    """

    def __init__(self, columns: Sequence[tuple[int, str]], *, is_export: bool = False) -> None:
        """Take the position and the name of each column."""
        self._is_export = is_export
        self._columns = [(place, name) for place, name in columns if name.lower() != OBJECT_COLUMN]
        self._object = next((place for place, name in columns if name.lower() == OBJECT_COLUMN), None)

    def of(self, cells: Sequence[str]) -> str:
        """Return the variables of a row as JSON text.

        Raises:
            RowError: the column `additional_vars` is not a JSON object that can be stored, or the text is too long.
        """
        named = {name: cells[place] for place, name in self._columns}
        if self._object is None:
            text = _encode(named).decode()
        else:
            object_text = cells[self._object]
            variables = _read_object(object_text)
            if self._is_export:
                named = {name: cell for name, cell in named.items() if cell != cell_of(variables.get(name))}
            text = _compact({**variables, **named}, object_text)
        if len(text) > VARIABLES_MAX:
            raise RowError(
                OBJECT_COLUMN,
                Sentence(
                    "%(column)s: more than %(most)s characters",
                    column=FieldName(OBJECT_COLUMN),
                    most=Grouped(VARIABLES_MAX),
                ),
                text,
            )
        return text


def _read_object(text: str) -> dict[str, Any]:
    """Return the JSON object in a cell. An empty cell is an empty object."""
    if not text.strip():
        return {}
    try:
        variables = json.loads(text)
    except (ValueError, RecursionError):
        variables = None
    if not isinstance(variables, dict):
        raise _wrong(text)
    return variables


def _compact(variables: dict[str, Any], object_text: str) -> str:
    """Return variables as compact JSON text, in the form that the API stores."""
    try:
        text = json.dumps(variables, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        text.encode()
    except (ValueError, RecursionError):
        raise _wrong(object_text) from None
    if _ESCAPED_NUL.search(text):
        raise _wrong(object_text)
    return text


def _wrong(text: str) -> RowError:
    return RowError(
        OBJECT_COLUMN,
        Sentence("%(column)s: not a JSON object that can be stored", column=FieldName(OBJECT_COLUMN)),
        text,
    )
