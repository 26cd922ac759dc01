"""Files beside one that is exported over the API: each is a link to the sound, or to the list as CSV."""

from collections.abc import Iterable, Sequence
from typing import Final
from urllib.parse import urlencode

from dialer.files.exchange import FileBeside
from dialer.files.exported_files import FileNames
from dialer.files.kinds import CONTACTS, NUMBERS
from dialer.resources.crud.urls import Links

_LISTS: Final = {CONTACTS: ("contact", "phonebook"), NUMBERS: ("dnc-contact", "dnc")}
"""The list of the API that has the people, and its filter, by the member of a file that lists them."""


class LinkedFiles:
    """The files beside one exported file. Nothing is read of their content."""

    def __init__(self, folder: str, links: Links) -> None:
        self._names: Final = FileNames(folder)
        self._links: Final = links
        self.found: Final[list[FileBeside]] = []

    def add_sound(self, record_id: int, name: str, file_name: str) -> str:  # noqa: ARG002 - a link needs the id only
        """Add the sound of a recording, and return its path."""
        path = self._names.path_of(name, ".wav")
        self.found.append(FileBeside(path, f"{self._links.record('audio-files', record_id)}download/"))
        return path

    def add_list(
        self,
        part: str,
        record_id: int,
        name: str,
        columns: Sequence[str],  # noqa: ARG002 - the list of the API has its own
        rows: Iterable[Sequence[str]],  # noqa: ARG002 - the list of the API reads them
    ) -> str:
        """Add the people of a list, and return the path of their file."""
        path = self._names.path_of(name, ".csv")
        list_path, parent = _LISTS[part]
        chosen = urlencode({parent: record_id, "format": "csv"})
        self.found.append(FileBeside(path, f"{self._links.collection(list_path)}?{chosen}"))
        return path
