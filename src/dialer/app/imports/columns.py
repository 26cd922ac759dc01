"""The names under which an import reads the columns of a file: pairs such as `Phone:contact,First:first_name`."""

import csv
from typing import Final, NamedTuple

from dialer.app.imports.column_roles import AREA_CODE, COUNTRY_CODE, NO_ROLES, NUMBER_TARGETS, ROLE_TARGETS, ColumnRoles
from dialer.app.imports.headers import COLUMN_NAME_MAX, COLUMNS_MAX
from dialer.app.work.errors import InvalidFieldsError
from dialer.domain.words.sentences import Sentence

FIELD: Final = "columns"


class ColumnNames(NamedTuple):
    """The new names of columns by their names in the file, in lower case, and the columns with a role."""

    renamed: dict[str, str]
    """An empty name leaves a column out."""
    roles: ColumnRoles


def parse_columns(text: str) -> ColumnNames:
    """Return the meanings of columns by name, from a text such as `tel:contact,city:city`.

    A name with a comma stands in double quotes, as in CSV: `"City, State":city`. Several columns may have the numbers:
    the later ones are read where the earlier ones have none.

    Raises:
        InvalidFieldsError: a pair is wrong, or a name occurs twice.
    """
    if not text.strip():
        return ColumnNames({}, NO_ROLES)
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
    roles = NO_ROLES
    for pair in pairs:
        source, target = _pair(pair)
        if source.lower() in columns or source.lower() in roles.names:
            raise _wrong(
                Sentence("The column %(source)r is named twice. Name each column of the file once.", source=source)
            )
        is_taken = bool(target) and target.lower() in {name.lower() for name in columns.values()}
        if target in ROLE_TARGETS or (is_taken and target in NUMBER_TARGETS):
            roles = _with_role(roles, source, target)
        elif is_taken:
            raise _twice(target)
        else:
            columns[source.lower()] = target
    return ColumnNames(columns, roles)


def _with_role(roles: ColumnRoles, source: str, target: str) -> ColumnRoles:
    if (target == COUNTRY_CODE and roles.country is not None) or (target == AREA_CODE and roles.area is not None):
        raise _twice(target)
    return roles.with_role(source, target)


def _twice(target: str) -> InvalidFieldsError:
    return _wrong(Sentence("Two columns are read as %(target)r. Give each another name.", target=target))


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
