"""Files beside an exported one: the sounds of recordings, and long lists of people as CSV."""

import csv
import io
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from dialer.domain.formats.formula_guard import guard
from dialer.domain.formats.media_files import MediaFiles

NAME_MAX: Final = 60
"""Characters of a record's name that the name of its file has."""
_ODD: Final = re.compile(r"[^0-9A-Za-z]+")


class FilesBeside(Protocol):
    """The files beside an exported one: where the sounds of recordings and long lists go."""

    def add_sound(self, record_id: int, name: str, file_name: str) -> str:
        """Add the sound of a recording, and return its path."""

    def add_list(
        self, part: str, record_id: int, name: str, columns: Sequence[str], rows: Iterable[Sequence[str]]
    ) -> str:
        """Add the people of a list, which are `contacts` or `numbers`, and return the path of their file."""


class FileNames:
    """The paths of files in one folder, each of them once, after the names of records."""

    def __init__(self, folder: str) -> None:
        self._folder: Final = folder
        self._paths: Final[set[str]] = set()

    def path_of(self, name: str, suffix: str) -> str:
        """Return a path that no other record has got."""
        plain = _ODD.sub("-", name).strip("-").lower()[:NAME_MAX] or "file"
        path, number = f"{self._folder}/{plain}{suffix}", 1
        while path in self._paths:
            number += 1
            path = f"{self._folder}/{plain}-{number}{suffix}"
        self._paths.add(path)
        return path


class ExportedFile(NamedTuple):
    """A file to write: its path from the folder of the exported file, and its content."""

    path: str
    text: str
    sound: str = ""
    """The name of a file in the media folder, whose content it is, if it is a sound."""


class ExportedFiles:
    """The files beside one exported file, all in one folder."""

    def __init__(self, folder: str) -> None:
        self._names: Final = FileNames(folder)
        self.found: Final[list[ExportedFile]] = []

    def add_sound(self, record_id: int, name: str, file_name: str) -> str:  # noqa: ARG002 - others need the id
        """Add the sound of a recording, and return its path."""
        return self._add(self._names.path_of(name, ".wav"), "", file_name)

    def add_list(
        self,
        part: str,  # noqa: ARG002 - others need it
        record_id: int,  # noqa: ARG002 - others need it
        name: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[str]],
    ) -> str:
        """Add a list as CSV in the form of the API's exports, and return its path."""
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(columns)
        writer.writerows([guard(cell) for cell in row] for row in rows)
        return self._add(self._names.path_of(name, ".csv"), text.getvalue(), "")

    def _add(self, path: str, text: str, sound: str) -> str:
        self.found.append(ExportedFile(path, text, sound))
        return path

    def write(self, target: Path, media: MediaFiles) -> list[str]:
        """Write the files into the folder of `target`, and return the paths of sounds that are gone.

        Raises:
            OSError: a file cannot be written.
        """
        missing: list[str] = []
        for one in self.found:
            path = target / one.path
            path.parent.mkdir(parents=True, exist_ok=True)
            if not one.sound:
                _write_private(path, one.text)
                continue
            sound = media.read(one.sound)
            if sound is None:
                missing.append(one.path)
            else:
                path.write_bytes(sound)
        return missing


def _write_private(path: Path, text: str) -> None:
    """Write a list of people so that other users of the machine cannot read it."""
    with os.fdopen(
        os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", newline="", encoding="utf-8"
    ) as file:
        file.write(text)
