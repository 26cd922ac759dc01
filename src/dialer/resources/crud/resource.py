"""The definition of a resource: a row of the resource table.

The code that all resources share is in `records`, `pagination` and `controller`. A row declares the parts in which a
resource differs, as values and small functions.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

import msgspec
from sqlalchemy import Column, ColumnElement, Connection, RowMapping, Table
from sqlalchemy import Row as Found

from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.roles import Permission, Role, Scope
from dialer.resources.crud.columns import column_of
from dialer.resources.crud.fields import Conventions, Kind
from dialer.resources.crud.references import OwnUrl, Reference
from dialer.resources.crud.shapes import Field, Parsed, Shape, Shapes, fields_of
from dialer.resources.crud.urls import URL_PATHS
from dialer.resources.words.errors import Errors
from dialer.store.database.touched import EVERYTHING, NOTHING, Touched
from dialer.store.tables import Row

SHAPES_KEPT_MAX: Final = 1_024
"""Shapes whose columns and references are kept."""
Values = dict[str, Any]
"""The values of a record by the names of its fields, in the form in which columns hold them."""


class KeyInUse(msgspec.Struct, frozen=True):
    """The API key with which a request is authenticated."""

    id: int
    prefix: str
    scopes: frozenset[Scope]


class Actor(msgspec.Struct, frozen=True):
    """The authenticated user who makes a request."""

    id: int
    username: str
    role: Role
    manager_id: int | None = None
    """The user for whom this one works, if any."""
    key: KeyInUse | None = None
    """None if the request carries a password."""
    session_id: int | None = None
    """The session of the console in which the user acts, if any."""
    default_region: str = ""
    """The country of the user's numbers without one; empty for that of the service."""
    recordings: bool = False
    """True if an admin lets the user hear recordings of whole calls. Admins and managers need no such word."""

    @property
    def is_admin(self) -> bool:
        """Return whether the user sees the records of all users."""
        return self.role is Role.ADMIN

    @property
    def sees_as(self) -> int:
        """Return the id of the user whose records this one sees: a viewer sees those of the manager."""
        return self.manager_id or self.id if self.role is Role.VIEWER else self.id

    @property
    def view(self) -> str:
        """Return the kind of conditions that limit the user's queries; equal kinds share their queries."""
        return self.role if self.role in {Role.ADMIN, Role.AGENT} else Role.MANAGER

    def may(self, permission: Permission) -> bool:
        """Return whether the role, and the key if there is one, give a permission."""
        return permission.is_given(self.role, None if self.key is None else self.key.scopes, is_granted=self.recordings)


class Unit(UnitOfWork, frozen=True, kw_only=True):
    """The unit of work of a request: a use case's unit of work with the caller and the resource table."""

    actor: Actor
    conventions: Conventions
    resources: "Mapping[str, Resource]"


class Change(msgspec.Struct):
    """A record that is being created or changed.

    `values` is the whole record, and `given` names the fields that the request has. `stored` holds the earlier values,
    and is empty for a new record. The `record_id` of a new record is 0 until it is inserted.
    """

    unit: Unit
    values: Values
    given: frozenset[str]
    stored: Values
    record_id: int = 0
    revealed: Values = msgspec.field(default_factory=dict)
    """Fields that only the first answer to a creation shows, such as a secret. They are not stored anywhere."""

    @property
    def is_new(self) -> bool:
        """Return whether the record is being created."""
        return not self.stored

    def moves(self, name: str) -> bool:
        """Return whether the field gets a new value; it does in every new record."""
        return self.is_new or self.values[name] != self.stored[name]


class FieldRule(msgspec.Struct, frozen=True):
    """A rule across fields, or one that needs the database.

    `errors` gets the whole record and returns the errors. It is called only if all `fields` are valid by themselves.
    """

    fields: tuple[str, ...]
    errors: Callable[[Change], Errors]


class Association(msgspec.Struct, frozen=True):
    """A table that holds a list of references: the field, and the columns of the record and of the target."""

    field: str
    model: type[Row]
    owner: str
    target: str
    is_ordered: bool = False
    """True if the order of the references matters. A change of the order then writes all of them again."""


def no_columns(_: Change) -> Values:
    """Return no computed columns."""
    return {}


