"""The lines of the values of a TOML file, which tomllib does not tell.

The text is valid: tomllib has read it. So the scan only finds where names and values begin, and never judges them.
"""

import re
import tomllib
from bisect import bisect_left
from typing import Any, Final

from dialer.files.nodes import FilePlace, Node

_BLANK: Final = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
"""Blanks, ends of lines and comments: nothing else is between statements, and between the items of an array."""
_WORD: Final = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_SCALAR: Final = re.compile(
    r'"""(?:\\.|[^\\])*?""""{0,2}'  # Up to two quotes before the closing three belong to the text.
    r"|'''.*?''''{0,2}"
    r'|"(?:\\.|[^"\\])*"'
    r"|'[^']*'"
    r"|[^,\]}#\n]+",
    re.DOTALL,
)


class _LostError(Exception):
    """The scan does not understand the text."""


class _Scan:
    """The place in a text up to which names and values are found."""

    def __init__(self, text: str, file: str) -> None:
        self._text: Final = text
        self._file: Final = file
        self._ends: Final = [found.start() for found in re.finditer("\n", text)]
        self._at = 0

    def document(self) -> Node:
        root = self._node({})
        table = root
        while not self._is_over():
            if self._takes("[["):
                table = self._new_item(root)
                self._expect("]]")
            elif self._takes("["):
                table = self._table(root, self._names(), self._line)
                self._expect("]")
            else:
                self._member(table)
        return root

    @property
    def _line(self) -> int:
        return bisect_left(self._ends, self._at) + 1

    def _node(self, value: Any, line: int | None = None) -> Node:  # noqa: ANN401 - an object, a list, or nothing
        return Node(value, FilePlace(self._file, "", line))

    def _is_over(self) -> bool:
        self._skip()
        return self._at >= len(self._text)

    def _skip(self) -> None:
        found = _BLANK.match(self._text, self._at)
        self._at = self._at if found is None else found.end()

    def _takes(self, sign: str) -> bool:
        self._skip()
        if not self._text.startswith(sign, self._at):
            return False
        self._at += len(sign)
        return True

    def _expect(self, sign: str) -> None:
        if not self._takes(sign):
            raise _LostError

    def _names(self) -> list[str]:
        """Take a name, or several with dots between them."""
        names = [self._name()]
        while self._takes("."):
            names.append(self._name())
        return names

    def _name(self) -> str:
        self._skip()
        is_quoted = self._text[self._at : self._at + 1] in {'"', "'"}
        found = (_SCALAR if is_quoted else _WORD).match(self._text, self._at)
        if found is None:
            raise _LostError
        self._at = found.end()
        return str(tomllib.loads(f"name = {found[0]}")["name"]) if is_quoted else found[0]

    def _new_item(self, root: Node) -> Node:
        """Return the new object of an array of tables, whose header begins here."""
        line = self._line
        *names, last = self._names()
        owner = self._table(root, names, line)
        items = owner.value.setdefault(last, self._node([], line))
        item = self._node({}, line)
        items.value.append(item)
        return item

    def _table(self, table: Node, names: list[str], line: int) -> Node:
        """Return the object below a table to which names lead; those of a list lead to its last object."""
        for name in names:
            table = table.value.setdefault(name, self._node({}, line))
            if isinstance(table.value, list):
                table = table.value[-1]
            if not isinstance(table.value, dict):
                raise _LostError
        return table

    def _member(self, table: Node) -> None:
        self._skip()
        line = self._line
        *names, last = self._names()
        self._expect("=")
        self._table(table, names, line).value[last] = self._node(self._value(), line)

    def _value(self) -> Any:  # noqa: ANN401 - an object, a list, or nothing
        """Take a value, and return the nodes inside it; None for one that has none. Values are at most 30 deep."""
        if self._takes("["):
            return self._items()
        if self._takes("{"):
            inner = self._node({})
            while not self._takes("}"):
                self._member(inner)
                self._takes(",")
            return inner.value
        self._skip()
        found = _SCALAR.match(self._text, self._at)
        if found is None:
            raise _LostError
        self._at = found.end()
        return None

    def _items(self) -> list[Node]:
        items: list[Node] = []
        while not self._takes("]"):
            self._skip()
            line = self._line
            items.append(self._node(self._value(), line))
            self._takes(",")
        return items


def lines_of_toml(text: str, file: str) -> Node | None:
    """Return the objects and lists of a TOML text with the lines of their members. None if they are not found.

    The text must be valid, and its values at most `DEPTH_MAX` deep.
    """
    try:
        return _Scan(text.replace("\r\n", "\n"), file).document()
    except (_LostError, tomllib.TOMLDecodeError, IndexError):
        return None
