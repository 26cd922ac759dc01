"""Units of work on one record of any resource: read, create, change, delete.

Each function runs on one transaction (`Unit`). `dialer.api.http.error_answers` answers the errors that they raise.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import (
    Column,
    ColumnElement,
    Select,
    Table,
    bindparam,
    delete,
    insert,
    select,
    update,
)
from sqlalchemy import Row as Found
from sqlalchemy.sql.dml import ReturningInsert

from dialer.app.work.errors import USERS_NAMED_MAX, ErrorCode
from dialer.domain.words.roles import Role
from dialer.domain.words.sentences import Sentence
from dialer.resources.crud.audit_log import note_changed, note_created, note_deleted
from dialer.resources.crud.derived_columns import columns_of_derived, derived_columns
from dialer.resources.crud.ownership import field_of_owner, named_errors, refuse_to_part, still_used
from dialer.resources.crud.resource import Change, Resource, Unit, Values, columns_of
from dialer.resources.crud.shapes import Access, Columns, Parsed, Shape, fields_of, missing, shapes_of, show_all
from dialer.resources.crud.trial_references import delete_trials_with, keys_of, refers
from dialer.resources.crud.versions import digest, version_of
from dialer.resources.crud.visibility import visible
from dialer.resources.words.errors import ConflictError, Errors, InvalidError, RecordNotFoundError
from dialer.resources.words.preconditions import UNCONDITIONAL, EntityTag, Preconditions
from dialer.store.tables import Row

FIXED: Final = "This field may not be changed."
NOT_AN_AGENTS: Final = "An agent may change only {}. Ask your manager to change this field."
SHAPES_MAX: Final = 256


def read_record(unit: Unit, resource: Resource, record_id: int) -> Shape:
    """Return a record as an answer.

    Raises:
        RecordNotFoundError: the record does not exist, or the caller may not see it.
    """
    return shown(unit, resource, [_row(unit, resource, record_id)])[0]


def require_seen(unit: Unit, resource: Resource, record_id: int) -> None:
    """Check that a record exists and is visible to the caller.

    Raises:
        RecordNotFoundError: the record does not exist, or the caller may not see it.
    """
    _row(unit, resource, record_id)


class Tagged(NamedTuple):
    """A record as the JSON of an answer, with its entity tag."""

    content: bytes
    tag: EntityTag


def read_tagged(unit: Unit, resource: Resource, record_id: int) -> Tagged:
    """Return a record as the JSON of an answer, with its entity tag.

    Raises:
        RecordNotFoundError: the record does not exist, or the caller may not see it.
    """
    return _tagged(unit, resource, _row(unit, resource, record_id))


def _tagged(unit: Unit, resource: Resource, row: Found[Any]) -> Tagged:
    stored = _columns_of(unit, resource, resource.read, [row])
    record = shapes_of(resource.read, show_all(resource.read, stored, unit.conventions.links))[0]
    content = msgspec.json.encode(record)
    version = version_of(resource, {name: values[0] for name, values in stored.items()})
    return Tagged(content, EntityTag(version, digest(content)))


def tag_of(unit: Unit, resource: Resource, record_id: int) -> EntityTag:
    """Return the entity tag of a record after a write, which has the version only.

    Raises:
        RecordNotFoundError: the record does not exist, or the caller may not see it.
    """
    return EntityTag(version_of(resource, load(unit, resource, record_id)))


def shown(unit: Unit, resource: Resource, rows: Sequence[Found[Any]]) -> list[Shape]:
    """Return rows of the resource's table as answers."""
    return shapes_of(resource.read, shown_columns(unit, resource, rows))


def shown_columns(unit: Unit, resource: Resource, rows: Sequence[Found[Any]]) -> Columns:
    """Return the values of answers column by column, which is fastest for many rows."""
    if not rows:
        return [()] * len(fields_of(resource.read))
    return show_all(resource.read, _columns_of(unit, resource, resource.read, rows), unit.conventions.links)


@lru_cache(maxsize=SHAPES_MAX)
def columns_shown(resource: Resource) -> tuple[Column[Any], ...]:
    """Return the columns that an answer needs, including the id."""
    if resource.derived is not None:
        return tuple(resource.table.c)
    single, _ = _places(resource, resource.read)
    needed = ["id", *(column for _, column in single), *columns_of_derived(resource)]
    return tuple(resource.table.c[name] for name in dict.fromkeys(needed))


class Created(NamedTuple):
    """A new record as an answer, its id, and the id of the earliest record that it duplicates, if any."""

    record_id: int
    answer: Tagged
    duplicate_of: int | None
    revealed: Values
    """Fields that only this answer may show."""