def no_duplicate(_unit: Unit, _columns: Values) -> None:
    """Return None: a new record never duplicates another."""


def no_check(_unit: Unit, _stored: Values) -> None:
    """Allow every deletion."""


def touches_nothing(_connection: Connection, _row: Values) -> Touched:
    """Return `NOTHING`, for a resource whose records the engine does not use."""
    return NOTHING


def touches_everything(_connection: Connection, _row: Values) -> Touched:
    """Return `EVERYTHING`, for a resource that does not say which records the engine must read again."""
    return EVERYTHING


class ExportedBeside(msgspec.Struct, frozen=True):
    """The fields that only exports have, after those of the answers in JSON."""

    fields: tuple[Field, ...]
    values: Callable[[Unit, Sequence[int]], Sequence[Sequence[Any]]]
    """Returns their values field by field, for the records with these ids, one or more."""


class AskedValue(msgspec.Struct, frozen=True, eq=False):
    """A value that no field shows and by which a list can be filtered, and the condition for it."""

    name: str
    kind: Kind
    condition: Callable[[Any], ColumnElement[bool]]
    description: str = ""
    """The description for the OpenAPI document; empty for a value of the campaigns of the records."""


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the resource table."""

    path: str
    shapes: Shapes
    owner: str | None = "user"
    """The field that decides the owner.

    It is `user`, a reference to a parent record, or `id` for the users themselves. None if all users share the records,
    which only admins write.
    """
    has_common_records: bool = False
    """True if records without a `user` belong to all: everybody reads them who reads the resource."""
    constants: tuple[tuple[str, str | None], ...] = ()
    """Columns with one fixed value in all rows of the resource, for resources that share a table."""
    filters: tuple[str, ...] = ()
    """The fields by which a list can be filtered, besides references, which always can."""
    conditions: tuple[tuple[str, Callable[[Any], ColumnElement[bool]]], ...] = ()
    """The fields without a column by which a list can be filtered, each with the condition for a value."""
    asked: tuple[AskedValue, ...] = ()
    """The values that no field shows and by which a list can be filtered."""
    orderings: tuple[str, ...] = ()
    """The fields by which a list can be ordered, besides the id. A large list has an index for each."""
    names: tuple[str, ...] = ()
    """The fields whose words `search` finds."""
    numbers: tuple[str, ...] = ()
    """The fields whose phone numbers `search` finds, in any spelling."""
    is_large: bool = False
    """True if the list can hold millions of records, so that every search and ordering needs an index."""
    users_alone_change_it: bool = False
    """True if no step of the worker inserts, deletes or changes records, so that dialling moves no count of a list."""
    admins_only: bool = False
    admins_write: bool = False
    """True if only admins write, while users read their own records."""
    reads: Permission = Permission.READ
    """The permission that reading needs. If it is `READ` and agents see some records, they may read, too."""
    writes: Permission = Permission.CAMPAIGNS
    """The permission that a write needs; `Permission.ADMIN` instead if only admins write."""
    is_personal: bool = False
    """True for records of callees: the audit log has no values of them, and no entries for new ones."""
    always_logged: frozenset[str] = frozenset()
    """The fields that the audit log has of every new record, also if the request does not give them."""
    agents_see: Callable[[ColumnElement[int]], ColumnElement[bool]] | None = None
    """Returns the condition under which a row is shown to an agent with this user id; None if no row is."""
    agents_change: frozenset[str] = frozenset()
    """The fields that agents may change in the rows that they see."""
    methods: frozenset[str] = frozenset({"POST", "PATCH", "DELETE"})
    """The methods that change records and that clients may use. PUT behaves like PATCH."""
    associations: tuple[Association, ...] = ()
    derived: Callable[[Unit, Sequence[RowMapping]], list[Values]] | None = None
    """Computes the values of the fields that no column holds, for each of some rows."""
    hidden: Callable[[RowMapping], Mapping[str, Any]] | None = None
    """Returns the fields of a row that only admins see, each with the value that others get."""
    rules: tuple[FieldRule, ...] = ()
    defaults: Callable[[Unit, Values], Values] | None = None
    """Computes the defaults that depend on the time, on the caller or on the given values."""
    prepare: Callable[[Parsed, Conventions], Parsed] | None = None
    """Replaces given values before the transaction, in a thread: for work that takes long, such as hashing."""
    columns: Callable[[Change], Values] = no_columns
    """Computes columns from the fields; these take precedence over the columns of the fields."""
    remarks: Callable[[Values, Conventions], Sequence[str]] | None = None
    """Returns the kinds of remarks on the fields that a request gives; they are stored, and the client is told."""
    first_like: Callable[[Unit, Values], int | None] = no_duplicate
    """Finds the id of the earliest record that a new one, given by its columns, duplicates; the client is told."""
    insert: Callable[[Change, Values], Found[Any]] | None = None
    """The use case that inserts columns and returns the row; without it, a plain insert."""
    update: Callable[[Change, Values], None] | None = None
    """The use case that writes columns; without it, a plain update."""
    takes_long: Callable[[Values], bool] = lambda _given: False
    """Returns whether a change of these fields writes hundreds of rows, so that others may pass it."""
    remove: Callable[[UnitOfWork, int], None] | None = None
    """The use case that deletes a record by its id; without it, a plain delete."""
    touches: Callable[[Connection, Values], Touched] = touches_everything
    """Returns the records that the engine must read again when a row is written; use cases note their own."""
    before_delete: Callable[[Unit, Values], None] = no_check
    """Raises an error if the record cannot be deleted."""
    deleted: str | None = None
    """The `data` of the answer to a deletion. If it is None, the answer is empty."""
    plain_array: bool = False
    """True if a list is a bare array of all records instead of a page."""
    exported: bool = False
    """True if clients can get a list as CSV or NDJSON."""
    exported_beside: ExportedBeside | None = None
    is_left_out: Callable[[Found[Any]], bool] | None = None
    """Tells whether files leave a record out, which lists have."""
    long_texts: frozenset[str] = frozenset()
    """Columns of texts so long that lists have them empty: the record alone shows them."""

    @property
    def model(self) -> type[Row]:
        """Return the model of the rows."""
        return self.shapes.model

    @property
    def read(self) -> type[Shape]:
        """Return the shape of the answers."""
        return self.shapes.read

    @property
    def write(self) -> type[Shape] | None:
        """Return the shape of creations; None for a resource that clients only read."""
        return self.shapes.write

    @property
    def is_written_by_admins(self) -> bool:
        """Return whether only admins write."""
        return self.admins_only or self.admins_write or self.owner is None

    def permission(self, method: str) -> Permission:
        """Return the permission that a request with this method needs."""
        if method == "GET":
            is_for_agents = self.agents_see is not None and self.reads is Permission.READ
            seen = Permission.READ_CALLS if is_for_agents else self.reads
            return Permission.READ_AS_ADMIN if self.admins_only else seen
        if self.agents_change and method in {"PATCH", "PUT"}:
            return Permission.WORK
        is_plain = self.writes is Permission.CAMPAIGNS
        return Permission.ADMIN if is_plain and self.is_written_by_admins else self.writes

    @property
    def table(self) -> Table:
        """Return the table of the rows."""
        return self.model.__table__

    @property
    def url(self) -> str:
        """Return the name that stands for the resource in the URLs of its records."""
        return URL_PATHS.get(self.path, self.path)

    def association(self, name: str) -> Association:
        """Return the table behind a field that is a list of references."""
        return next(association for association in self.associations if association.field == name)

    def column(self, field: Field) -> Column[Any] | None:
        """Return the column that holds a field; None for a list of references, which has a table of its own."""
        return column_of(self.table, field.name, field.kind)


@lru_cache(maxsize=SHAPES_KEPT_MAX)
def columns_of(table: Table, shape: type[Shape]) -> Sequence[tuple[str, Column[Any]]]:
    """Return the fields of a shape that a column of the table holds, with that column."""
    found = [(field.name, column_of(table, field.name, field.kind)) for field in fields_of(shape)]
    return [(name, column) for name, column in found if column is not None]


@lru_cache(maxsize=SHAPES_KEPT_MAX)
def references_of(shape: type[Shape]) -> Mapping[str, Reference]:
    """Return the fields of a shape that name other records, with their kinds."""
    kinds: Final = {field.name: field.kind for field in fields_of(shape)}
    return {name: kind for name, kind in kinds.items() if isinstance(kind, Reference) and not isinstance(kind, OwnUrl)}
