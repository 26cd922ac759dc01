"""The application of files to an account, in one transaction: all of them, or nothing."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from dialer.domain.words.roles import Permission
from dialer.files.beside import path_of
from dialer.files.exchange import FILES_MAX
from dialer.files.kinds import (
    AGENTS,
    CAMPAIGNS,
    CONTACTS,
    KINDS,
    NUMBERS,
    RECORDINGS,
    SECTIONS,
    RecordKind,
    Wanted,
    file_fields,
    read_document,
)
from dialer.files.nodes import FileError, Node
from dialer.files.people import refuse_other_people, write_contacts, write_numbers
from dialer.files.people_files import people_files
from dialer.files.queues import write_agents
from dialer.files.reading import read_file
from dialer.files.recordings import write_recording
from dialer.files.sounds import Sounds
from dialer.files.surveys import read_sections, write_sections
from dialer.files.writing import RecordWriter
from dialer.resources.crud.resource import Actor, Unit

_PARTS: Final[Mapping[str, Callable[[RecordWriter, int, Wanted], list[str]]]] = {
    CONTACTS: write_contacts,
    NUMBERS: write_numbers,
    AGENTS: write_agents,
}


class RecordChange(msgspec.Struct, frozen=True):
    """A record of a file, with the changes that the file made to it."""

    kind: str
    name: str
    action: str
    """`new`, `changed` or `unchanged`."""
    lines: tuple[str, ...] = ()
    """The changes of a record that is not new, field by field: the value before, and the value after."""


def read_files(paths: Sequence[Path]) -> list[Wanted]:
    """Return the records of files, in the order in which they are written.

    Raises:
        FileError: a file cannot be read, has unknown fields, or has a record that another one has, too.
    """
    if len(paths) > FILES_MAX:
        raise FileError([f"{len(paths)} files are too many: give {FILES_MAX} at most"])
    return wanted_of([read_file(path) for path in paths])


def wanted_of(documents: Sequence[Node], beside: frozenset[str] = frozenset()) -> list[Wanted]:
    """Return the records of documents, in the order in which they are written. `beside` are members of other kinds.

    Raises:
        FileError: all errors of the form of the documents.
    """
    errors: list[str] = []
    found: dict[tuple[str, str], Wanted] = {}
    for document in documents:
        try:
            for one in read_document(document, beside):
                read_sections(one) if one.kind.part == SECTIONS else None
                earlier = found.setdefault((one.kind.key, one.name), one)
                if earlier is not one:
                    errors.append(f"{one.place}: the {one.kind.one} {one.name!r} is also at {earlier.place}")
        except FileError as error:
            errors += error.messages
    if errors:
        raise FileError(errors)
    order = [kind.key for kind in KINDS]
    return sorted(found.values(), key=lambda one: order.index(one.kind.key))


def names_given(wanted: Sequence[Wanted], field: str) -> list[str]:
    """Return the names that a field of campaigns has in files."""
    nodes = [one.given[field] for one in wanted if field in one.given and one.kind.key in CAMPAIGNS]
    return sorted({node.value for node in nodes if isinstance(node.value, str)})


def files_beside(wanted: Sequence[Wanted]) -> list[Path]:
    """Return the files that records name: their sounds, and their lists of people.

    Raises:
        FileError: a record names no file, or one that is not relative to its own file.
    """
    sounds = [path_of(one.file) for one in wanted if one.file is not None and one.kind.key == RECORDINGS]
    return [Path(path) for path in (*sounds, *(one.path for one in people_files(wanted)))]


def apply(unit: Unit, wanted: Sequence[Wanted], sounds: Sounds) -> list[RecordChange]:
    """Give the account of the unit's actor the records of files, and return what changed, in their order.

    The people in files beside these ones are not among them: an import has transactions of its own.

    Raises:
        FileError: a record cannot be written. Roll the transaction back then.
    """
    writer = RecordWriter(unit, unit.actor.id)
    return [_apply(writer, one, sounds) for one in wanted]


def check_actor(actor: Actor, wanted: Sequence[Wanted]) -> None:
    """Raise FileError if a user may not write what files hold."""
    if wanted and not actor.may(Permission.CAMPAIGNS):
        why = f"the user {actor.username} is {actor.role.value}, and may not change campaigns"
        raise FileError.at(wanted[0].place, why)


def _apply(writer: RecordWriter, wanted: Wanted, sounds: Sounds) -> RecordChange:
    kind = wanted.kind
    ids = writer.names.ids(kind.path, wanted.name, kind.called)
    if len(ids) > 1:
        raise FileError.at(
            wanted.place, f"the account has {len(ids)} records called {wanted.name!r}: rename all but one"
        )
    if kind.key == RECORDINGS:
        written = write_recording(writer, wanted, ids[0] if ids else None, sounds)
    elif ids:
        written = writer.change(kind, wanted.given, wanted.place, ids[0])
        if any(line.startswith("phonebooks:") for line in written.lines):
            refuse_other_people(writer, wanted, ids[0])
    else:
        written = writer.create(kind, wanted.given, wanted.place)
    parts = _write_parts(writer, written.record_id, wanted, is_new=written.is_new)
    if written.is_new:
        return RecordChange(kind.one, wanted.name, "new", tuple(_summary(kind, wanted)))
    lines = (*written.lines, *parts)
    return RecordChange(kind.one, wanted.name, "changed" if lines else "unchanged", lines)


def _write_parts(writer: RecordWriter, record_id: int, wanted: Wanted, *, is_new: bool) -> list[str]:
    if wanted.kind.part == SECTIONS:
        return write_sections(writer, record_id, wanted, is_new=is_new)
    write = _PARTS.get(wanted.kind.part)
    return [] if write is None else write(writer, record_id, wanted)


def _summary(kind: RecordKind, wanted: Wanted) -> Iterator[str]:
    """Yield the values of a new record that the file gives, shortly."""
    for name in file_fields(kind):
        if name in wanted.given and name != kind.called:
            value = wanted.given[name].plain()
            yield f"{name}: {value if not isinstance(value, list) else ', '.join(map(str, value))}"
    if wanted.file is not None and kind.key == RECORDINGS:
        yield f"file: {wanted.file.value}"
    if wanted.parts is not None and isinstance(wanted.parts.value, list):
        yield f"{kind.part}: {len(wanted.parts.value)}"