def planned_record(unit: Unit, resource: Resource, parsed: Parsed) -> tuple[Change, Values]:
    """Return a new record and its columns, without writing it; raises InvalidError if fields are wrong."""
    change = Change(unit, _with_defaults(unit, resource, parsed), frozenset(parsed.values), {})
    errors = {**missing(_write(resource), (*parsed.errors, *change.values)), **parsed.errors}
    _judge(resource, change, errors)
    stamp = {"created_date": unit.now_ms, "updated_date": unit.now_ms}
    return change, {**_columns(resource, change), **_present(resource.table, stamp)}


def create_record(unit: Unit, resource: Resource, parsed: Parsed) -> Created:
    """Insert a record and return it.

    Raises:
        InvalidError: one or more fields are wrong.
        ConflictError: the record duplicates another one, and the client prefers strict handling.
    """
    change, columns = planned_record(unit, resource, parsed)
    duplicate_of = resource.first_like(unit, columns)
    if duplicate_of is not None and unit.conventions.is_strict:
        first = unit.conventions.links.record(resource.path, duplicate_of)
        raise ConflictError(
            Sentence(
                "This record repeats %(first)s. Change that record, or send this without handling=strict.", first=first
            ),
            code=ErrorCode.ALREADY_EXISTS,
        )
    row = _insert(resource, change, columns)
    change.record_id = row.id
    _write_associations(resource, change)
    note_created(change, resource, {**columns, **row._mapping})  # noqa: SLF001 - SQLAlchemy documents it
    return Created(row.id, _tagged(unit, resource, row), duplicate_of, change.revealed)


def change_record(
    unit: Unit, resource: Resource, record_id: int, parsed: Parsed, conditions: Preconditions = UNCONDITIONAL
) -> None:
    """Write the fields of a request to a record, and keep all other fields.

    Raises:
        RecordNotFoundError: the record does not exist, or the caller may not see it.
        PreconditionFailedError: the record is not in the state that the conditions require.
        InvalidError: fields of the changed record are wrong.
    """
    change = planned_change(unit, resource, record_id, parsed, conditions)
    columns = {**_columns(resource, change), **_present(resource.table, {"updated_date": unit.now_ms})}
    _write_associations(resource, change)
    _update(resource, change, columns)
    refuse_to_part(resource, change)
    note_changed(change, resource)


def planned_change(
    unit: Unit, resource: Resource, record_id: int, parsed: Parsed, conditions: Preconditions = UNCONDITIONAL
) -> Change:
    """Return a change of a record that may be written, without writing it. The errors are those of `change_record`."""
    stored = load(unit, resource, record_id)
    check_version(resource, stored, conditions)
    change = Change(unit, {**stored, **parsed.values}, frozenset(parsed.values), stored, record_id)
    errors = {**parsed.errors, **_fixed_errors(resource, change), **_errors_of_agent(resource, change)}
    _judge(resource, change, errors)
    return change


def delete_record(unit: Unit, resource: Resource, record_id: int, conditions: Preconditions = UNCONDITIONAL) -> None:
    """Delete a record and the records that are part of it.

    Raises:
        RecordNotFoundError: the record does not exist, or the caller may not see it.
        PreconditionFailedError: the record is not in the state that the conditions require.
        StillUsedError: another record needs it.
        RefusedError: its state forbids the deletion.
    """
    if conditions is UNCONDITIONAL:
        stored = _row(unit, resource, record_id)._asdict()
    else:
        stored = load(unit, resource, record_id)
        check_version(resource, stored, conditions)
    resource.before_delete(unit, stored)
    refuse_if_needed(unit, resource.table, stored)
    delete_trials_with(unit, resource.table, stored)
    if resource.remove is not None:
        resource.remove(unit, record_id)
        note_deleted(unit, resource, record_id, stored)  # It may have refused, and the work go on without it.
        return
    note_deleted(unit, resource, record_id, stored)
    touched = resource.touches(unit.connection, stored)
    unit.connection.execute(delete(resource.table).where(*_is_record(resource, record_id)))
    unit.note(touched)


def check_version(resource: Resource, stored: Values, conditions: Preconditions) -> None:
    """Raise if a record, by its stored values, is not the version that a request means."""
    if conditions is not UNCONDITIONAL:
        conditions.check(EntityTag(version_of(resource, stored)))


