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
_VALUES: Final[Mapping[str, Stored]] = {
    "name": "Spring reminders",
    "username": "ann",
    "first_name": "Ann",
    "last_name": "Lee",
    "email": "ann@example.com",
    "full_name": "Ada Byron",
    "contact": NUMBER,
    "phone_number": NUMBER,
    "dialled_number": NUMBER,
    "waits_for": "turn",
    "did_number": NUMBER,
    "callerid": "+12025550199",
    "callerid_num": "+12025550199",
    "areacode": "202",
    "prefix": "1202",
    "reference": "payment:1",
    "question": "Will you come on Monday?",
    "script": "Press one if you come.",
    "key_1": "yes",
    "keys": "1",
    "max_number": 99,
    "number_digits": 2,
    "response": "yes",
    "section_type": 2,
    "text_message": "Dear {first_name}, we expect you on Monday.",
    "message_id": "5f0c1d9e-8f3b-5a41-9a58-0c6f6f3f8f11",
    "callid": "5f0c1d9e-8f3b-5a41-9a58-0c6f6f3f8f11",
    "campaign_code": "KQWZD",
    "sms_campaign_code": "KQWZD",
    "audio_file": "0e4a8c1d5b7f.wav",
    "duration": 18,
    "billsec": 13,
    "billed_duration": 60,
    "hangup_cause_q850": 16,
    "parameters": "{}",
    "daily_stop_time": "20:00:00",
}
"""Stored values of the examples, by field name. Other fields have the usual value of their kind."""
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
    return {field.name: _shown(field) for field in fields_of(shape)}


def created(resource: Resource, shape: type[Shape]) -> dict[str, Any]:
    """Return an example of a request body that creates a record."""
    chosen = _CREATED.get(resource.path, ())
    return {field.name: _given(field) for field in fields_of(shape) if field.required or field.name in chosen}


def changed(resource: Resource, shape: type[Shape]) -> dict[str, Any]:
    """Return an example of a request body that changes a record."""
    chosen = _CHANGED.get(resource.path, "name")
    return {field.name: _given(field) for field in fields_of(shape) if field.name == chosen}


def _shown(field: Field) -> Any:  # noqa: ANN401 - a JSON value
    if field.nullable and field.name not in _VALUES:
        return None
    shown = field.kind.show(_stored(field), _LINKS)
    return msgspec.json.decode(msgspec.json.encode(shown))


def _given(field: Field) -> Any:  # noqa: ANN401 - a JSON value
    kind = field.kind
    if isinstance(kind, ReferenceList):
        return [f"{PREFIX}/{kind.path}/1/"]
    if isinstance(kind, Reference):
        return "1" if kind.shown_as_id else f"{PREFIX}/{kind.path}/1/"
    return _shown(msgspec.structs.replace(field, nullable=False))


def _stored(field: Field) -> Stored:
    if field.name in _VALUES and not isinstance(field.kind, Reference):
        return _VALUES[field.name]
    return _usual(field.kind)


def _usual(kind: Kind) -> Stored:
    """Return the usual stored value of a kind of field."""
    if isinstance(kind, Choice):
        return min(item.value for item in kind.values if item.value > 0)
    if isinstance(kind, Integer):
        return max(kind.minimum, 1)
    if isinstance(kind, TextChoice):
        return kind.values[0]
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
