"""The references between tables, and the trials of campaigns that refer to a record which is deleted.

No resource shows a trial, so no error could name it, and nobody could take the record out of it.
"""

from typing import Any

from sqlalchemy import ColumnElement, ForeignKeyConstraint, Table, and_

from dialer.app.campaigns.delete import TRIALS_AT_ONCE, delete_some_trials, delete_trials
from dialer.app.work.touched_records import names_dnc
from dialer.resources.crud.resource import Unit, Values
from dialer.store.tables import Campaign, DncList


def keys_of(table: Table) -> list[ForeignKeyConstraint]:
    """Return the foreign keys of a table, in the order of their columns."""
    return sorted(
        table.foreign_key_constraints, key=lambda key: [table.c.keys().index(name) for name in key.column_keys]
    )


def refers(key: ForeignKeyConstraint, stored: Values) -> ColumnElement[bool]:
    """Return the condition that a row refers to this one by a foreign key."""
    return and_(*(part.parent == stored[part.column.name] for part in key.elements))


def is_named_by_trials(table: Table) -> bool:
    """Return whether trials may keep a record of a table from being deleted."""
    return table is DncList.__table__ or bool(_restricting(table))


def delete_trials_with(unit: Unit, table: Table, stored: Values) -> None:
    """Delete the trials of campaigns that need this row.

    Raises:
        RefusedError: one of them has not ended, or they are more than `TRIALS_AT_ONCE`.
    """
    for key in _restricting(table):
        delete_trials(unit, refers(key, stored))


def delete_some_trials_with(unit: Unit, table: Table, stored: Values) -> bool:
    """Delete some of the trials of campaigns that need this row; return whether more may be left.

    Raises:
        RefusedError: one of them has not ended.
    """
    conditions = [refers(key, stored) for key in _restricting(table)]
    if table is DncList.__table__:
        conditions.append(names_dnc(stored["id"]))
    return any(delete_some_trials(unit, condition) == TRIALS_AT_ONCE for condition in conditions)


def _restricting(table: Table) -> list[Any]:
    keys = keys_of(Campaign.__table__)
    return [key for key in keys if key.referred_table is table and key.ondelete == "RESTRICT"]