def load(unit: Unit, resource: Resource, record_id: int) -> Values:
    """Return the stored values of a record: every column, and each field that a request may give.

    Raises:
        RecordNotFoundError: the record does not exist, or the caller may not see it.
    """
    row = _row(unit, resource, record_id)
    columns = _columns_of(unit, resource, _write(resource), [row])
    return {**row._asdict(), **{name: values[0] for name, values in columns.items()}}


def refuse_if_needed(unit: Unit, table: Table, stored: Values) -> None:
    """Raise `StillUsedError` if rows of other tables need this row; the error names them."""
    keys = [(other, key) for other in Row.metadata.sorted_tables for key in keys_of(other)]
    needing = [(other, key) for other, key in keys if key.referred_table is table and key.ondelete == "RESTRICT"]
    _refuse_while_used(chain.from_iterable(_selected(unit, other, refers(key, stored)) for other, key in needing))


def refuse_while_in(unit: Unit, table: Table, condition: ColumnElement[bool]) -> None:
    """Raise `StillUsedError` if the condition selects rows of a table; the error names them."""
    refuse_while_any(unit, [(table, condition)])


def refuse_while_any(unit: Unit, conditions: Iterable[tuple[Table, ColumnElement[bool]]]) -> None:
    """Raise `StillUsedError` if a condition selects rows of its table; the error names all of them."""
    _refuse_while_used(chain.from_iterable(_selected(unit, table, condition) for table, condition in conditions))


def _selected(unit: Unit, table: Table, condition: ColumnElement[bool]) -> Iterator[tuple[str, list[int]]]:
    """Yield the ids of the selected rows by the path of their resource; two resources may share a table."""
    for resource in unit.resources.values():
        if resource.table is table:
            constants = [table.c[column] == value for column, value in resource.constants]
            query = select(table.c["id"]).where(condition, *constants).limit(USERS_NAMED_MAX + 1)
            yield resource.path, list(unit.connection.execute(query).scalars())


def _refuse_while_used(users: Iterable[tuple[str, list[int]]]) -> None:
    used = still_used(users)
    if used is not None:
        raise used


def _is_record(resource: Resource, record_id: int) -> list[ColumnElement[bool]]:
    """Return the conditions that a row is this record. Two resources may share a table and have equal ids."""
    table = resource.table
    return [table.c["id"] == record_id, *(table.c[column] == value for column, value in resource.constants)]


def _write(resource: Resource) -> type[Shape]:
    if resource.write is None:
        raise TypeError(f"{resource.path} is only read")
    return resource.write


def _row(unit: Unit, resource: Resource, record_id: int) -> Found[Any]:
    row = unit.connection.execute(
        _select(unit, resource), {"actor_id": unit.actor.sees_as, "record_id": record_id}
    ).first()
    if row is None:
        raise RecordNotFoundError
    return row


_kept: Final[dict[tuple[str, str], Select[Any]]] = {}
"""The queries of one record, by the path of the resource and the view of the caller."""


def _select(unit: Unit, resource: Resource) -> Select[Any]:
    shape = (resource.path, unit.actor.view)
    if shape not in _kept:
        is_seen = visible(resource, unit.actor, unit.resources)
        _kept[shape] = select(resource.table).where(resource.table.c["id"] == bindparam("record_id"), is_seen)
    return _kept[shape]


def _insert(resource: Resource, change: Change, columns: Values) -> Found[Any]:
    if resource.insert is not None:
        return resource.insert(change, columns)
    connection = change.unit.connection
    row = connection.execute(_insertion(resource.table), columns).one()
    change.unit.note(resource.touches(connection, row._asdict()))
    return row


def _update(resource: Resource, change: Change, columns: Values) -> None:
    if resource.update is not None:
        resource.update(change, columns)
        return
    connection, table = change.unit.connection, resource.table
    connection.execute(update(table).where(*_is_record(resource, change.record_id)).values(columns))
    before, after = change.stored, {**change.stored, **columns}
    change.unit.note(resource.touches(connection, before) | resource.touches(connection, after))


@lru_cache(maxsize=SHAPES_MAX)
def _insertion(table: Table) -> ReturningInsert[Any]:
    return insert(table).returning(*table.c)


