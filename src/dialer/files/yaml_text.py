"""YAML, read as data only: no objects, no aliases, and no surprising types.

PyYAML finds the parts of a document. The meaning of a plain word is decided here, as in YAML 1.2: `yes` and `09:00:00`
are texts, and so is `+12025550100`, which PyYAML would read as a number.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

import yaml

from dialer.files.nodes import NUL, SHOWN_MAX, FileError, FilePlace, Node, below

DEPTH_MAX: Final = 30
"""Levels of nested objects and lists."""
NODES_MAX: Final = 100_000
"""Texts, numbers, objects and lists of one document together."""
_WIDTH: Final = 120
_INTEGER: Final = re.compile(r"-?(0|[1-9][0-9]{0,18})\Z", re.ASCII)
_FLOAT: Final = re.compile(r"-?[0-9]{1,18}\.[0-9]{1,18}([eE][-+][0-9]{1,3})?\Z", re.ASCII)
_WORDS: Final[dict[str, Any]] = {"": None, "~": None, "null": None, "true": True, "false": False}
_STRING_TAG: Final = "tag:yaml.org,2002:str"


class _Open:
    """An object or a list whose end has not been read."""

    def __init__(self, place: FilePlace, *, is_object: bool) -> None:
        self.place = place
        self.is_object = is_object
        self.value: Any = {} if is_object else []
        self.name: str | None = None
        self.line: int | None = None
        """The line of the name, where an error of its value is looked for."""

    def next_place(self, line: int) -> FilePlace:
        if self.is_object:
            return self.place if self.name is None else below(self.place, self.name, self.line)
        return below(self.place, len(self.value), line)

    def add(self, node: Node) -> None:
        if not self.is_object:
            self.value.append(node)
        elif self.name is None:
            self.name, self.line = self._name_of(node), node.place.line
        else:
            self.value[self.name] = node
            self.name = None

    def _name_of(self, node: Node) -> str:
        if isinstance(node.value, (dict, list)):
            raise FileError.at(node.place, "the name of a field must be a word")
        name = str(node.value)
        if name in self.value:
            raise FileError.at(node.place, f"has {name[:SHOWN_MAX]!r} twice")
        return name


def read_yaml(text: str, file: str, values_max: int = NODES_MAX) -> Node:
    """Return the value of a YAML document with at most `values_max` values.

    Raises:
        FileError: it is not YAML, or has aliases, tags, several documents, or too many levels or values.
    """
    try:
        return _read(yaml.parse(text, Loader=_fastest("SafeLoader")), file, values_max)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark is not None else None
        raise FileError.at(FilePlace(file, "", line), f"not valid YAML: {error.problem}") from None
    except (yaml.YAMLError, UnicodeError) as error:
        raise FileError.at(FilePlace(file), f"not valid YAML: {str(error).splitlines()[0]}") from None


def _read(events: Iterator[Any], file: str, values_max: int) -> Node:
    """Put a document together from its parts, without recursion."""
    levels: list[_Open] = []
    whole: Node | None = None
    for number, event in enumerate(events):
        line = event.start_mark.line + 1
        if number > values_max:
            raise FileError.at(FilePlace(file, "", line), f"has more than {values_max} values")
        _refuse(event, FilePlace(file, "", line))
        if isinstance(event, yaml.CollectionStartEvent):
            place = levels[-1].next_place(line) if levels else FilePlace(file, "", line)
            if len(levels) == DEPTH_MAX:
                raise FileError.at(place, f"has more than {DEPTH_MAX} levels")
            levels.append(_Open(place, is_object=isinstance(event, yaml.MappingStartEvent)))
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            ended = levels.pop()
            node = Node(ended.value, ended.place)
        elif isinstance(event, yaml.ScalarEvent):
            node = _scalar(event, levels, FilePlace(file, "", line))
        else:
            if isinstance(event, yaml.DocumentStartEvent) and whole is not None:
                raise FileError.at(FilePlace(file, "", line), "has a second document. Give one document a file")
            continue
        if levels:
            levels[-1].add(node)
        else:
            whole = node
    return Node(None, FilePlace(file)) if whole is None else whole


def _refuse(event: Any, place: FilePlace) -> None:  # noqa: ANN401 - an event of PyYAML
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
        raise FileError.at(place, "anchors and aliases (& and *) are not accepted: write the value out")
    if "\0" in getattr(event, "value", ""):
        raise FileError.at(place, NUL)
    tag = getattr(event, "tag", None)
    if tag is not None and tag not in {"!", _STRING_TAG}:
        raise FileError.at(place, f"the tag {tag} is not accepted: files hold texts, numbers, lists and objects")


def _scalar(event: Any, levels: list[_Open], place: FilePlace) -> Node:  # noqa: ANN401 - an event of PyYAML
    is_name = bool(levels) and levels[-1].is_object and levels[-1].name is None
    where = levels[-1].next_place(place.line or 0) if levels else place
    is_plain = event.implicit[0] and not is_name
    line = place.line if is_name else where.line
    return Node(_meaning(event.value) if is_plain else event.value, FilePlace(where.file, where.path, line))


def _meaning(word: str) -> Any:  # noqa: ANN401 - JSON
    if word in _WORDS:
        return _WORDS[word]
    if _INTEGER.match(word):
        return int(word)
    return float(word) if _FLOAT.match(word) else word


def write_yaml(document: Any) -> str:  # noqa: ANN401 - JSON
    """Return a document as YAML, which `read_yaml` and other readers of YAML read alike."""
    text: str = yaml.dump(document, Dumper=_fastest("SafeDumper"), sort_keys=False, allow_unicode=True, width=_WIDTH)
    return text


def _fastest(name: str) -> Any:  # noqa: ANN401 - a class of a library without types
    """Return the class of a name in C if it is there. It is looked for when it is used, as PyYAML is imported late."""
    return getattr(yaml, f"C{name}", None) or getattr(yaml, name)
