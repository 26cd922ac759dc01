"""Files of records: YAML, TOML or JSON, by the end of their names."""

import json
import tomllib
from datetime import date, datetime, time
from pathlib import Path, PurePath
from typing import Any, Final

from dialer.files.nodes import FileError, FilePlace, Node, nodes_of
from dialer.files.yaml_text import DEPTH_MAX, read_yaml

FILE_BYTES_MAX: Final = 2 * 1_048_576
FILES_MAX: Final = 100
"""Files of one command."""


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


def read_text(content: bytes, name: str) -> Node:
    """Return the value of a file from its content. A name that ends in `.toml` or `.json` says what it is.

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
            return _read_toml(text, place)
        case ".json":
            return _read_json(text, place)
        case _:
            return read_yaml(text, place.file)


def _read_toml(text: str, place: FilePlace) -> Node:
    try:
        return nodes_of(_without_dates(tomllib.loads(text)), place)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise FileError.at(place, f"not valid TOML: {_first_line(error)}") from None


def _read_json(text: str, place: FilePlace) -> Node:
    try:
        return nodes_of(_without_dates(json.loads(text, parse_constant=_refuse)), place)
    except (ValueError, RecursionError) as error:
        raise FileError.at(place, f"not valid JSON: {_first_line(error)}") from None


def _without_dates(value: Any, depth: int = 0) -> Any:  # noqa: ANN401 - JSON
    """Return a value with texts in place of the dates and times of TOML."""
    if depth > DEPTH_MAX:
        raise ValueError(f"more than {DEPTH_MAX} levels")
    if isinstance(value, dict):
        return {name: _without_dates(one, depth + 1) for name, one in value.items()}
    if isinstance(value, list):
        return [_without_dates(one, depth + 1) for one in value]
    return value.isoformat() if isinstance(value, (date, datetime, time)) else value


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no number")


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
