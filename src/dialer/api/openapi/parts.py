"""Parts that recur in the OpenAPI document."""

from typing import Any, Final

Json = dict[str, Any]
"""A part of the OpenAPI document."""
TEXT: Final[Json] = {"type": "string"}


def parameter(name: str, schema: Json, description: str, example: object, place: str = "query") -> Json:
    """Return an optional parameter of an operation; `place` is where it stands."""
    return {
        "name": name,
        "in": place,
        "required": False,
        "description": description,
        "schema": schema,
        "example": example,
    }


def header(description: str, example: object, schema: Json = TEXT) -> Json:
    """Return the description of a response header."""
    return {"description": description, "schema": schema, "example": example}
