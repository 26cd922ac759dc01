"""The descriptions of the fields of documents that are no records."""

from typing import Any

from msgspec import Meta


def described(description: str, example: Any = None) -> Meta:  # noqa: ANN401 - of the field's own type
    """Return the description of a field for the OpenAPI document, with an example of its value."""
    return Meta(description=description, examples=None if example is None else [example])
