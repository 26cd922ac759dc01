"""The events that are posted to webhooks, in the OpenAPI document (3.1, `webhooks`)."""

from typing import Any, Final

import msgspec

from dialer.api.openapi.parts import Json
from dialer.resources.records.events import EventRead
from dialer.webhooks.event_data import EVENT_DATA
from dialer.webhooks.examples import EXAMPLES, example_of

MEDIA_TYPE: Final = "application/cloudevents+json"
SCHEMAS: Final = "#/components/schemas/"


def event_schemas() -> Json:
    """Return the schemas of all events and of their data, by their names."""
    kinds = sorted(set(EVENT_DATA.values()), key=lambda kind: kind.__name__)
    _, found = msgspec.json.schema_components([*kinds, EventRead], ref_template=f"{SCHEMAS}{{name}}")
    untitled = {name: {key: value for key, value in schema.items() if key != "title"} for name, schema in found.items()}
    envelope = untitled.pop(EventRead.__name__)
    return {**untitled, **{event_name(kind): _event(kind, envelope) for kind in EXAMPLES}}


def event_name(kind: str) -> str:
    """Return the name of the schema of a type: `CallEndedEvent` for `call.ended`."""
    return "".join(word.capitalize() for word in kind.split(".")) + "Event"


def _event(kind: str, envelope: Json) -> Json:
    """Return the schema of an event of a type. Generators do not merge a schema with a constant, so it is whole."""
    own = {
        "type": {"type": "string", "const": kind, "description": "The type of the event.", "examples": [kind]},
        "data": {"allOf": [{"$ref": f"{SCHEMAS}{EVENT_DATA[kind].__name__}"}], "description": "The record's state."},
    }
    return {**envelope, "properties": {**envelope["properties"], **own}, "description": f"The event `{kind}`."}


def webhooks() -> Json:
    """Return the webhooks of the document: a POST for each type of events."""
    return {kind: {"post": _posted(kind)} for kind in EXAMPLES}


def _posted(kind: str) -> dict[str, Any]:
    return {
        "operationId": f"on_{kind.replace('.', '_')}",
        "summary": f"The event {kind}",
        "description": "Posted to the webhooks that get events of this type, signed as Standard Webhooks.",
        "requestBody": {
            "required": True,
            "content": {MEDIA_TYPE: {"schema": {"$ref": f"{SCHEMAS}{event_name(kind)}"}, "example": example_of(kind)}},
        },
        "responses": {
            "2XX": {"description": "The event is received."},
            "410": {"description": "The receiver wants no more events. The webhook is switched off."},
        },
    }
