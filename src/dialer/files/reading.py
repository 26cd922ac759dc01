"""Files of records: YAML, TOML or JSON, by the end of their names."""

import json
import re
import tomllib
from datetime import date, datetime, time
from pathlib import Path, PurePath
from typing import Any, Final

from dialer.files.nodes import NUL, SHOWN_MAX, FileError, FilePlace, Node, nodes_of
from dialer.files.toml_lines import lines_of_toml
from dialer.files.yaml_text import DEPTH_MAX, NODES_MAX, read_yaml

FILE_BYTES_MAX: Final = 2 * 1_048_576
DOTS_MAX: Final = 10_000_000
"""The largest cost of the dotted names of a TOML file, as `_cost_of_dots` counts it."""
_TABLE_COST: Final = 10
"""The cost of a dot in the name of a table for each line below it."""
_BITS_MAX: Final = 64
"""Bits of a number. Python takes a time that grows with the square to write larger ones, or refuses to."""
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")
"""An escape of JSON that YAML does not have."""
_TOML_PLACE: Final = re.compile(r" \(at line ([0-9]+), column ([0-9]+)\)\Z")


def read_file(path: Path) -> Node:
    """Return the value of a file. A name that ends in `.toml` or `.json` says what it is; all others are YAML.

    Raises:
        FileError: the file cannot be read, is too large, or is not of its format.
    """
    return read_text(read_content(path), str(path))


def read_content(path: Path) -> bytes:
    """Return the bytes of a file, a few more than allowed if it is too large; raises FileError if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(FILE_BYTES_MAX + 1)
    except OSError as error:
        raise FileError.at(FilePlace(str(path)), f"cannot be read: {error.strerror}") from None


def read_text(content: bytes, name: str, values_max: int = NODES_MAX) -> Node:
    """Return the value of a file from its content. A name that ends in `.toml` or `.json` says what it is.

    Reading ends after `values_max` values.

    Raises:
        FileError: the content is too large, or is not of its format.
    """
    place = FilePlace(name)
    if len(content) > FILE_BYTES_MAX:
        most = FILE_BYTES_MAX // 1024**2
        raise FileError.at(place, f"is larger than {most} MiB. Put long lists into CSV files, and name them here")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise FileError.at(place, "is not in UTF-8") from None
    match PurePath(name).suffix.lower():
        case ".toml":
            return _read_toml(text, place, values_max)
        case ".json":
            return _read_json(text, place, values_max)
        case _:
            return read_yaml(text, place.file, values_max)


def _read_toml(text: str, place: FilePlace, values_max: int) -> Node:
    if _cost_of_dots(text) > DOTS_MAX:
        raise FileError.at(place, "has too many dots in its lines, or too long dotted names. Write it as YAML")
    try:
        value = _Plain(values_max).value(tomllib.loads(text))
    except (ValueError, RecursionError) as error:
        raise _wrong("TOML", error, place) from None
    return nodes_of(value, place, lines_of_toml(text, place.file))


def _cost_of_dots(text: str) -> int:
    """Return how long dotted names take to read: the square of their dots, and those of a table again in each line.

    Only a line feed ends a line in TOML. Other ends of lines can stand in a name.
    """
    lines = text.split("\n")
    of_tables = max((line.count(".") for line in lines if line.lstrip().startswith("[")), default=0)
    return sum(line.count(".") ** 2 for line in lines) + _TABLE_COST * of_tables * len(lines)


def _read_json(text: str, place: FilePlace, values_max: int) -> Node:
    try:
        value = _Plain(values_max).value(json.loads(text, parse_constant=_refuse, object_pairs_hook=_unique))
    except (ValueError, RecursionError) as error:
        raise _wrong("JSON", error, place) from None
    return nodes_of(value, place, _lines_of_json(text, place))


def _lines_of_json(text: str, place: FilePlace) -> Node | None:
    """Return the values of a JSON file with their lines: nearly all JSON is YAML. None if this one is not."""
    try:
        return read_yaml(_SURROGATE.sub("?", text), place.file)
    except FileError:
        return None


class _Plain:
    """Texts in place of the dates and times of TOML, in a value that is not too large."""

    def __init__(self, values_max: int) -> None:
        self._most: Final = values_max
        self._left = values_max

    def value(self, value: Any, depth: int = 0) -> Any:  # noqa: ANN401 - JSON
        """Return a value without dates; raises ValueError if it is too large."""
        self._left -= 1
        if self._left < 0:
            raise ValueError(f"more than {self._most} values")
        if depth > DEPTH_MAX:
            raise ValueError(f"more than {DEPTH_MAX} levels")
        if isinstance(value, int) and value.bit_length() > _BITS_MAX:
            raise ValueError("a number has too many digits")
        if isinstance(value, str):
            value.encode()  # JSON can hold half of a surrogate pair, which is no text.
            if "\0" in value:
                raise ValueError(NUL)
        if isinstance(value, dict):
            return {self.value(name): self.value(one, depth + 1) for name, one in value.items()}
        if isinstance(value, list):
            return [self.value(one, depth + 1) for one in value]
        return value.isoformat() if isinstance(value, (date, datetime, time)) else value


def _unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in members:
        if name in found:
            raise ValueError(f"an object has {name[:SHOWN_MAX]!r} twice")
        found[name] = value
    return found


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no number")


def _wrong(kind: str, error: Exception, place: FilePlace) -> FileError:
    """Return the error of a file that is not of its kind, with the line if it is known."""
    if isinstance(error, RecursionError):
        return FileError.at(place, f"not valid {kind}: more than {DEPTH_MAX} levels")
    if isinstance(error, json.JSONDecodeError):
        where = FilePlace(place.file, "", error.lineno)
        return FileError.at(where, f"not valid JSON: {error.msg[0].lower()}{error.msg[1:]} in column {error.colno}")
    text = str(error).splitlines()[0]
    if "integer string conversion" in text:
        text = "a number has too many digits"
    if isinstance(error, UnicodeError):
        text = "a text has half of a surrogate pair"
    found = _TOML_PLACE.search(text)
    if found is None:
        return FileError.at(place, f"not valid {kind}: {text}")
    where = FilePlace(place.file, "", int(found[1]))
    return FileError.at(where, f"not valid TOML: {text[0].lower()}{text[1 : found.start()]} in column {found[2]}")
