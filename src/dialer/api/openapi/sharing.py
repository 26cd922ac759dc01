"""Parts of the OpenAPI document that are said once: equal ones become components, and operations refer to them.

Parameters that all operations of a path take stand beside the operations.

A generator of clients reads the same from both. The served document is a quarter smaller.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import msgspec

Part: TypeAlias = dict[str, Any]
_METHODS: Final = frozenset({"get", "put", "post", "delete", "patch"})
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")
_TIMES_MIN: Final = 2
"""Number of places from which on a part is a component."""


class _Shared:
    """The components of one kind, such as `parameters`. `walk` yields the places of such parts in an operation."""

    def __init__(self, kind: str, walk: Callable[[Part], Iterator[tuple[Any, Any, str]]]) -> None:
        self.kind: Final = kind
        self.walk: Final = walk
        self.times: Final = Counter[bytes]()
        self.names: Final[dict[bytes, str]] = {}

    def refer(self, operations: list[Part], components: Part) -> None:
        """Replace parts that occur more than once by references to a component."""
        of_kind = components.setdefault(self.kind, {})
        self.times.update(msgspec.json.encode(place[key]) for one in operations for place, key, _ in self.walk(one))
        for operation in operations:
            for place, key, name in self.walk(operation):
                part = place[key]
                packed = msgspec.json.encode(part)
                if self.times[packed] >= _TIMES_MIN:
                    if packed not in self.names:
                        self.names[packed] = _free(of_kind, _NO_NAME.sub("_", name).strip("_"))
                        of_kind[self.names[packed]] = part
                    place[key] = {"$ref": f"#/components/{self.kind}/{self.names[packed]}"}


def shared(document: Part) -> Part:
    """Return the document with references to parts that would be repeated: examples, headers, answers, parameters.

    Its objects are new, apart from the schemas and from the parts that become components.
    """
    whole: Part = msgspec.json.decode(msgspec.json.encode(document))
    operations = [one for path in whole["paths"].values() for verb, one in path.items() if verb in _METHODS]
    components = whole["components"]
    # The inner ones first, so that equal answers stay equal.
    for kind, walk in _KINDS.items():
        _Shared(kind, walk).refer(operations, components)
    for path in whole["paths"].values():
        _raise_parameters(path)
    return whole


def _raise_parameters(path: Part) -> None:
    """Say the parameters that all operations of a path take once, beside the operations."""
    operations = [one for verb, one in path.items() if verb in _METHODS]
    first, *others = [one.get("parameters", []) for one in operations]
    common = [one for one in first if all(one in other for other in others)]
    if len(operations) < _TIMES_MIN or not common:
        return
    path["parameters"] = common
    for operation in operations:
        operation["parameters"] = [one for one in operation["parameters"] if one not in common]


def _free(taken: Part, name: str) -> str:
    """Return a name that no component has yet."""
    names = (name if number == 1 else f"{name}_{number}" for number in range(1, len(taken) + 2))
    return next(one for one in names if one not in taken)


def _contents(operation: Part) -> Iterator[tuple[str, Part]]:
    """Yield the media types of an operation's body and of its answers, each with a name."""
    name = operation["operationId"]
    for part, called in ((operation.get("requestBody", {}), "given"), *_answers(operation)):
        for media_type in part.get("content", {}).values():
            yield f"{name}_{called}", media_type


def _answers(operation: Part) -> Iterator[tuple[Part, str]]:
    return ((answer, status) for status, answer in operation["responses"].items())


def _examples(operation: Part) -> Iterator[tuple[Any, Any, str]]:
    for name, media_type in _contents(operation):
        examples = media_type.get("examples", {})
        for key in [*examples]:
            if "$ref" not in examples[key]:
                yield examples, key, f"{name}_{key}"


def _headers(operation: Part) -> Iterator[tuple[Any, Any, str]]:
    for answer, _ in _answers(operation):
        headers = answer.get("headers", {})
        for key in [*headers]:
            if "$ref" not in headers[key]:
                yield headers, key, key


def _parameters(operation: Part) -> Iterator[tuple[Any, Any, str]]:
    parameters = operation.get("parameters", [])
    for index, parameter in enumerate(parameters):
        if "$ref" not in parameter:
            yield parameters, index, parameter["name"]


def _bodies(operation: Part) -> Iterator[tuple[Any, Any, str]]:
    if "$ref" not in operation.get("requestBody", {"$ref": ""}):
        yield operation, "requestBody", operation["operationId"]


def _responses(operation: Part) -> Iterator[tuple[Any, Any, str]]:
    responses = operation["responses"]
    for status in [*responses]:
        if "$ref" not in responses[status]:
            yield responses, status, f"Answer{status}"


_KINDS: Final = {
    "examples": _examples,
    "headers": _headers,
    "parameters": _parameters,
    "requestBodies": _bodies,
    "responses": _responses,
}
