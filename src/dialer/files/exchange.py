"""Files of records on their way over the API: what `dialer apply --url` sends, and what the service answers."""

from typing import Annotated, Final

import msgspec

from dialer.domain.words.described import described
from dialer.store.media.files import AUDIO_BYTES_MAX

REQUEST_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes of all files of one request together, as JSON."""
FILES_MAX: Final = 100
"""Files of one command or request."""


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
