"""The columns that hold the fields of records."""

from typing import Any

from sqlalchemy import Column, Table

from dialer.resources.crud.fields import Integer, Kind, Text
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.references import OwnUrl, Reference, ReferenceList


def column_of(table: Table, name: str, kind: Kind) -> Column[Any] | None:
    """Return the column of a field; None for a list of references.

    It is the column that the kind names, else `<name>_id` for a reference, else the column with the name of the field.
    """
    if isinstance(kind, ReferenceList):
        return None
    if isinstance(kind, OwnUrl):
        return table.c["id"]
    declared = kind.column if isinstance(kind, (Integer, Reference, Text, Timestamp)) else ""
    candidates = (declared, f"{name}_id" if isinstance(kind, Reference) else "", name)
    return next(table.c[candidate] for candidate in candidates if candidate in table.c)
