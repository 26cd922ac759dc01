"""Fields of one record in the console: the inputs of its form, what a form gives, and the fields nobody writes."""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from dialer.api.service import ApiRequest
from dialer.app.call_centre.break_reasons import break_reasons_of
from dialer.console.parts.audit_words import AUDIT_LOG, with_audit_words
from dialer.console.parts.cells import Cell, id_in, number_of, rows_of
from dialer.console.parts.inputs import Input, inputs_of, members_of
from dialer.console.parts.zones import zone_of
from dialer.console.words.catalogue import RecordPage
from dialer.console.words.field_titles import title_of
from dialer.console.words.language import gettext
from dialer.console.words.record_names import names_of, options_of
from dialer.resources.crud.derived_columns import currency_field
from dialer.resources.crud.resource import Resource, Unit, Values
from dialer.resources.crud.shapes import Field, Given, Shape, fields_of
from dialer.resources.words.errors import RecordNotFoundError

USERS: Final = "users"
BREAK_REASON: Final = "break_reason"
NOT_FORMS: Final = frozenset({"user", "is_assigned"})
"""Fields that only admins find in forms: the owner is the viewer, and admins assign numbers."""


def shape_of(resource: Resource) -> type[Shape]:
    """Return the shape of what forms give.

    Raises:
        RecordNotFoundError: nobody writes such records.
    """
    if resource.write is None:
        raise RecordNotFoundError("These records are only read.")
    return resource.write


def fields_in_forms(request: ApiRequest, resource: Resource) -> dict[str, Field]:
    """Return the fields that the viewer finds in forms."""
    hidden = frozenset() if request.user.is_admin else NOT_FORMS
    return {field.name: field for field in fields_of(shape_of(resource)) if field.name not in hidden}


def given_in(request: ApiRequest, resource: Resource, filled: Mapping[str, str]) -> Given:
    """Return what a form, or an address, gives for the fields of a record."""
    zone = zone_of(request)
    nullable = {field.name for field in fields_of(resource.read) if field.nullable and not field.null_in_answers}
    return Given(members_of(fields_in_forms(request, resource), filled, zone, nullable))


def inputs_of_record(
    request: ApiRequest, unit: Unit, found: RecordPage, resource: Resource, stored: Values
) -> list[Input]:
    """Return the inputs of a form, with the stored values of a record or those proposed for a new one."""
    fields = fields_in_forms(request, resource)
    zone = zone_of(request)
    return list(inputs_of(found.path, fields, stored, lambda path: options_of(unit, path), zone))


def with_break_reasons(unit: Unit, agent_id: int, inputs: list[Input]) -> list[Input]:
    """Return the inputs of an agent, of whom the reason of a break is chosen if the agent's queues have reasons."""
    reasons = break_reasons_of(unit.connection, agent_id)
    if not reasons:
        return inputs
    return [
        replace(
            one, control="select", options=tuple((text, text) for text in dict.fromkeys([*reasons, one.value]) if text)
        )
        if one.name == BREAK_REASON
        else one
        for one in inputs
    ]


def facts_of(
    request: ApiRequest, unit: Unit, found: RecordPage, record: Shape, besides: set[str]
) -> list[tuple[str, Cell]]:
    """Return the fields of a record with their titles, but for `besides`, those that forms hide, and currencies."""
    resource = request.service.resources[found.path]
    zone = zone_of(request)
    left_out = besides | {"id", "url", currency_field(resource)} | resource.shapes.form.hidden
    names = [field.name for field in fields_of(resource.read) if field.name not in left_out]
    rows = rows_of(unit, resource, names, [record], zone)
    (cells,) = with_audit_words(unit, [record], names, rows, zone) if found.path == AUDIT_LOG else rows
    return [(gettext(title_of(found.path, name)), cell) for name, cell in zip(names, cells, strict=True)]


def account_waiting(unit: Unit, record: Shape) -> str:
    """Return the name of the account to which an admin has yet to assign a number; empty for every other record."""
    if getattr(record, "is_assigned", True):
        return ""
    user_id = id_in(str(getattr(record, "user", "")))
    return names_of(unit, USERS, [user_id]).get(user_id) or number_of(user_id)
