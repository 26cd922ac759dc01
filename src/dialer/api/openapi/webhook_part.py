"""The events that are posted to webhooks, in the OpenAPI document (3.1, `webhooks`)."""

from typing import Any, Final

import msgspec

from dialer.api.openapi.parts import Json
from dialer.webhooks.event_data import EVENT_DATA
from dialer.webhooks.examples import EXAMPLES, example_of

MEDIA_TYPE: Final = "application/cloudevents+json"
SCHEMAS: Final = "#/components/schemas/"
_ENVELOPE: Final = "EventRead"


def event_schemas() -> Json:
    """Return the schemas of the data of all events, by their names."""
    kinds = sorted(set(EVENT_DATA.values()), key=lambda kind: kind.__name__)
    _, found = msgspec.json.schema_components(kinds, ref_template=f"{SCHEMAS}{{name}}")
    return {name: {key: value for key, value in schema.items() if key != "title"} for name, schema in found.items()}


def webhooks() -> Json:
    """Return the webhooks of the document: a POST for each type of events."""
    return {kind: {"post": _posted(kind)} for kind in EXAMPLES}


def _posted(kind: str) -> dict[str, Any]:
    data = {"$ref": f"{SCHEMAS}{EVENT_DATA[kind].__name__}"}
    schema = {"allOf": [{"$ref": f"{SCHEMAS}{_ENVELOPE}"}, {"properties": {"type": {"const": kind}, "data": data}}]}
    return {
        "operationId": f"on_{kind.replace('.', '_')}",
        "summary": f"The event {kind}",
        "description": "Posted to the webhooks that get events of this type, signed as Standard Webhooks.",
        "requestBody": {
            "required": True,
            "content": {MEDIA_TYPE: {"schema": schema, "example": example_of(kind)}},
        },
        "responses": {
            "2XX": {"description": "The event is received."},
            "410": {"description": "The receiver wants no more events. The webhook is switched off."},
        },
    }