def _columns_of(
    unit: Unit, resource: Resource, shape: type[Shape], rows: Sequence[Found[Any]]
) -> dict[str, Sequence[Any]]:
    """Return the values of each field of a shape for one or more rows, including reference lists and derived fields."""
    single, lists = _places(resource, shape)
    stored: dict[str, Sequence[Any]] = dict(zip(rows[0]._fields, zip(*rows, strict=True), strict=True))
    columns = {name: stored[column] for name, column in single}
    for name in lists:
        listed = _listed(unit, resource, name, stored["id"])
        columns[name] = [tuple(listed.get(identity, ())) for identity in stored["id"]]
    if shape is resource.read and resource.shapes.derived:
        columns |= derived_columns(unit, resource, rows)
    if resource.hidden is not None and not unit.actor.is_admin:
        hidden = [resource.hidden(row._mapping) for row in rows]  # noqa: SLF001 - SQLAlchemy documents it
        for name in columns.keys() & frozenset().union(*hidden):
            columns[name] = [before.get(name, value) for before, value in zip(hidden, columns[name], strict=True)]
    return columns


@lru_cache(maxsize=SHAPES_MAX)
def _places(resource: Resource, shape: type[Shape]) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Return the pairs of field and column of a shape, and the names of the fields that are lists of references."""
    fields = [field for field in fields_of(shape) if field.access is not Access.DERIVED]
    columns = {field.name: resource.column(field) for field in fields}
    single = tuple((name, column.name) for name, column in columns.items() if column is not None)
    return single, tuple(name for name, column in columns.items() if column is None)


def _listed(unit: Unit, resource: Resource, name: str, ids: Sequence[int]) -> dict[int, list[int]]:
    association = resource.association(name)
    table = association.model.__table__
    owner, target = table.c[association.owner], table.c[association.target]
    query = select(owner, target).where(owner.in_(ids)).order_by(table.c["id"])
    targets: dict[int, list[int]] = {}
    for owner_id, target_id in unit.connection.execute(query):
        targets.setdefault(owner_id, []).append(target_id)
    return targets


def _with_defaults(unit: Unit, resource: Resource, parsed: Parsed) -> Values:
    """Return the known values of a new record; a field without a value and a default is left out."""
    fields = fields_of(_write(resource))
    values = {field.name: field.default for field in fields if not field.required}
    values.update({field.name: unit.actor.id for field in fields if _is_owner(resource, field.name)})
    values.update(parsed.values)
    return values | resource.defaults(unit, parsed.values) if resource.defaults else values


def _is_owner(resource: Resource, name: str) -> bool:
    """Return whether the field names the user who owns the record; the caller is its default."""
    return resource.owner == "user" and not resource.is_written_by_admins and field_of_owner(resource) == name


def _judge(resource: Resource, change: Change, errors: Errors) -> None:
    """Add the errors of references and rules, and raise `InvalidError` if there are any.

    A rule is checked only if its fields have no errors.
    """
    for name, messages in named_errors(resource, change).items():
        errors.setdefault(name, messages)
    for rule in resource.rules:
        if not any(name in errors for name in rule.fields):
            for name, messages in rule.errors(change).items():
                errors.setdefault(name, []).extend(messages)
    if errors:
        raise InvalidError(errors)


def _fixed_errors(resource: Resource, change: Change) -> Errors:
    return {name: [FIXED] for name in resource.shapes.fixed if name in change.given and change.moves(name)}


def _errors_of_agent(resource: Resource, change: Change) -> Errors:
    """Return an error for each field that an agent may not change."""
    if change.unit.actor.role is not Role.AGENT:
        return {}
    may = sorted(resource.agents_change)
    return {name: [NOT_AN_AGENTS.format(", ".join(may))] for name in change.given if name not in may}


def _columns(resource: Resource, change: Change) -> Values:
    own = {column.name: change.values[name] for name, column in columns_of(resource.table, _write(resource))}
    return own | dict(resource.constants) | resource.columns(change)


def _present(table: Table, columns: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in columns.items() if name in table.c}


def _write_associations(resource: Resource, change: Change) -> None:
    for association in resource.associations:
        name = association.field
        before: Sequence[int] = change.stored.get(name, ())
        table = association.model.__table__
        owner, target = table.c[association.owner], table.c[association.target]
        if association.is_ordered and not _extends(before, change.values[name]):
            change.unit.connection.execute(delete(table).where(owner == change.record_id))
            before = ()
        gone = set(before) - set(change.values[name])
        if gone:
            change.unit.connection.execute(delete(table).where(owner == change.record_id, target.in_(gone)))
        added = [item for item in change.values[name] if item not in set(before)]
        if added:
            rows = [{association.owner: change.record_id, association.target: item} for item in added]
            change.unit.connection.execute(insert(table), rows)


def _extends(before: Sequence[int], after: Sequence[int]) -> bool:
    """Return whether references keep their order if those that are gone are deleted and the new ones follow."""
    kept = [item for item in before if item in set(after)]
    return kept == list(after)[: len(kept)]
