"""The records that requests write, field by field, for the audit log."""

from collections.abc import Iterable
from typing import Any, Final

from dialer.app.telling.audit_log import masked
from dialer.app.work.unit import RecordWritten
from dialer.resources.crud.fields import Amount, Boolean, Choice, Integer, Json, Text, TextChoice
from dialer.resources.crud.moments import TimeOfDay, Timestamp
from dialer.resources.crud.ownership import owner_of_row
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Change, Resource, Unit, Values
from dialer.resources.crud.shapes import Access, Field, fields_of
from dialer.resources.crud.urls import Links

NOT_LOGGED: Final = "[not logged]"
"""The value of a field that may hold a secret or personal data."""
_LINKS: Final = Links(base="", hosts=frozenset())
_PLAIN: Final = (Amount, Boolean, Choice, Integer, Reference, TextChoice, TimeOfDay, Timestamp)


def note_created(change: Change, resource: Resource, row: Values) -> None:
    """Report the creation of a record, with the fields that the request gave and those that are always logged."""
    if not resource.is_personal:
        after = _shown(resource, change.values, change.given) | _always_logged(resource, row)
        _note(change.unit, resource, change.record_id, row, ("create", {}, after))


def _always_logged(resource: Resource, row: Values) -> dict[str, Json]:
    return {
        field.name: field.kind.show(row[field.name], _LINKS)
        for field in fields_of(resource.read)
        if field.name in resource.always_logged
    }


def note_changed(change: Change, resource: Resource) -> None:
    """Report the change of a record, with the fields that have a new value."""
    moved = [name for name in change.given if change.moves(name)]
    if moved:
        before, after = (_shown(resource, values, moved) for values in (change.stored, change.values))
        _note(change.unit, resource, change.record_id, change.stored, ("change", before, after))


def note_deleted(unit: Unit, resource: Resource, record_id: int, row: Values) -> None:
    """Report the deletion of a record, with its name if it has one."""
    before = {} if resource.is_personal else {"name": masked(str(row["name"]))} if "name" in row else {}
    _note(unit, resource, record_id, row, ("delete", before, {}))


def _note(
    unit: Unit,
    resource: Resource,
    record_id: int,
    row: Values,
    written: tuple[str, dict[str, Any], dict[str, Any]],
) -> None:
    owner = _owner(unit, resource, record_id, row) or unit.actor.sees_as
    action, before, after = written
    unit.written.append(RecordWritten(action, resource.path, record_id, owner, before, after))


def _owner(unit: Unit, resource: Resource, record_id: int, row: Values) -> int | None:
    """Return the user who owns the record; None for the actor. Only admins write records of other users."""
    if resource.owner == "id":
        return record_id
    return owner_of_row(unit, resource, row) if unit.actor.is_admin else row.get("user_id")


def _shown(resource: Resource, values: Values, names: Iterable[str]) -> dict[str, Json]:
    fields = {field.name: field for field in fields_of(resource.write or resource.read)}
    return {name: _value(resource, fields[name], values[name]) for name in sorted(names)}


def _value(resource: Resource, field: Field, value: Any) -> Json:  # noqa: ANN401 - of any kind
    if value is None:
        return None
    if isinstance(field.kind, _PLAIN):
        return field.kind.show(value, _LINKS)
    is_secret = resource.is_personal or field.access is Access.WRITE_ONLY or not isinstance(field.kind, Text)
    return NOT_LOGGED if is_secret else masked(str(value))
