"""Visibility: the condition that limits the queries of users to their own records."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, bindparam, false, or_, select, true

from dialer.domain.words.roles import Role
from dialer.resources.crud.columns import column_of
from dialer.resources.crud.references import NO_OBJECT
from dialer.resources.crud.resource import Actor, Resource, Unit, Values, references_of
from dialer.resources.crud.shapes import Shape
from dialer.resources.words.errors import Errors
from dialer.store.database.bulk import PreparedStatement


def visible(resource: Resource, actor: Actor, resources: Mapping[str, Resource]) -> ColumnElement[bool]:
    """Return the condition that a row belongs to the resource and that the actor may see it.

    The parameter `actor_id` is `Actor.sees_as`, so the query can serve other actors with an equal `Actor.view`.
    """
    table = resource.table
    is_one = and_(true(), *(table.c[column] == value for column, value in resource.constants))
    if resource.owner is None:
        return is_one
    me: ColumnElement[int] = bindparam("actor_id", actor.sees_as)
    if actor.role is Role.AGENT:
        return and_(is_one, false() if resource.agents_see is None else resource.agents_see(me))
    if resource.owner in {"id", "user"}:
        own = (
            or_(table.c["id"] == me, table.c["manager_id"] == me)
            if resource.owner == "id"
            else table.c["user_id"] == me
        )
        if resource.has_common_records:
            own |= table.c["user_id"].is_(None)
        return is_one if actor.is_admin else and_(is_one, own)
    kind = references_of(resource.read)[resource.owner]
    parent = resources[kind.path]
    column = column_of(table, resource.owner, kind)
    if column is None:
        raise TypeError(f"{resource.path} has no owner")
    if actor.is_admin and not parent.constants:
        return is_one
    return and_(is_one, column.in_(select(parent.table.c["id"]).where(visible(parent, actor, resources))))


def seen_ids(unit: Unit, path: str, ids: Collection[int], actor: Actor) -> set[int]:
    """Return the ids that are records of the resource at `path` and that the actor may see."""
    resource = unit.resources[path]
    if len(ids) == 1:
        values = {"actor_id": actor.sees_as, "wanted": next(iter(ids))}
        return set(_seen_one(unit, resource, actor).run(unit.connection, values))
    identity = resource.table.c["id"]
    condition = visible(resource, actor, unit.resources)
    return set(unit.connection.scalars(select(identity).where(identity.in_(tuple(ids)), condition)))


_kept: Final[dict[tuple[str, str], PreparedStatement]] = {}
"""The queries of one id, by the path of the resource and the view of the actor."""


def _seen_one(unit: Unit, resource: Resource, actor: Actor) -> PreparedStatement:
    shape = (resource.path, actor.view)
    if shape not in _kept:
        identity = resource.table.c["id"]
        is_seen = visible(resource, actor, unit.resources)
        _kept[shape] = PreparedStatement(select(identity).where(identity == bindparam("wanted"), is_seen))
    return _kept[shape]


_kept_queries: Final[dict[tuple[str, str], Select[*tuple[Any, ...]]]] = {}
"""The queries of `query_for`, by name and by the view of the actor."""


def query_for(actor: Actor, name: str, build: Callable[[], Select[*tuple[Any, ...]]]) -> Select[*tuple[Any, ...]]:
    """Return a query that is built once for all actors of one view, as building it takes longer than running it.

    Its rows are limited by `visible`, so it takes the parameter `actor_id`, and `build` uses nothing else of the actor.
    The name tells it from other queries.
    """
    shape = (name, actor.view)
    if shape not in _kept_queries:
        _kept_queries[shape] = build()
    return _kept_queries[shape]


def reference_errors(unit: Unit, shape: type[Shape], values: Values, actor: Actor) -> Errors:
    """Return an error for each reference whose target does not exist or is not visible to the actor."""
    errors: Errors = {}
    for name, kind in references_of(shape).items():
        value = values.get(name)
        wanted: set[int] = set(value if isinstance(value, tuple) else [] if value is None else [value])
        if wanted and wanted != seen_ids(unit, kind.path, wanted, actor):
            errors[name] = [NO_OBJECT]
    return errors
