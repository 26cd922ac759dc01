"""Files of records on their way over the API: what `dialer apply --url` sends, and what the service answers."""

import hashlib
from collections.abc import Sequence
from typing import Annotated, Final

import msgspec

from dialer.domain.words.described import described
from dialer.files.applying import RecordChange, wanted_of
from dialer.files.kinds import CONTACTS, NUMBERS
from dialer.files.nodes import FileError, Node
from dialer.files.reading import read_text
from dialer.files.yaml_text import NODES_MAX
from dialer.store.media.files import AUDIO_BYTES_MAX

REQUEST_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes of all files of one request together, as JSON."""

VALUES_MAX: Final = 10_000
"""Texts, numbers, objects and lists of all files of one request together, besides people.

No call is dialled while they are written.
"""
PEOPLE_SENT_MAX: Final = 12_000
"""Contacts and numbers of all files of one request together: those of an exported file, and some more."""
PEOPLE: Final = frozenset({CONTACTS, NUMBERS})
"""The parts of records that are people."""


class SentFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of records: its name, as errors show it, and its text."""

    name: str
    content: str


class SentRecording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sound that files name: its path from the folder of the client, and its content's SHA-256 and size."""

    path: str
    sha256: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    size: Annotated[int, msgspec.Meta(ge=0, le=AUDIO_BYTES_MAX)]


class ApplyRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Files to apply."""

    files: list[SentFile]
    recordings: list[SentRecording] = []
    dry_run: bool = False
    plan: str = ""
    """The plan that was shown: nothing is written if the changes are other ones now."""


class PeopleList(msgspec.Struct, frozen=True):
    """A list into which the client imports a file of people."""

    kind: Annotated[str, described("`phonebook` or `do-not-call list`.", "phonebook")]
    name: Annotated[str, described("The name of the list.", "Patients")]
    id: Annotated[int, described("The id of the list; 0 if it is yet to be made.", 4)]
    running: Annotated[str | None, described("The name of a running campaign that calls the list.", "Spring")]


class AppliedRecord(msgspec.Struct, frozen=True):
    """A record of a file, with the changes that the file made to it."""

    kind: Annotated[str, described("The kind of the record, in words.", "campaign")]
    name: Annotated[str, described("The name by which the record is known.", "Spring")]
    action: Annotated[str, described("`new`, `changed` or `unchanged`.", "changed")]
    lines: Annotated[list[str], described("The changes, field by field.", ["frequency: 10 → 30"])]


class ApplyAnswer(msgspec.Struct, frozen=True):
    """The changes that files made, or would make."""

    dry_run: Annotated[bool, described("True if nothing was written.", example=True)]
    username: Annotated[str, described("The user whose records they are.", "anna")]
    plan: Annotated[str, described("The digest of the changes, for a later request.", "9f86d08")]
    records: Annotated[list[AppliedRecord], described("The records of the files, in their order.")]
    missing: Annotated[list[str], described("Paths of recordings to send before.", ["sounds/hello.wav"])]
    people: Annotated[list[PeopleList], described("The lists that have a file of people.")]


class ExportedText(msgspec.Struct, frozen=True):
    """A file of records, as `POST /rest-api/apply/` takes it."""

    name: Annotated[str, described("The name of the file.", "anna.yaml")]
    content: Annotated[str, described("The text of the file.", "surveys:\n- name: Reminder\n")]


class FileBeside(msgspec.Struct, frozen=True):
    """A file that another one names: the sound of a recording, or the people of a long list."""

    path: Annotated[str, described("Its path from the folder of the file.", "anna-files/hello.wav")]
    url: Annotated[str, described("The URL of its content.", "https://dialer.example/rest-api/audio-files/1/download/")]


class ExportAnswer(msgspec.Struct, frozen=True):
    """All records of an account as files."""

    username: Annotated[str, described("The user whose records they are.", "anna")]
    files: Annotated[list[ExportedText], described("The files: always one.")]
    beside: Annotated[list[FileBeside], described("The files that it names: WAV files, and CSV files of long lists.")]


def sent_of(changes: Sequence[RecordChange]) -> list[AppliedRecord]:
    """Return changes in the form of an answer of the API."""
    return [AppliedRecord(one.kind, one.name, one.action, list(one.lines)) for one in changes]


def changes_of(records: Sequence[AppliedRecord]) -> list[RecordChange]:
    """Return changes from an answer of the API."""
    return [RecordChange(one.kind, one.name, one.action, tuple(one.lines)) for one in records]


def plan_of(changes: list[RecordChange]) -> str:
    """Return the digest of changes."""
    return hashlib.sha256(msgspec.json.encode(changes)).hexdigest()


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
