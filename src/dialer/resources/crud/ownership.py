"""Ownership of records: a record may only name records of its own owner, even if an admin writes it.

Users see only their own records, so they can name no others. An admin sees everything, and may move a record from one
user to another. The check keeps a campaign from calling a phonebook that its owner may not read.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, FromClause, Select, exists, select

from dialer.app.work.errors import USERS_NAMED_MAX, StillUsedError
from dialer.domain.words.roles import Role
from dialer.resources.crud.columns import column_of
from dialer.resources.crud.references import NO_OBJECT, Reference
from dialer.resources.crud.resource import Actor, Change, Resource, Unit, Values, references_of
from dialer.resources.crud.visibility import reference_errors
from dialer.resources.words.errors import Errors, InvalidError

FIELDS_KEPT_MAX: Final = 256
"""Resources whose owner field is kept in a cache."""


def named_errors(resource: Resource, change: Change) -> Errors:
    """Return an error for each reference of the request whose target does not exist or has another owner."""
    unit, owner_field = change.unit, field_of_owner(resource)
    changed = {name: change.values[name] for name in change.given}
    if resource.write is None or owner_field is None or owner_field == "id" or not unit.actor.is_admin:
        unseen = reference_errors(unit, resource.write or resource.read, changed, unit.actor)
        return unseen | _errors_of_owner(resource, change)
    whole = {owner_field: changed.pop(owner_field)} if owner_field in changed else {}
    errors = reference_errors(unit, resource.write, whole, unit.actor)
    is_known = not errors and change.values.get(owner_field) is not None
    judge = _user(unit, resource, change.values) if is_known else unit.actor
    return errors | reference_errors(unit, resource.write, changed, judge)


def refuse_to_part(resource: Resource, change: Change) -> None:
    """Raise `InvalidError` if a move to another owner leaves references across owners.

    Call it after the row was written. Records that clients cannot write, such as CDRs, do not prevent a move.
    """
    unit, owner_field = change.unit, field_of_owner(resource)
    if resource.write is None or owner_field is None or owner_field == "id":
        return
    if not unit.actor.is_admin or not _is_moved(resource, change):
        return
    named = {name: value for name, value in change.values.items() if name != owner_field}
    errors = reference_errors(unit, resource.write, named, _user(unit, resource, change.values))
    used = still_used(_torn(unit, resource, resource.table.c["id"] == change.record_id))
    if used is not None:
        errors[owner_field] = [str(used)]
    if errors:
        raise InvalidError(errors)


def _errors_of_owner(resource: Resource, change: Change) -> Errors:
    """Return an error if a user who is no admin names another user as the owner, such as one of their agents."""
    name, actor = field_of_owner(resource), change.unit.actor
    if name is None or actor.is_admin or resource.owner != "user" or name not in change.given:
        return {}
    if change.values[name] == actor.id:
        return {}
    return {name: [NO_OBJECT]}


@lru_cache(maxsize=FIELDS_KEPT_MAX)
def field_of_owner(resource: Resource) -> str | None:
    """Return the field of a write that decides the owner: a user, or the parent record. None if there is none."""
    if resource.owner != "user" or resource.write is None:
        return resource.owner
    columns = {name: column_of(resource.table, name, kind) for name, kind in references_of(resource.write).items()}
    return next((name for name, column in columns.items() if column is not None and column.name == "user_id"), None)


def owner_of_row(unit: Unit, resource: Resource, row: Mapping[str, Any]) -> int | None:
    """Return the id of the user who owns a row, which may belong to a parent record; None if all users share it."""
    if resource.owner in {None, "id", "user"}:
        return row.get("user_id")
    whole = _whole(unit.resources, resource)
    owner = _owner_column(unit.resources, whole, whole.table)
    named = row[_column(resource, str(resource.owner)).name]
    return unit.connection.execute(select(owner).where(whole.table.c["id"] == named)).scalar_one()


def still_used(users: Iterable[tuple[str, list[int]]]) -> StillUsedError | None:
    """Return an error that names the records in use by the path of their resource; None if there are none."""
    ids_by_path: dict[str, set[int]] = {}
    for path, ids in users:
        ids_by_path.setdefault(path, set()).update(ids)
    named = {path: sorted(ids) for path, ids in ids_by_path.items() if ids}
    return StillUsedError(named) if named else None


def _is_moved(resource: Resource, change: Change) -> bool:
    """Return whether the record gets another owner, directly or with a new parent."""
    owner_field = field_of_owner(resource)
    if change.is_new or owner_field is None or not change.moves(owner_field):
        return False
    return _owner(change.unit, resource, change.values) != _owner(change.unit, resource, change.stored)


def _user(unit: Unit, resource: Resource, values: Values) -> Actor:
    """Return an actor who sees only the records that a record with these values may name."""
    return Actor(_owner(unit, resource, values), "", Role.MANAGER)


def _owner(unit: Unit, resource: Resource, values: Values) -> int:
    """Return the id of the user who owns a record with these values; its parent must exist."""
    named: int = values[str(field_of_owner(resource))]
    if resource.owner == "user":
        return named
    whole = _whole(unit.resources, resource)
    owner = _owner_column(unit.resources, whole, whole.table)
    return int(unit.connection.execute(select(owner).where(whole.table.c["id"] == named)).scalar_one())


def _whole(resources: Mapping[str, Resource], resource: Resource) -> Resource:
    """Return the resource of the parents of a resource's records."""
    return resources[references_of(resource.read)[str(resource.owner)].path]


