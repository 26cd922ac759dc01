"""The form of a field in files: names in place of references and numbers of choices, objects in place of JSON."""

import json
from typing import Any, Final, Never

import msgspec

from dialer.domain.words.sentences import message_of
from dialer.files.names import Names
from dialer.files.nodes import FileError, Node
from dialer.resources.crud.fields import Choice, FieldError, JsonObject, Kind
from dialer.resources.crud.references import Reference, ReferenceList
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import NOT_NULL, Field

REFERENCES_MAX: Final = 1_000


def read_value(field: Field, node: Node, unit: Unit, names: Names) -> Any:  # noqa: ANN401 - of any kind
    """Return the value of a field as its column holds it.

    Raises:
        FileError: the field does not accept the value, or it names a record that is not there.
    """
    try:
        if node.value is None or (node.value == "" and field.nullable and field.kind.blank_is_null):
            return None if field.nullable else _refuse_null()
        if isinstance(field.kind, ReferenceList):
            listed = node.items(REFERENCES_MAX)
            ids = tuple(names.id_of(field.kind.path, one.text(), one.place) for one in listed)
            return tuple(dict.fromkeys(ids))
        if isinstance(field.kind, Reference):
            return names.id_of(field.kind.path, node.text(), node.place)
        return field.kind.parse(_with_numbers(field.kind, node.plain()), unit.conventions)
    except FieldError as error:
        raise FileError.at(node.place, message_of(error)) from None


def show_value(field: Field, stored: Any, unit: Unit, names: Names) -> Any:  # noqa: ANN401 - of any kind
    """Return a stored value in the form of files."""
    kind = field.kind
    if isinstance(kind, ReferenceList):
        return [names.name_of(kind.path, one) for one in stored or ()]
    if stored is None:
        return None
    if isinstance(kind, Reference):
        return names.name_of(kind.path, stored)
    if isinstance(kind, Choice):
        return choice_word(kind, stored)
    if isinstance(kind, JsonObject):
        return json.loads(stored or "{}")
    return msgspec.json.decode(msgspec.json.encode(kind.show(stored, unit.conventions.links)))


def is_same(field: Field, one: Any, other: Any) -> bool:  # noqa: ANN401 - of any kind
    """Return whether two stored values mean the same."""
    if isinstance(field.kind, ReferenceList) and field.name == "phonebook":
        return set(one or ()) == set(other or ())  # Their order means nothing.
    if isinstance(field.kind, JsonObject):
        return bool(json.loads(one or "{}") == json.loads(other or "{}"))
    return bool(one == other)


def _refuse_null() -> Never:
    raise FieldError(NOT_NULL)


def choice_word(kind: Choice, stored: int) -> Any:  # noqa: ANN401 - a word, or the number of no known choice
    """Return the word for a value of a choice."""
    try:
        return kind.values(stored).name.lower()
    except ValueError:
        return stored


def _with_numbers(kind: Kind, value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return the number of a choice that is given by its word; other values as they are."""
    if isinstance(kind, Choice) and isinstance(value, str):
        return next((int(one) for one in kind.values if one.name.lower() == value.lower()), value)
    return value
