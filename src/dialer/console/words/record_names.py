"""The names of records to which other records refer."""

from collections.abc import Collection
from typing import Any, Final, NamedTuple

from sqlalchemy import Column, ColumnElement, Select, case, select

from dialer.console.words.language import gettext
from dialer.resources.crud.resource import Resource, Unit
from dialer.resources.crud.visibility import query_for, visible

OPTIONS_MAX: Final = 200
"""The most records among which a form lets people choose. If there are more, they give the number of one."""
_NAMES: Final = (
    "name",
    "username",
    "callerid_num",
    "did_number",
    "contact",
    "duplicate_contact",
    "question",
    "phone_number",
    "keys",
)


class Option(NamedTuple):
    """A record by its id and its name."""

    id: int
    name: str


def name_column(resource: Resource) -> Column[str] | None:
    """Return the column with the name of a resource's records; None if they have none."""
    return next((resource.table.c[name] for name in _NAMES if name in resource.table.c), None)


def _named(resource: Resource, column: Column[str]) -> ColumnElement[str]:
    """Return what stands for a record: its name, and for a contact with a name, the number too."""
    if "full_name" not in resource.table.c or column.name == "name":
        return column
    full_name = resource.table.c["full_name"]
    return case((full_name != "", full_name + ", " + column), else_=column)


def names_of(unit: Unit, path: str, ids: Collection[int]) -> dict[int, str]:
    """Return the names of records by id, without records that the viewer may not see."""
    resource = unit.resources.get(path)
    column = None if resource is None else name_column(resource)
    if resource is None or column is None or not ids:
        return {}
    seen = visible(resource, unit.actor, unit.resources)
    query = select(resource.table.c["id"], _named(resource, column)).where(resource.table.c["id"].in_(ids), seen)
    rows = unit.connection.execute(query, {"actor_id": unit.actor.sees_as})
    return {identity: name or gettext("No. %(id)s") % {"id": identity} for identity, name in rows}


def options_of(unit: Unit, path: str) -> list[Option] | None:
    """Return the visible records of a resource as options, by name; None if they are more than `OPTIONS_MAX`."""
    resource = unit.resources[path]
    column = name_column(resource)
    if column is None:
        return None

    def query() -> Select[*tuple[Any, ...]]:
        constants = [resource.table.c[name] == value for name, value in resource.constants]
        identity, seen = resource.table.c["id"], visible(resource, unit.actor, unit.resources)
        named = select(identity, _named(resource, column)).where(seen, *constants)
        return named.order_by(identity).limit(OPTIONS_MAX + 1)

    kept = query_for(unit.actor, f"options of {path}", query)
    options = [Option(*row) for row in unit.connection.execute(kept, {"actor_id": unit.actor.sees_as})]
    if len(options) > OPTIONS_MAX:
        return None
    return sorted(options, key=lambda option: (option.name.casefold(), option.id))
