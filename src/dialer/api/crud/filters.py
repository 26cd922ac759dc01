"""Filters: query parameters that narrow a list, and the SQL conditions that they become."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import msgspec
from sqlalchemy import Column, ColumnElement, select

from dialer.api.crud.fields import Integer, Kind, PhoneNumber
from dialer.api.crud.moments import Timestamp
from dialer.api.crud.references import Identity, Reference
from dialer.api.crud.resource import Resource, column_of, references_of, table_of
from dialer.api.crud.shapes import fields_of

_AFTER: Final = "_after"
_BEFORE: Final = "_before"


class Filter(msgspec.Struct, frozen=True):
    """A query parameter that narrows a list: the kind of its value, and the condition for a value."""

    kind: Kind
    condition: Callable[[Any], ColumnElement[bool]]


@lru_cache(maxsize=256)
def filters_of(resource: Resource) -> dict[str, Filter]:
    """Return the filters of a resource by the names of their query parameters."""
    kinds = {field.name: field.kind for field in fields_of(resource.read)}
    found = {name: _filter(resource, name, kinds) for name in resource.filters}
    for name, kind in references_of(resource.read).items():
        parameter = name if name.endswith("_id") else f"{name}_id"
        found[parameter] = Filter(Identity(), _reference_condition(resource, name, kind))
    return found


def _filter(resource: Resource, name: str, kinds: dict[str, Kind]) -> Filter:
    for suffix in (_AFTER, _BEFORE):
        field = name.removesuffix(suffix)
        if field != name and isinstance(kinds[field], Timestamp):
            return _bound(resource.table.c[field], suffix)
    kind = kinds[name]
    column = column_of(resource.table, name, kind)
    if column is None:
        raise TypeError(f"{name} cannot be filtered by equality")
    if isinstance(kind, PhoneNumber):
        return Filter(kind, _number_condition(resource, column))
    if isinstance(kind, Integer):
        return Filter(Identity(minimum=0), lambda value: column == value)
    return Filter(kind, lambda value: column == value)


def _bound(column: Column[Any], suffix: str) -> Filter:
    if suffix == _AFTER:
        return Filter(Timestamp(), lambda value: column >= value)
    return Filter(Timestamp(), lambda value: column <= value)


def _number_condition(resource: Resource, column: Column[Any]) -> Callable[[Any], ColumnElement[bool]]:
    """Compare phone numbers in normal form if the table has a column for it."""
    if "number" in resource.table.c:
        return lambda value: resource.table.c["number"] == value
    return lambda value: column == value


def _reference_condition(resource: Resource, name: str, kind: Reference) -> Callable[[Any], ColumnElement[bool]]:
    column = column_of(resource.table, name, kind)
    if column is not None:
        return lambda value: column == value
    association = resource.association(name)
    table = table_of(association.model)
    owner, target = table.c[association.owner], table.c[association.target]
    return lambda value: resource.table.c["id"].in_(select(owner).where(target == value))
