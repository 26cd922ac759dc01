"""Lists of people in files beside a file of records: CSV and workbooks, read as the imports of the API read them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from dialer.app.imports.columns import FIELD
from dialer.app.imports.headers import CsvError
from dialer.app.imports.imports import IMPORT_BYTES_MAX, Commit, ImportOptions, import_csv
from dialer.app.imports.number_rows import ContactRows, DncRows, NumberRows
from dialer.app.imports.report import ImportReport
from dialer.app.telling.account_events import write_import_finished
from dialer.domain.words.sentences import message_of
from dialer.files.beside import open_beside, path_of
from dialer.files.kinds import CONTACTS, NUMBERS, RecordKind, Wanted, refuse_unknown
from dialer.files.names import Names
from dialer.files.nodes import FileError, FilePlace, Node
from dialer.files.people import running_campaign
from dialer.resources.crud.resource import Unit
from dialer.resources.records.import_options import OPTION_NAMES, read_import_options
from dialer.resources.words.errors import Errors

PIECE_BYTES: Final = 256 * 1024
"""Bytes of a list that are read at once."""
_ROWS: Final[Mapping[str, type[NumberRows]]] = {CONTACTS: ContactRows, NUMBERS: DncRows}


class PeopleFile(NamedTuple):
    """A file with the people of one list, and the options with which it is read: those of the API's imports."""

    kind: RecordKind
    name: str
    """The name of the list."""
    node: Node
    """The value that names the file."""
    place: FilePlace
    """The place of the list."""
    options: Mapping[str, str]

    @property
    def path(self) -> str:
        """Return the path of the file."""
        return path_of(self.node)

    def open(self) -> BinaryIO:
        """Open the file; raises FileError if it cannot be read, or is too large."""
        return open_beside(self.node, IMPORT_BYTES_MAX)


class PeopleTarget(NamedTuple):
    """The list into which a file is imported."""

    record_id: int
    """0 for a list that is yet to be made."""
    running: str | None
    """The name of a running campaign that calls the list, if there is one."""


class PeopleReport(msgspec.Struct, frozen=True):
    """The result of the import of a file, or what it would be."""

    kind: str
    name: str
    file: str
    result: ImportReport


def people_files(wanted: Sequence[Wanted]) -> list[PeopleFile]:
    """Return the CSV files of people that the lists in files name.

    Raises:
        FileError: a list names no file, or has options that imports do not have.
    """
    return [_read(one, one.file) for one in wanted if one.file is not None and one.kind.part in _ROWS]


def _read(wanted: Wanted, node: Node) -> PeopleFile:
    if not isinstance(node.value, dict):
        return _checked(PeopleFile(wanted.kind, wanted.name, node, wanted.place, {}))
    members = dict(node.value)
    refuse_unknown(members, ("file", *OPTION_NAMES), "a file of people")
    if "file" not in members:
        raise FileError.at(node.place, "needs the field file: the path of the list")
    named = members.pop("file")
    options = {name: _option(name, value) for name, value in members.items()}
    return _checked(PeopleFile(wanted.kind, wanted.name, named, wanted.place, options))


def _checked(one: PeopleFile) -> PeopleFile:
    path_of(one.node)
    return one


def _option(name: str, node: Node) -> str:
    """Return an option as the API's imports have it in their address."""
    if isinstance(node.value, bool):
        return "true" if node.value else "false"
    if name == FIELD and isinstance(node.value, dict):
        return ",".join(_pair(source, target) for source, target in node.value.items())
    return node.text()


def _pair(source: str, target: Node) -> str:
    pair = f"{source}:{'' if target.value is None else target.text()}"
    return '"' + pair.replace('"', '""') + '"'


def target_of(unit: Unit, owner_id: int, one: PeopleFile) -> PeopleTarget:
    """Return the list of an account into which a file is imported."""
    ids = Names(unit, owner_id).ids(one.kind.path, one.name)
    if not ids:
        return PeopleTarget(0, None)
    is_called = one.kind.part == CONTACTS
    return PeopleTarget(ids[0], running_campaign(unit.connection, ids[:1]) if is_called else None)


def import_people(one: PeopleFile, target: PeopleTarget, unit: Unit, commit: Commit, *, is_dry: bool) -> PeopleReport:
    """Import a file into its list, or report what an import would do. `unit` gives the conventions only.

    Raises:
        FileError: it is no list, or an option is wrong.
    """
    errors: Errors = {}
    options = read_import_options(one.options, unit.conventions, errors)
    if errors:
        raise FileError([f"{one.place}: {name}: {text}" for name, texts in errors.items() for text in texts])
    region = unit.conventions.region if options.region is None else options.region or None
    rows = _ROWS[one.kind.part](target.record_id, region=region, user_id=unit.actor.id)
    with one.open() as file:
        return PeopleReport(one.kind.one, one.name, one.path, _import(one, file, rows, commit, options, is_dry=is_dry))


def _import(
    one: PeopleFile, file: BinaryIO, rows: NumberRows, commit: Commit, options: ImportOptions, *, is_dry: bool
) -> ImportReport:
    try:
        report = import_csv(pieces_of(file), rows, commit, replace(options, is_dry=is_dry))
    except CsvError as error:
        raise FileError([f"{one.path}: {message_of(error)}"]) from None
    # Sentences are for the languages of pages. Commands print English.
    report.errors, report.warnings = (
        [replace(remark, reason=str(remark.reason)) for remark in remarks]
        for remarks in (report.errors, report.warnings)
    )
    report.file_warnings = [replace(remark, reason=str(remark.reason)) for remark in report.file_warnings]
    return report


def pieces_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield the content of a file, a piece at a time."""
    while piece := file.read(PIECE_BYTES):
        yield piece


def tell_import(unit: Unit, one: PeopleFile, target: PeopleTarget, report: PeopleReport) -> None:
    """Write the event that an import has come to its end."""
    resource = one.kind.resource
    subject = f"{resource.path}/{target.record_id}"
    write_import_finished(unit, resource.table, target.record_id, subject, report.result)


def refuse_new_people(one: PeopleFile, target: PeopleTarget, report: PeopleReport) -> None:
    """Raise FileError if a file has new people for a list that a running campaign calls."""
    if target.running is not None and report.result.imported:
        raise FileError.at(
            one.place,
            f"the campaign {target.running!r} runs and calls this list, and a file does not change the people of a"
            f" running campaign. {one.path} has {report.result.imported} new ones: import it over the API or in the"
            " console, or wait for the end of the campaign",
        )
