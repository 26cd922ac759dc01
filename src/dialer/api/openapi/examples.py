"""Examples in the OpenAPI document: records of each resource, and request bodies that create and change them."""

from collections.abc import Mapping
from typing import Any, Final, get_args, get_origin, get_type_hints

from msgspec import Struct

from dialer.resources.crud.properties import answered, example_in_request
from dialer.resources.crud.resource import Resource
from dialer.resources.crud.shapes import Shape, fields_of

MOMENT: Final = "2026-11-18T11:06:40Z"
"""`MOMENT_MS` in the format of responses."""
_CREATED: Final[Mapping[str, tuple[str, ...]]] = {
    "callerid": ("areacode",),
    "contact": ("full_name", "additional_vars"),
    "number-note": ("text",),
    "section-template": ("type", "script"),
    "branching-template": ("goto",),
    "payment": ("description",),
    "campaigns": ("phonebook", "callerid", "frequency", "maxretry", "daily_start_time", "daily_stop_time"),
    "sms-campaigns": ("phonebook", "callerid", "text_message"),
    "subscriber-list": ("duplicate_contact",),
    "did": ("campaign",),
    "agent": ("contact",),
    "report-schedule": ("recipients",),
    "contact-rule": ("limit",),
}
"""Optional fields in the example that creates a record, by path. It has all required fields too."""
_CHANGED: Final[Mapping[str, str]] = {
    "users": "email",
    "callerid": "callerid_num",
    "contact": "full_name",
    "section-template": "question",
    "branching-template": "keys",
    "dnc-contact": "phone_number",
    "number-note": "text",
    "consent": "evidence",
    "campaigns": "status",
    "sms-campaigns": "status",
    "subscriber-list": "full_name",
    "tier": "level",
    "rate-card": "rate",
    "did": "did_number",
}
"""Field in the example that changes a record, by path, where it is not the name."""


def record(shape: type[Shape]) -> dict[str, Any]:
    """Return an example of a record in a response, as JSON values."""
    return {field.name: answered(field) for field in fields_of(shape)}


def created(resource: Resource, shape: type[Shape]) -> dict[str, Any]:
    """Return an example of a request body that creates a record."""
    chosen = _CREATED.get(resource.path, ())
    return {
        field.name: example_in_request(field) for field in fields_of(shape) if field.required or field.name in chosen
    }


def changed(resource: Resource, shape: type[Shape]) -> dict[str, Any]:
    """Return an example of a request body that changes a record."""
    chosen = _CHANGED.get(resource.path, "name")
    return {field.name: example_in_request(field) for field in fields_of(shape) if field.name == chosen}


def answer(struct: type[Struct], **values: object) -> dict[str, Any]:
    """Return an example of an answer, as JSON values: these values, and for other fields the example of the field."""
    hints = get_type_hints(struct, include_extras=True)
    return {name: values[name] if name in values else _declared(hint) for name, hint in hints.items()}


def _declared(hint: Any) -> Any:  # noqa: ANN401 - a type with its description, and a JSON value
    kind, meta = get_args(hint)
    if meta.examples:
        return meta.examples[0]
    return [answer(*get_args(kind))] if get_origin(kind) is list else answer(kind)
