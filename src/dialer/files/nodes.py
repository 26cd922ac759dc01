"""The values of a file, each with its place, so that an error can name it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

SHOWN_MAX: Final = 80
"""Characters of a value, or of the name of a field, that an error shows."""
PLACE_MAX: Final = 300
"""Characters of the path of a place from which deeper steps are left out. Each value of a file has such a path."""
NUL: Final = "a text has a null character, which databases do not keep"
_KINDS: Final = {dict: "an object", list: "a list", str: "a text", bool: "true or false", int: "a number"}

Members: TypeAlias = dict[str, "Node"]


class FilePlace(msgspec.Struct, frozen=True):
    """A place in a file: its name, the line if the format has lines, and the path from the top of the document."""

    file: str
    path: str = ""
    line: int | None = None

    def __str__(self) -> str:
        """Return the place as the beginning of a message: `file.yaml:12: surveys[0].name`."""
        begin = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{begin}: {self.path}" if self.path else begin


class Node(msgspec.Struct, frozen=True):
    """A value of a file: text, number, true or false, null, a list of nodes, or an object of nodes."""

    value: Any
    place: FilePlace

    def plain(self) -> Any:  # noqa: ANN401 - JSON
        """Return the value without places, as JSON has it."""
        if isinstance(self.value, dict):
            return {name: node.plain() for name, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value

    def count(self) -> int:
        """Return the number of values: this one, and all that are in it."""
        inner = self.value.values() if isinstance(self.value, dict) else self.value
        return 1 + (sum(node.count() for node in inner) if isinstance(self.value, (dict, list)) else 0)

    def members(self) -> Members:
        """Return the members of an object; raises FileError for another kind of value."""
        if not isinstance(self.value, dict):
            raise FileError.at(self.place, f"expected an object with fields, got {self.kind()}")
        return self.value

    def items(self, most: int) -> list["Node"]:
        """Return the items of a list; raises FileError for another kind of value, or more than `most` items."""
        if not isinstance(self.value, list):
            raise FileError.at(self.place, f"expected a list, got {self.kind()}")
        if len(self.value) > most:
            raise FileError.at(self.place, f"has {len(self.value)} entries. A file has at most {most}")
        return self.value

    def text(self) -> str:
        """Return the text; raises FileError for another kind of value."""
        if not isinstance(self.value, str):
            raise FileError.at(self.place, f"expected a text, got {self.kind()}")
        return self.value

    def kind(self) -> str:
        """Return the kind of the value, and the value if it is short, in the words of an error."""
        if self.value is None:
            return "nothing"
        kind = next((words for known, words in _KINDS.items() if isinstance(self.value, known)), "a number")
        return kind if isinstance(self.value, (dict, list)) else f"{kind}, {str(self.value)[:SHOWN_MAX]!r}"


class FileError(Exception):
    """Raised when a file cannot be applied. Each message has its place, and says what would be right."""

    def __init__(self, messages: Sequence[str]) -> None:
        super().__init__("\n".join(messages))
        self.messages: Final = tuple(messages)

    @classmethod
    def at(cls, place: FilePlace, message: str) -> "FileError":
        """Return an error with one message at a place."""
        return cls([f"{place}: {message}"])


def nodes_of(value: Any, place: FilePlace, lines: Node | None = None) -> Node:  # noqa: ANN401 - JSON
    """Return the nodes of a value as JSON or TOML has it. `lines` is the value with lines, as far as they are known."""
    here = place if lines is None else FilePlace(place.file, place.path, lines.place.line)
    if isinstance(value, Mapping):
        known = lines.value if lines is not None and isinstance(lines.value, dict) else {}
        inner = {str(name): nodes_of(one, below(here, str(name)), known.get(str(name))) for name, one in value.items()}
        return Node(inner, here)
    if isinstance(value, list):
        items = lines.value if lines is not None and isinstance(lines.value, list) else []
        found = [*items[: len(value)], *[None] * (len(value) - len(items))]
        return Node([nodes_of(one, below(here, index), found[index]) for index, one in enumerate(value)], here)
    return Node(value, here)


def below(place: FilePlace, step: str | int, line: int | None = None) -> FilePlace:
    """Return the place of a member or an item. A path of over `PLACE_MAX` characters ends at the value around."""
    if len(place.path) > PLACE_MAX:
        return FilePlace(place.file, place.path, line)
    if isinstance(step, int):
        return FilePlace(place.file, f"{place.path}[{step}]", line)
    name = step if len(step) <= SHOWN_MAX else f"{step[:SHOWN_MAX]}…"
    path = f"{place.path}.{name}" if place.path else name
    return FilePlace(place.file, path, line)
