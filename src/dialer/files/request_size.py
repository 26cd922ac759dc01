"""The limit of what the files of one request hold together."""

from typing import Final

from dialer.files.applying import wanted_of
from dialer.files.exchange import SentFile
from dialer.files.kinds import CONTACTS, NUMBERS
from dialer.files.nodes import FileError, Node
from dialer.files.reading import read_text
from dialer.files.yaml_text import NODES_MAX

VALUES_MAX: Final = 10_000
"""Texts, numbers, objects and lists of all files of one request together, besides people.

No call is dialled while they are written.
"""
PEOPLE_SENT_MAX: Final = 12_000
"""Contacts and numbers of all files of one request together: those of an exported file, and some more."""
PEOPLE: Final = frozenset({CONTACTS, NUMBERS})
"""The parts of records that are people."""


class RequestSize:
    """The size of a request that is read file by file. Nothing more is read once it is too large."""

    def __init__(self) -> None:
        self._left = NODES_MAX
        self._people = 0
        self._values = 0

    def read(self, file: SentFile, name: str) -> Node:
        """Return the value of the next file, which errors call `name`.

        Raises:
            FileError: it is wrong, or the files hold more than one transaction should write.
        """
        if not self._left:
            raise FileError([f"the files have more than {NODES_MAX} values together: put long lists into CSV files"])
        document = read_text(file.content.encode(), name, self._left)
        count = document.count()
        self._left = max(0, self._left - count)
        lists = [one.parts for one in wanted_of([document]) if one.parts is not None and one.kind.part in PEOPLE]
        self._people += sum(len(one.value) for one in lists if isinstance(one.value, list))
        self._values += count - sum(one.count() for one in lists)
        self._refuse_too_much()
        return document

    def _refuse_too_much(self) -> None:
        if self._people > PEOPLE_SENT_MAX:
            found = f"the files have more than {PEOPLE_SENT_MAX} contacts and numbers together, the most in one request"
            raise FileError([f"{found}: put long lists into CSV files, and name them here"])
        if self._values > VALUES_MAX:
            found = f"the files have more than {VALUES_MAX} values besides people, the most in one request"
            raise FileError([f"{found}: apply them one after the other"])
