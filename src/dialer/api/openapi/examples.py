"""Examples in the OpenAPI document: records of each resource, and request bodies that create and change them."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

from dialer.api.crud.fields import Amount, Boolean, Choice, Integer, JsonObject, Kind, PhoneNumber, Stored, TextChoice
from dialer.api.crud.moments import TimeOfDay, Timestamp
from dialer.api.crud.references import Reference, ReferenceList
from dialer.api.crud.resource import Resource
from dialer.api.crud.shapes import Field, Shape, fields_of
from dialer.api.crud.urls import PREFIX, Links

MOMENT_MS: Final = 1_795_000_000_000
MOMENT: Final = "2026-11-18T11:06:40Z"
"""`MOMENT_MS` in the format of responses."""
NUMBER: Final = "+12025550100"

_LINKS: Final = Links(base="https://dialer.example", hosts=frozenset())
_CREATED: Final[Mapping[str, tuple[str, ...]]] = {
    "callerid": ("areacode",),
    "contact": ("full_name", "additional_vars"),
    "section-template": ("type", "script"),
    "branching-template": ("goto",),
    "payment": ("description",),
    "campaigns": ("phonebook", "callerid", "frequency", "maxretry", "daily_start_time", "daily_stop_time"),
    "sms-campaigns": ("phonebook", "callerid", "text_message"),
    "subscriber-list": ("duplicate_contact",),
    "did": ("campaign",),
    "agent": ("contact",),
}
"""Optional fields in the example that creates a record, by path. It has all required fields too."""
_CHANGED: Final[Mapping[str, str]] = {
    "callerid": "callerid_num",
    "contact": "full_name",
    "section-template": "question",
    "branching-template": "keys",
    "dnc-contact": "phone_number",
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
    return {field.name: given(field) for field in fields_of(shape) if field.required or field.name in chosen}


def changed(resource: Resource, shape: type[Shape]) -> dict[str, Any]:
    """Return an example of a request body that changes a record."""
    chosen = _CHANGED.get(resource.path, "name")
    return {field.name: given(field) for field in fields_of(shape) if field.name == chosen}


def answered(field: Field) -> Any:  # noqa: ANN401 - a JSON value
    """Return an example of a field in a response, as a JSON value that is not null."""
    if field.example is not None:
        return field.example
    shown = field.kind.show(_usual(field.kind), _LINKS)
    return msgspec.json.decode(msgspec.json.encode(shown))


def given(field: Field) -> Any:  # noqa: ANN401 - a JSON value
    """Return an example of a field in a request: references are paths."""
    kind = field.kind
    if isinstance(kind, ReferenceList):
        return [f"{PREFIX}/{kind.path}/1/"]
    if isinstance(kind, Reference):
        return "1" if kind.shown_as_id else f"{PREFIX}/{kind.path}/1/"
    return answered(field)


def _usual(kind: Kind) -> Stored:
    """Return the usual stored value of a kind of field."""
    if isinstance(kind, Choice):
        return min(item.value for item in kind.values if item.value > 0)
    if isinstance(kind, Integer):
        return max(kind.minimum, 1)
    if isinstance(kind, TextChoice):
        return next(value for value in kind.values if value)
    return next((value for known, value in _USUAL if isinstance(kind, known)), "")


_USUAL: Final[tuple[tuple[type[Kind], Stored], ...]] = (
    (ReferenceList, (1,)),
    (Reference, 1),
    (Boolean, True),
    (Amount, 1_000_000),
    (Timestamp, MOMENT_MS),
    (TimeOfDay, "09:00:00"),
    (JsonObject, '{"city":"Boston"}'),
    (PhoneNumber, NUMBER),
)
