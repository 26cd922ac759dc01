"""What a field of a document means, for the reader of the API's description."""

from msgspec import Meta


def means(description: str, *examples: object) -> Meta:
    """Return the annotation of a field with its meaning, in a user's words, and examples of its value."""
    return Meta(description=description, examples=list(examples) or None)
