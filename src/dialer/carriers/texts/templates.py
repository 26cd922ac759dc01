"""Placeholders in the settings of a carrier: `{number}`, `{text}` and others, replaced for each message."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

PLACEHOLDERS: Final = frozenset(
    {"callback", "coding", "key", "number", "parts", "password", "sender", "text", "username"}
)
"""`key` is our name of the message, `callback` the address for its receipts, `coding` 0 for GSM and 2 for UCS-2."""
_PLACEHOLDER: Final = re.compile(r"\{(\w{1,32})\}", re.ASCII)


def texts_of(value: object) -> Iterator[str]:
    """Yield all texts within a JSON value, without the names of members."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from texts_of(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts_of(part)


def placeholders_of(*values: object) -> set[str]:
    """Return the names of all placeholders within JSON values."""
    return {name for value in values for text in texts_of(value) for name in _PLACEHOLDER.findall(text)}


def filled(value: Any, values: Mapping[str, str]) -> Any:  # noqa: ANN401 - any JSON value
    """Return a JSON value with all placeholders replaced, each once: a replacement is not searched again."""
    if isinstance(value, str):
        return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), value)
    if isinstance(value, Mapping):
        return {name: filled(part, values) for name, part in value.items()}
    if isinstance(value, list):
        return [filled(part, values) for part in value]
    return value


def member_at(value: object, path: str) -> str | None:
    """Return the text or number at a place within a JSON value, such as `messages.0.id`; None if there is none."""
    for step in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(step)
        elif isinstance(value, list) and step.isascii() and step.isdigit() and len(step) <= 4:  # noqa: PLR2004 - an index
            value = value[int(step)] if int(step) < len(value) else None
        else:
            return None
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None