def _owner_column(resources: Mapping[str, Resource], resource: Resource, rows: FromClause) -> ColumnElement[int]:
    """Return an SQL expression for the owner of each row of the resource's table."""
    if resource.owner == "user":
        return rows.c["user_id"]
    whole = _whole(resources, resource)
    wholes = whole.table.alias()
    named = rows.c[_column(resource, str(resource.owner)).name]
    query = select(_owner_column(resources, whole, wholes)).where(wholes.c["id"] == named)
    return query.scalar_subquery()


def _column(resource: Resource, name: str) -> Column[Any]:
    column = column_of(resource.table, name, references_of(resource.read)[name])
    if column is None:
        raise TypeError(f"{resource.path} belongs to a list of records")
    return column


def _torn(unit: Unit, resource: Resource, moved: ColumnElement[bool]) -> Iterator[tuple[str, list[int]]]:
    """Yield the ids of records whose owner now differs from the owner of a record they name, by path."""
    ids = select(resource.table.c["id"]).where(moved)
    for other, name, kind in _links(unit.resources):
        if kind.path != resource.path:
            continue
        names_it = _names_any(other, name, kind, ids)
        if name != other.owner:
            yield other.path, _foreign(unit, other, name, kind, names_it)
            continue
        yield from _torn(unit, other, names_it)
        for part, field, named in _links(unit.resources):
            if part is other and field != other.owner:
                yield other.path, _foreign(unit, other, field, named, names_it)


def _names_any(resource: Resource, name: str, kind: Reference, ids: Select[tuple[int]]) -> ColumnElement[bool]:
    """Return the condition that a field of a record names one of these ids."""
    column = column_of(resource.table, name, kind)
    if column is not None:
        return column.in_(ids)
    association = resource.association(name)
    links = association.model.__table__.c
    return resource.table.c["id"].in_(select(links[association.owner]).where(links[association.target].in_(ids)))


def _links(resources: Mapping[str, Resource]) -> Iterator[tuple[Resource, str, Reference]]:
    """Yield each field in which clients name records that users own: resource, name of the field, and its kind."""
    for resource in resources.values():
        if resource.write is not None and resource.owner is not None:
            for name, kind in references_of(resource.write).items():
                if resources[kind.path].owner not in {None, "id"}:
                    yield resource, name, kind


def _foreign(unit: Unit, resource: Resource, name: str, kind: Reference, among: ColumnElement[bool]) -> list[int]:
    """Return ids of records whose field names a record of another owner, at most `USERS_NAMED_MAX + 1`."""
    table, target = resource.table, unit.resources[kind.path]
    own, there = _owner_column(unit.resources, resource, table), target.table.alias()
    theirs = select(_owner_column(unit.resources, target, there))
    column = column_of(table, name, kind)
    if column is None:
        association = resource.association(name)
        links = association.model.__table__.c
        named = theirs.where(there.c["id"] == links[association.target]).scalar_subquery()
        is_foreign: ColumnElement[bool] = exists().where(links[association.owner] == table.c["id"], own != named)
    else:
        is_foreign = own != theirs.where(there.c["id"] == column).scalar_subquery()
    constants = [table.c[constant] == value for constant, value in resource.constants]
    query = select(table.c["id"]).where(among, is_foreign, *constants).limit(USERS_NAMED_MAX + 1)
    return list(unit.connection.execute(query).scalars())
