"""What a resource is: a row of the resource table.

Everything that all resources have in common is in `records`, `listing` and `controller`; what is special to one is said
here, in its row, by values and by a few small functions.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Column, Connection, RowMapping, Table
from sqlalchemy import Row as Found

from dialer.api.crud.fields import Conventions, Integer, Kind, Text
from dialer.api.crud.moments import Timestamp
from dialer.api.crud.references import OwnUrl, Reference, ReferenceList
from dialer.api.crud.shapes import Field, Shape, Shapes, fields_of
from dialer.api.crud.urls import URL_PATHS
from dialer.api.http.errors import Errors
from dialer.app.unit import UnitOfWork
from dialer.store.tables import Row
from dialer.store.touched import EVERYTHING, NOTHING, Touched

Values = dict[str, Any]
"""A record by the names of its fields, each value as it is stored."""


class Actor(msgspec.Struct, frozen=True):
    """Who is asking."""

    id: int
    username: str
    is_admin: bool


class Unit(UnitOfWork, frozen=True, kw_only=True):
    """The unit of work of a request: besides a use case's, its caller and the resource table."""

    actor: Actor
    conventions: Conventions
    resources: "Mapping[str, Resource]"


class Change(msgspec.Struct):
    """A record that is being created or changed.

    `values` is the whole of it, `given` names the fields that the request has, and `stored` is what was there before;
    empty for a new record, whose `record_id` is 0 until it is inserted.
    """

    unit: Unit
    values: Values
    given: frozenset[str]
    stored: Values
    record_id: int = 0

    @property
    def is_new(self) -> bool:
        """Whether the record is being created."""
        return not self.stored

    def moves(self, name: str) -> bool:
        """Whether the field gets another value than it had."""
        return self.is_new or self.values[name] != self.stored[name]


class Rule(msgspec.Struct, frozen=True):
    """A rule across fields, or one that needs the database.

    It is asked only when all its `fields` are right by themselves, with the whole record, and yields the errors.
    """

    fields: tuple[str, ...]
    errors: Callable[[Change], Errors]


class Association(msgspec.Struct, frozen=True):
    """A table that holds a list of references: of which field, and which of its columns name record and target."""

    field: str
    model: type[Row]
    owner: str
    target: str


def no_columns(_: Change) -> Values:
    """The columns that follow from others, where none do."""
    return {}


def no_duplicate(_unit: Unit, _columns: Values) -> None:
    """Find no record that a new one repeats, where records may be alike."""


def no_check(_unit: Unit, _stored: Values) -> None:
    """What must be so before a delete, where nothing must."""


def touches_nothing(_connection: Connection, _row: Values) -> Touched:
    """Return what the engine must read again after a change of records that it does not know."""
    return NOTHING


def touches_everything(_connection: Connection, _row: Values) -> Touched:
    """Return what the engine must read again where nobody said it."""
    return EVERYTHING


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the resource table."""

    path: str
    model: type[Row]
    shapes: Shapes
    owner: str | None = "user"
    """The field by which a record belongs to a user: `user`, a reference to a record that belongs to one, `id` for the
    users themselves; None for what all users share, which only admins write."""
    constants: tuple[tuple[str, str], ...] = ()
    """Columns, and the value that each has in all rows of the resource, where it shares its table with another."""
    filters: tuple[str, ...] = ()
    """The fields that select besides references, which all do."""
    admins_only: bool = False
    admins_write: bool = False
    """Whether only admins write, while users read what is theirs."""
    methods: frozenset[str] = frozenset({"POST", "PATCH", "DELETE"})
    """Of these, those a writable resource has. PUT is as PATCH."""
    associations: tuple[Association, ...] = ()
    derived: Callable[[Unit, Sequence[RowMapping]], list[Values]] | None = None
    """The stored values of the fields that no column holds, for each of some rows."""
    rules: tuple[Rule, ...] = ()
    defaults: Callable[[Unit, Values], Values] | None = None
    """The defaults that depend on the time, on the caller or on what was given."""
    columns: Callable[[Change], Values] = no_columns
    """Columns that are computed from the fields; they win over the fields' own."""
    first_like: Callable[[Unit, Values], int | None] = no_duplicate
    """The id of the first record that a new one, given by its columns, repeats. The client is told, and may refuse."""
    insert: Callable[[Change, Values], Found[Any]] | None = None
    """The use case that inserts columns and returns the row; without it, a plain insert."""
    update: Callable[[Change, Values], None] | None = None
    """The use case that writes columns; without it, a plain update."""
    remove: Callable[[UnitOfWork, int], None] | None = None
    """The use case that deletes a record by its id; without it, a plain delete."""
    touches: Callable[[Connection, Values], Touched] = touches_everything
    """The records that the engine must read again when such a row is written; use cases note their own."""
    before_delete: Callable[[Unit, Values], None] = no_check
    """Raises an error where the record cannot go."""
    deleted: str | None = None
    """The `data` of the answer to a delete; without it the answer is empty."""
    plain_array: bool = False
    """Whether a list is a bare array of all records instead of a page."""
    exported: bool = False
    """Whether a list may be asked for as CSV or NDJSON."""

    @property
    def read(self) -> type[Shape]:
        """The shape of its answers."""
        return self.shapes.read

    @property
    def write(self) -> type[Shape] | None:
        """The shape of its creations; None for a resource that clients only read."""
        return self.shapes.write

    @property
    def is_written_by_admins(self) -> bool:
        """Whether only admins write."""
        return self.admins_only or self.admins_write or self.owner is None

    @property
    def table(self) -> Table:
        """The table of its rows."""
        return table_of(self.model)

    @property
    def url(self) -> str:
        """The path in the URLs of its records."""
        return URL_PATHS.get(self.path, self.path)

    def association(self, name: str) -> Association:
        """The table behind a field that is a list of references."""
        return next(association for association in self.associations if association.field == name)

    def column(self, field: Field) -> Column[Any] | None:
        """The column that holds a field; None for a list of references, which has a table of its own."""
        return column_of(self.table, field.name, field.kind)


def table_of(model: type[Row]) -> Table:
    """The table of a model, for Core statements."""
    table = model.__table__
    if not isinstance(table, Table):
        raise TypeError(f"{model.__name__} is not a table")
    return table


def column_of(table: Table, name: str, kind: Kind) -> Column[Any] | None:
    """The column of a field: the one that its kind says, or `<name>_id` for a reference, or of the same name."""
    if isinstance(kind, ReferenceList):
        return None
    if isinstance(kind, OwnUrl):
        return table.c["id"]
    said = kind.column if isinstance(kind, (Integer, Reference, Text, Timestamp)) else ""
    candidates = (said, f"{name}_id" if isinstance(kind, Reference) else "", name)
    return next(table.c[candidate] for candidate in candidates if candidate in table.c)


def references_of(shape: type[Shape]) -> dict[str, Reference]:
    """The fields of a shape that name other records, and what they name."""
    found: Final = {field.name: field.kind for field in fields_of(shape)}
    return {name: kind for name, kind in found.items() if isinstance(kind, Reference) and not isinstance(kind, OwnUrl)}
