"""Searches: the parameter `search`, and the SQL conditions that it becomes.

A search is for a number if it has nothing but digits and the punctuation of numbers; else it is for a name.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Column, ColumnElement, String, and_, bindparam, false, literal, or_, select

from dialer.api.crud.fields import Conventions, FieldError, echo
from dialer.api.crud.resource import Resource
from dialer.api.crud.shapes import fields_of
from dialer.domain import search_keys
from dialer.store.backends.expressions import bare_number, name_key, place_of
from dialer.store.tables import Contact

SEARCH: Final = "search"
SEARCH_MAX: Final = 64
"""The most characters of a search."""


class Search(msgspec.Struct, frozen=True):
    """A search for a name or for a number: the starts of the keys that match it."""

    is_number: bool
    starts: tuple[str, ...]

    @property
    def shape(self) -> tuple[bool, int]:
        """Return the parts of the search that decide the text of its query."""
        return self.is_number, len(self.starts)

    def values(self) -> dict[str, str]:
        """Return the parameters of the conditions."""
        bounds = {_name(place, "from"): start for place, start in enumerate(self.starts)}
        bounds |= {_name(place, "to"): search_keys.after_all_with(start) for place, start in enumerate(self.starts)}
        return bounds | {_name(place, "word"): f" {start}" for place, start in enumerate(self.starts)}


def parse_search(text: str, conventions: Conventions) -> Search | None:
    """Return the search for a text; None if it is empty.

    Raises:
        FieldError: the text is too long, or has neither a letter nor a digit.
    """
    if not text.strip():
        return None
    if len(text) > SEARCH_MAX:
        raise FieldError(f"Ensure this field has no more than {SEARCH_MAX} characters.")
    starts = search_keys.number_starts(text, conventions.region)
    if starts:
        return Search(is_number=True, starts=starts)
    key = search_keys.name_key(text)
    if not key:
        raise FieldError(f'"{echo(text)}" has neither a letter nor a digit. Search for a name or a number.')
    return Search(is_number=False, starts=(key,))


def is_searchable(resource: Resource) -> bool:
    """Return whether lists of the resource accept a search."""
    return bool(resource.names or resource.numbers)


def search_conditions(resource: Resource, shape: tuple[bool, int]) -> Sequence[ColumnElement[bool]]:
    """Return conditions, one of which a record that the search finds meets. Their parameters are `Search.values`."""
    is_number, starts = shape
    if is_number:
        conditions = [condition for field in resource.numbers for condition in _numbered(resource, field, starts)]
    else:
        conditions = [condition for field in resource.names for condition in _named(resource, field)]
    return conditions or [false()]


def _numbered(resource: Resource, field: str, starts: int) -> list[ColumnElement[bool]]:
    column = _column(resource, field)
    number = resource.table.c.get("number", column)
    bare = number if resource.is_large else bare_number(number)
    return [_in_range(bare, place) for place in range(starts)]


def _named(resource: Resource, field: str) -> list[ColumnElement[bool]]:
    if not resource.is_large:
        words = literal(" ").concat(name_key(_column(resource, field)))
        return [place_of(bindparam(_name(0, "word"), type_=String), words) > 0]
    by_name = [_in_range(Contact.__table__.c[name], 0) for name in ("full_name_key", "last_name_key")]
    if resource.table is Contact.__table__:
        return by_name
    return [resource.table.c["contact_id"].in_(select(Contact.id).where(or_(*by_name)))]


def _column(resource: Resource, name: str) -> Column[Any]:
    field = next(field for field in fields_of(resource.read) if field.name == name)
    column = resource.column(field)
    if column is None:
        raise TypeError(f"{name} cannot be searched")
    return column


def _in_range(key: ColumnElement[Any], place: int) -> ColumnElement[bool]:
    return and_(key >= bindparam(_name(place, "from")), key < bindparam(_name(place, "to")))


def _name(place: int, part: str) -> str:
    return f"search_{place}_{part}"
