"""To whom records belong: what a record names belongs to its owner, whoever writes it.

Users see only what is theirs, so they can name nothing else. An admin sees everything, and may move a record from one
user to another: what the one may not read, the other's campaign must not call.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, FromClause, Select, exists, select

from dialer.api.crud.references import Reference
from dialer.api.crud.resource import Actor, Change, Resource, Unit, Values, column_of, references_of, table_of
from dialer.api.crud.visibility import reference_errors
from dialer.api.http.errors import Errors, InvalidError
from dialer.app.errors import USERS_NAMED_MAX, StillUsedError

FIELDS_KEPT_MAX: Final = 256
"""Resources whose field of the owner is remembered."""


def named_errors(resource: Resource, change: Change) -> Errors:
    """An error for every reference of the request to what is not there, or does not belong to whom the record will."""
    unit, owner_field = change.unit, field_of_owner(resource)
    given = {name: change.values[name] for name in change.given}
    if resource.write is None or owner_field is None or not unit.actor.is_admin:
        return reference_errors(unit, resource.write or resource.read, given, unit.actor)
    whole = {owner_field: given.pop(owner_field)} if owner_field in given else {}
    errors = reference_errors(unit, resource.write, whole, unit.actor)
    is_known = not errors and change.values.get(owner_field) is not None
    judge = _user(unit, resource, change.values) if is_known else unit.actor
    return errors | reference_errors(unit, resource.write, given, judge)


def refuse_to_part(resource: Resource, change: Change) -> None:
    """Raise `InvalidError` if a record was given to another owner, away from what it names, or what names it.

    To be asked after the row was written. What only tells what has been, such as a CDR, keeps nothing back.
    """
    unit, owner_field = change.unit, field_of_owner(resource)
    if resource.write is None or owner_field is None or not unit.actor.is_admin or not _is_moved(resource, change):
        return
    named = {name: value for name, value in change.values.items() if name != owner_field}
    errors = reference_errors(unit, resource.write, named, _user(unit, resource, change.values))
    used = still_used(_torn(unit, resource, resource.table.c["id"] == change.record_id))
    if used is not None:
        errors[owner_field] = [str(used)]
    if errors:
        raise InvalidError(errors)


@lru_cache(maxsize=FIELDS_KEPT_MAX)
def field_of_owner(resource: Resource) -> str | None:
    """The field of a write that says to whom the record belongs: a user, or the whole that it is part of."""
    if resource.owner != "user" or resource.write is None:
        return resource.owner
    columns = {name: column_of(resource.table, name, kind) for name, kind in references_of(resource.write).items()}
    return next((name for name, column in columns.items() if column is not None and column.name == "user_id"), None)


def still_used(users: Iterable[tuple[str, list[int]]]) -> StillUsedError | None:
    """Return the error for a record that others name, given by the paths of their resources; None without any."""
    found: dict[str, set[int]] = {}
    for path, ids in users:
        found.setdefault(path, set()).update(ids)
    named = {path: sorted(ids) for path, ids in found.items() if ids}
    return StillUsedError(named) if named else None


def _is_moved(resource: Resource, change: Change) -> bool:
    """Whether the record gets another owner; by itself, or with a new whole that it is part of."""
    owner_field = field_of_owner(resource)
    if change.is_new or owner_field is None or not change.moves(owner_field):
        return False
    return _owner(change.unit, resource, change.values) != _owner(change.unit, resource, change.stored)


def _user(unit: Unit, resource: Resource, values: Values) -> Actor:
    """Who sees just what such a record may name."""
    return Actor(_owner(unit, resource, values), "", is_admin=False)


def _owner(unit: Unit, resource: Resource, values: Values) -> int:
    """The user to whom a record with these values belongs, whose whole is there."""
    named: int = values[str(field_of_owner(resource))]
    if resource.owner == "user":
        return named
    whole = _whole(unit.resources, resource)
    owner = _owner_column(unit.resources, whole, whole.table)
    return int(unit.connection.execute(select(owner).where(whole.table.c["id"] == named)).scalar_one())


def _whole(resources: Mapping[str, Resource], resource: Resource) -> Resource:
    """The resource of the records that those of another are part of."""
    return resources[references_of(resource.read)[str(resource.owner)].path]


def _owner_column(resources: Mapping[str, Resource], resource: Resource, rows: FromClause) -> ColumnElement[int]:
    """The user to whom each of some rows of the resource's table belongs."""
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
    """The records that name, or are named, across the line between what has moved and what has not."""
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
    """The condition that a field of a record names any of these."""
    column = column_of(resource.table, name, kind)
    if column is not None:
        return column.in_(ids)
    association = resource.association(name)
    links = table_of(association.model).c
    return resource.table.c["id"].in_(select(links[association.owner]).where(links[association.target].in_(ids)))


def _links(resources: Mapping[str, Resource]) -> Iterator[tuple[Resource, str, Reference]]:
    """Every field that a client writes which names a record of a user in another: of what, its name, and its kind."""
    for resource in resources.values():
        if resource.write is not None and resource.owner is not None:
            for name, kind in references_of(resource.write).items():
                if resources[kind.path].owner not in {None, "id"}:
                    yield resource, name, kind


def _foreign(unit: Unit, resource: Resource, name: str, kind: Reference, among: ColumnElement[bool]) -> list[int]:
    """Some of the records whose field names what belongs to another user than they do."""
    table, target = resource.table, unit.resources[kind.path]
    own, there = _owner_column(unit.resources, resource, table), target.table.alias()
    theirs = select(_owner_column(unit.resources, target, there))
    column = column_of(table, name, kind)
    if column is None:
        association = resource.association(name)
        links = table_of(association.model).c
        named = theirs.where(there.c["id"] == links[association.target]).scalar_subquery()
        is_foreign: ColumnElement[bool] = exists().where(links[association.owner] == table.c["id"], own != named)
    else:
        is_foreign = own != theirs.where(there.c["id"] == column).scalar_subquery()
    constants = [table.c[constant] == value for constant, value in resource.constants]
    query = select(table.c["id"]).where(among, is_foreign, *constants).limit(USERS_NAMED_MAX + 1)
    return list(unit.connection.execute(query).scalars())
