"""Variables of contacts as columns of an export: `?variables=city,plan` adds them after all other columns."""

import csv
import json
from collections.abc import Sequence
from typing import Any

import msgspec

from dialer.app.imports.headers import COLUMN_NAME_MAX, COLUMNS_MAX
from dialer.app.imports.variables import OBJECT_COLUMN, cell_of
from dialer.domain.formats.formula_guard import guard
from dialer.resources.crud.fields import Json
from dialer.resources.crud.pagination import VARIABLES
from dialer.resources.crud.shapes import Columns, Shape, fields_of
from dialer.resources.words.errors import InvalidError


def variable_names(text: str, shape: type[Shape]) -> list[str]:
    """Return the names of variables in a parameter, which are separated as in CSV.

    Raises:
        InvalidError: a name cannot be the name of a further column, or the records have no variables.
    """
    columns = [field.name for field in fields_of(shape)]
    if OBJECT_COLUMN not in columns:
        raise InvalidError({VARIABLES: ["These records have no variables. Leave the parameter out."]})
    try:
        names = next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error:
        names = [""]
    taken = {name.lower() for name in columns}
    for name in names:
        if not name or name != name.strip() or guard(name) != name or len(name) > COLUMN_NAME_MAX or "\0" in name:
            raise InvalidError({VARIABLES: [f"{name[:COLUMN_NAME_MAX]!r} cannot be the name of a column."]})
        if name.lower() in taken:
            raise InvalidError({VARIABLES: [f"There is a column {name!r} already. Name each variable once."]})
        taken.add(name.lower())
    if len(taken) > COLUMNS_MAX:
        raise InvalidError({VARIABLES: [f"Name at most {COLUMNS_MAX - len(columns)} variables."]})
    return names


def with_variables(columns: Columns, names: Sequence[str], shape: type[Shape]) -> Columns:
    """Return the columns of records with a further one for each variable."""
    place = [field.name for field in fields_of(shape)].index(OBJECT_COLUMN)
    objects = [_object(one) for one in columns[place]]
    return [*columns, *([cell_of(one.get(name)) for one in objects] for name in names)]


def _object(shown: Json) -> dict[str, Any]:
    """Return the variables of a record, whose answer has them as text or as an object that is encoded already."""
    text = bytes(shown) if isinstance(shown, msgspec.Raw) else str(shown)
    found = json.loads(text) if text else {}
    return found if isinstance(found, dict) else {}
