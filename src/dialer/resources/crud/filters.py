"""Filters: query parameters that narrow a list, and the SQL conditions that they become."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import msgspec
from sqlalchemy import Column, ColumnElement, select

from dialer.resources.crud.columns import column_of
from dialer.resources.crud.fields import Amount, Integer, Kind, PhoneNumber
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.references import Identity, Reference
from dialer.resources.crud.resource import Resource, references_of
from dialer.resources.crud.shapes import Access, Field, fields_of
from dialer.resources.crud.urls import ID_MAX

_MOMENT: Final[Kind] = Timestamp()
_AMOUNT: Final[Kind] = Amount()
_COUNT: Final[Kind] = Integer(-ID_MAX, ID_MAX)


class Filter(msgspec.Struct, frozen=True):
    """A query parameter that narrows a list: the kind of its value, and the condition for a value."""

    kind: Kind
    condition: Callable[[Any], ColumnElement[bool]]
    bound: str = ""
    """`after`, `before`, `min` or `max` for a bound of a range; empty for others."""
    description: str = ""
    """The description for the OpenAPI document; empty if a field describes the filter."""


@lru_cache(maxsize=256)
def filters_of(resource: Resource) -> dict[str, Filter]:
    """Return the filters of a resource by the names of their query parameters."""
    kinds = {field.name: field.kind for field in fields_of(resource.read)}
    filters = {name: _filter(resource, name, kinds) for name in resource.filters}
    filters |= {name: Filter(kinds[name], condition) for name, condition in resource.conditions}
    filters |= {one.name: Filter(one.kind, one.condition, description=one.description) for one in resource.asked}
    for field in fields_of(resource.read):
        if field.access is not Access.DERIVED:
            filters |= _ranges(resource, field)
    for name, kind in references_of(resource.read).items():
        parameter = name if name.endswith("_id") else f"{name}_id"
        filters[parameter] = Filter(Identity(), _reference_condition(resource, name, kind))
    return filters


def _filter(resource: Resource, name: str, kinds: dict[str, Kind]) -> Filter:
    kind = kinds[name]
    column = column_of(resource.table, name, kind)
    if column is None:
        raise TypeError(f"{name} cannot be filtered by equality")
    if isinstance(kind, PhoneNumber):
        return Filter(kind, _number_condition(resource, column))
    if isinstance(kind, Integer):
        return Filter(Identity(minimum=0), lambda value: column == value)
    return Filter(kind, lambda value: column == value)


def _ranges(resource: Resource, field: Field) -> dict[str, Filter]:
    """Return the filters for the bounds of a date, an amount or a count; both bounds belong to the range."""
    column = resource.column(field)
    if isinstance(field.kind, Timestamp):
        low, high, kind = "after", "before", _MOMENT
    elif isinstance(field.kind, Amount):
        low, high, kind = "min", "max", _AMOUNT
    elif isinstance(field.kind, Integer) and not isinstance(field.kind, Identity):
        low, high, kind = "min", "max", _COUNT
    else:
        return {}
    if column is None:
        raise TypeError(f"{field.name} has no column")
    return {
        f"{field.name}_{low}": Filter(kind, lambda value: column >= value, low),
        f"{field.name}_{high}": Filter(kind, lambda value: column <= value, high),
    }


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
    table = association.model.__table__
    owner, target = table.c[association.owner], table.c[association.target]
    return lambda value: resource.table.c["id"].in_(select(owner).where(target == value))
