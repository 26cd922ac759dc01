"""Imports: files of numbers become contacts of a phonebook or of a do-not-call list.

A file is imported in chunks, each in one transaction. Numbers that are there already are skipped, so an import that
was cut off can be run again.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final, TypeAlias

import msgspec
from sqlalchemy import Column, Connection, Table, bindparam, select

from dialer.app.errors import UnknownRecordError
from dialer.app.events import ContactsImported, NumbersCalledOff
from dialer.app.imports.csv_records import PLAIN_FORM, CsvRecord, TableForm
from dialer.app.imports.entries import entries_in, mended_remark
from dialer.app.imports.list_files import ListFile, open_list
from dialer.app.imports.own_zone_cells import UNKNOWN_ZONE, ZoneCells
from dialer.app.imports.report import ERRORS_MAX, ImportReport, NumberRemark, RowError
from dialer.app.imports.seen_numbers import SeenNumbers
from dialer.app.imports.variables import Variables
from dialer.app.touched_records import touched_campaigns, users_of_dnc
from dialer.app.unit import UnitOfWork
from dialer.domain.calling_times.own_zones import person_zone_key
from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.numbers.doubts import NumberDoubt, doubt_in_words, doubt_of, with_lost_zero
from dialer.domain.numbers.emergency import emergency_error, is_emergency
from dialer.domain.numbers.normal_form import NumberError, NumberProblem, normalise
from dialer.domain.numbers.spreadsheet_numbers import without_decimals
from dialer.domain.proof import PROOF_COLUMNS, WishSource, earlier_proof
from dialer.domain.search_keys import name_key
from dialer.domain.sentences import FieldName, Sentence, message_of
from dialer.store.bulk import Among, bulk_insert
from dialer.store.contact_collection import collect_phonebook
from dialer.store.contact_names import count_added
from dialer.store.queries.do_not_call import entries_on
from dialer.store.tables import Row

IMPORT_BYTES_MAX: Final = 200 * 1024 * 1024
CHUNK_ROWS: Final = 5_000
"""Rows of one transaction."""
WATCHED_ROWS: Final = 200
"""Rows after which the progress of an import is told."""
FULL_NAME_MAX: Final = 255
NAME_PARTS: Final = ("first_name", "last_name")
READ_ONLY_COLUMNS: Final = frozenset({"id", "url", "phonebook", "created_date", "updated_date"})
"""Columns of an export of contacts that are not imported: the new contacts get their own values."""

_TABLES: Final = Row.metadata.tables

ReadNumber: TypeAlias = tuple[str, tuple[Any, ...]]
"""A number in normal form, and the values to store."""
Commit = Callable[[Callable[[UnitOfWork], int]], int]
"""Runs a unit of work in a writing transaction, and returns its result once that is committed."""


class ImportTargetGoneError(UnknownRecordError):
    """An error for a phonebook or list that is deleted during an import. The imported rows are deleted with it."""


class NumberRows:
    """A parent record, and the rows of numbers that an import adds to it."""

    column: ClassVar[str]
    """The column with the number, in the header and in the table."""
    _table: ClassVar[Table]
    _parent: ClassVar[Column[int]]
    _parents: ClassVar[Table]
    _among: ClassVar[Among]
    _further: ClassVar[tuple[str, ...]] = ()
    _exported: ClassVar[frozenset[str]]
    """Columns by which an export of the records is recognised. Its cells are imported exactly as they are."""

    def __init__(self, parent_id: int, *, region: str | None) -> None:
        self.parent_id: Final = parent_id
        self.region: Final = region
        self._place = 0
        self._is_export = self._mends_zeros = False
        stamps = ("user_id", "created_date", "updated_date")
        names = (self._parent.name, self.column, "number", *self._further, *stamps)
        self._insert = bulk_insert(self._table, *names)

    def begin(
        self,
        columns: Sequence[str],
        *,
        joins_names: bool = False,  # noqa: ARG002 - contacts have names
        mends_zeros: bool = False,
    ) -> None:
        """Prepare for rows with these columns."""
        self._mends_zeros = mends_zeros
        self._place = _place(columns, self.column)
        self._is_export = {name.lower() for name in columns} >= self._exported

    def read(self, cells: Sequence[str]) -> tuple[Sequence[ReadNumber], Sequence[NumberRemark]]:
        """Return the numbers of a row, and remarks on them; raises RowError.

        A number has its normal form, and the values to store.
        """
        cell = self.cell_in(cells)
        try:
            number = normalise(cell, self.region)
            self._check(cell, number)
        except NumberError as error:
            raise self._refused(cell, error) from None
        doubt, remarks = doubt_of(number), list[NumberRemark]()
        if doubt:
            number, remarks = self._doubted(cell, number, doubt)
        return [(number, (self.parent_id, cell, number, *self._values(cells, number)))], remarks

    def _refused(self, cell: str, error: NumberError) -> RowError:
        message = Sentence("%(column)s: %(error)s", column=self.column, error=message_of(error))
        return RowError(error.problem, message, cell)

    def _doubted(self, cell: str, number: str, doubt: NumberDoubt) -> tuple[str, list[NumberRemark]]:
        """Return the number to store instead of one that nobody can have, and a remark on it."""
        if doubt is NumberDoubt.LOST_ZERO and self._mends_zeros:
            number = with_lost_zero(number)
            return number, [mended_remark(cell, number)]
        return number, [NumberRemark(doubt.value, doubt_in_words(doubt, number), number)]

    def cell_in(self, cells: Sequence[str]) -> str:
        """Return the number of a row as it is written in the file."""
        cell = cells[self._place]
        return cell if self._is_export else without_decimals(cell.strip())

    def name_in(self, values: Sequence[Any]) -> str:  # noqa: ARG002 - contacts have names
        """Return the name among the values of a row; empty if such rows have none."""
        return ""

    def remark_on_zone(self, cells: Sequence[str], number: str) -> NumberRemark | None:  # noqa: ARG002 - contacts have zones
        """Return a remark on the zone in a row that is imported; None if it is fine."""
        return None

    def store(self, unit: UnitOfWork, rows: Mapping[str, tuple[Any, ...]]) -> int:
        """Insert the rows, by number, that are not there yet; return how many they are.

        Raises:
            ImportTargetGoneError: the parent has been deleted.
        """
        connection, now_ms = unit.connection, unit.now_ms
        stamps = (self._owner(connection), now_ms, now_ms)
        stored_numbers = self._known(connection, rows)
        added = [values + stamps for number, values in rows.items() if number not in stored_numbers]
        self._insert.run(connection, added)
        self._stored(unit, added)
        return len(added)

    def stored_numbers(self, connection: Connection, numbers: Collection[str]) -> set[str]:
        """Return those of the numbers that the parent has already; a parent without an id is yet to be made.

        Raises:
            ImportTargetGoneError: the parent has been deleted.
        """
        if not self.parent_id:
            return set()
        self._owner(connection)
        return self._known(connection, numbers)

    def _owner(self, connection: Connection) -> int:
        """Return the account of the parent, or raise ImportTargetGoneError."""
        owner_id: int | None = connection.scalar(
            select(self._parents.c.user_id).where(self._parents.c.id == self.parent_id)
        )
        if owner_id is None:
            raise ImportTargetGoneError
        return owner_id

    def _known(self, connection: Connection, numbers: Collection[str]) -> set[str]:
        return self._among.run(connection, numbers, {"parent": self.parent_id})

    def _check(self, cell: str, number: str) -> None:
        """Raise NumberError for a number that must not be stored."""

    def _values(self, _cells: Sequence[str], _number: str) -> tuple[Any, ...]:
        """Return the values of the `_further` columns; raises RowError."""
        return ()

    def _stored(self, unit: UnitOfWork, added: Sequence[tuple[Any, ...]]) -> None:
        """Do what follows in the same transaction, and note what was touched."""
        raise NotImplementedError


_NAME_PLACE: Final = 5
"""The place of the full name among the values of a contact, behind phonebook, contact, number, zone and tz_code."""


class ContactRows(NumberRows):
    """Contacts of a phonebook, which become subscribers of the started campaigns that call it."""

    column = "contact"
    _exported = frozenset({"url", "additional_vars"})
    _table = _TABLES["contact"]
    _parent = _table.c.phonebook_id
    _parents = _TABLES["phonebook"]
    _further = ("zone", "tz_code", "full_name", "full_name_key", "additional_vars")
    _among = Among(_table.c.number, _parent == bindparam("parent"))
    _name_at = 3 + _further.index("full_name")  # After the parent, the cell and the number.
    _variables_at = 3 + _further.index("additional_vars")

    def begin(self, columns: Sequence[str], *, joins_names: bool = False, mends_zeros: bool = False) -> None:
        """Prepare for rows. Columns besides number and name are variables, except read-only columns of an export."""
        super().begin(columns, mends_zeros=mends_zeros)
        self._name_place = _place(columns, "full_name")
        parts = [_place(columns, name) for name in NAME_PARTS] if joins_names else []
        self._name_parts = [place for place in parts if place >= 0]
        self._own_zones = ZoneCells(columns, is_export=self._is_export)
        others = {self._place, self._name_place, _place(columns, "tz_code")}
        skipped = READ_ONLY_COLUMNS if self._is_export else frozenset[str]()
        named = [(place, name) for place, name in enumerate(columns) if place not in others and name]
        self._variables = Variables(
            [(place, name) for place, name in named if name.lower() not in skipped], is_export=self._is_export
        )

    def remark_on_zone(self, cells: Sequence[str], number: str) -> NumberRemark | None:
        """Return a remark on a cell that names no known time zone; None if it is fine."""
        found = self._own_zones.of(cells, number)
        return None if found.problem is None else NumberRemark(UNKNOWN_ZONE, found.problem, found.cell)

    def name_in(self, values: Sequence[Any]) -> str:
        """Return the full name among the values of a row."""
        return str(values[_NAME_PLACE])

    def _check(self, cell: str, number: str) -> None:
        if is_emergency(number):
            raise emergency_error(cell)

    def _values(self, cells: Sequence[str], number: str) -> tuple[Any, ...]:
        full_name = cells[self._name_place] if self._name_place >= 0 else ""
        if not self._is_export:
            full_name = full_name.strip()
        if self._name_parts and not full_name:
            full_name = " ".join(filter(None, [cells[place].strip() for place in self._name_parts]))
        if len(full_name) > FULL_NAME_MAX:
            raise RowError(
                "full_name",
                Sentence(
                    "%(column)s: more than %(most)s characters", column=FieldName("full_name"), most=FULL_NAME_MAX
                ),
                full_name,
            )
        tz_code, number_zone = self._own_zones.of(cells, number).tz_code, zone_of_number(number)
        zone = person_zone_key(tz_code, "", number_zone)
        return zone, tz_code, full_name, name_key(full_name), self._variables.of(cells)

    def _stored(self, unit: UnitOfWork, added: Sequence[tuple[Any, ...]]) -> None:
        count_added(unit.connection, self.parent_id, [(row[self._name_at], row[self._variables_at]) for row in added])
        campaign_ids = collect_phonebook(unit.connection, self.parent_id, unit.now_ms)
        unit.note(touched_campaigns(*campaign_ids), ContactsImported(self.parent_id, len(added)))


class DncRows(NumberRows):
    """Numbers of a do-not-call list, which are read kindly: every number in a cell is put on the list."""

    column = "phone_number"
    _exported = frozenset({"url", "dnc"})
    _table = _TABLES["dnc_contact"]
    _parent = _table.c.dnc_id
    _parents = _TABLES["dnc_list"]
    _further = ("source", "said")

    def begin(self, columns: Sequence[str], *, joins_names: bool = False, mends_zeros: bool = False) -> None:
        """Prepare for rows. An export has the proof of each entry, which stays as words."""
        super().begin(columns, joins_names=joins_names, mends_zeros=mends_zeros)
        self._proof = [_place(columns, name) for name in PROOF_COLUMNS] if self._is_export else []

    def _values(self, cells: Sequence[str], _number: str) -> tuple[Any, ...]:
        return WishSource.IMPORT.value, earlier_proof([cells[place] for place in self._proof if place >= 0])

    def read(self, cells: Sequence[str]) -> tuple[Sequence[ReadNumber], Sequence[NumberRemark]]:
        """Return all numbers of a row, and remarks on them; raises RowError."""
        cell = self.cell_in(cells)
        try:
            found, remarks = entries_in(cell, self.region)
        except NumberError as error:
            raise self._refused(cell, error) from None
        proof = self._values(cells, "")
        return [(number, (self.parent_id, text, number, *proof)) for text, number in found], remarks

    def _known(self, connection: Connection, numbers: Collection[str]) -> set[str]:
        return {number for _, number in entries_on(connection, [self.parent_id], numbers)}

    def _stored(self, unit: UnitOfWork, added: Sequence[tuple[Any, ...]]) -> None:
        unit.note(users_of_dnc(unit.connection, self.parent_id), NumbersCalledOff(self.parent_id, len(added)))


def _place(columns: Sequence[str], wanted: str) -> int:
    """Return the place of a column, its name in upper or lower case; -1 if there is none."""
    return next((place for place, name in enumerate(columns) if name.lower() == wanted), -1)


class ImportOptions(msgspec.Struct, frozen=True):
    """The options of an import."""

    columns: Mapping[str, str] = {}
    """Other names for columns of the file, by their names in lower case; an empty name leaves a column out."""
    form: TableForm = PLAIN_FORM
    """The form of the file, as far as it is known."""
    region: str | None = None
    """The country of numbers without one (ISO 3166); empty for no country, None for that of the caller."""
    mends_zeros: bool = False
    """True if a number that has lost a 0, which nobody can have without it, gets it back."""
    joins_names: bool = False
    """True if columns `first_name` and `last_name` together are the name of a contact that has none."""
    is_dry: bool = False
    """True if nothing is stored, and only the report is wanted."""
    errors_max: int = ERRORS_MAX
    """The most rejected rows in the report."""
    on_progress: Callable[[int, float], None] | None = None
    """Gets, after each `WATCHED_ROWS` rows, their count and how much of a workbook is read (0 to 1). It may raise."""
    on_rejected: Callable[[CsvRecord, str], None] | None = None
    """Gets each rejected row with the reason."""


_PLAIN: Final = ImportOptions()


def import_csv(
    chunks: Iterable[bytes], target: NumberRows, commit: Commit, options: ImportOptions = _PLAIN
) -> ImportReport:
    """Import a file while it arrives, `CHUNK_ROWS` rows in a transaction.

    Raises:
        CsvError: it is no list or has no usable header, so nothing was imported; or it is not in its charset.
        ImportTargetGoneError: the target was deleted meanwhile.
        StorageUnavailableError: from `commit`; all chunks before this one are stored.
    """
    report = ImportReport(errors=[], warnings=[])
    opened = open_list(chunks, required=target.column, renamed=options.columns, form=options.form)
    with opened as file, SeenNumbers() as seen:
        target.begin(file.columns, joins_names=options.joins_names, mends_zeros=options.mends_zeros)
        store = partial(_would_store, target, seen) if options.is_dry else target.store
        for rows in _chunks(file, target, report, options):
            added = commit(partial(store, rows=rows))
            report.imported += added
            report.duplicates += len(rows) - added
        report.hidden = file.left_out
    return report


def _would_store(target: NumberRows, seen: SeenNumbers, unit: UnitOfWork, rows: Mapping[str, tuple[Any, ...]]) -> int:
    """Return how many rows an import would store, after the rows that were seen before."""
    return seen.add(rows.keys() - target.stored_numbers(unit.connection, rows))


def _chunks(
    file: ListFile, target: NumberRows, report: ImportReport, options: ImportOptions
) -> Iterator[dict[str, tuple[Any, ...]]]:
    """Yield the rows that can be imported, by number, `CHUNK_ROWS` at a time; report the others."""
    rows: dict[str, tuple[Any, ...]] = {}
    for record in _watched(file, options):
        if record.problem is not None:
            _reject(report, record, RowError("row", record.problem, ""), options)
            continue
        try:
            found, remarks = target.read(record.cells)
        except RowError as error:
            if error.kind == NumberProblem.EMPTY and not any(map(str.strip, record.cells)):
                continue  # Spreadsheet programs write such lines at the end.
            _reject(report, record, error, options)
            continue
        zone_remark = target.remark_on_zone(record.cells, found[0][0])
        if remarks or zone_remark is not None:
            report.warn(record.line, [*remarks, *([] if zone_remark is None else [zone_remark])])
        for number, values in found:
            if number in rows:
                report.duplicates += 1
            else:
                rows[number] = values
        if len(rows) >= CHUNK_ROWS:
            yield rows
            rows = {}
    if rows:
        yield rows


def _watched(file: ListFile, options: ImportOptions) -> Iterator[CsvRecord]:
    """Yield the records of a file, and tell the progress."""
    if options.on_progress is None:
        yield from file
        return
    for count, record in enumerate(file, 1):
        if not count % WATCHED_ROWS:
            options.on_progress(count, file.share)
        yield record


def _reject(report: ImportReport, record: CsvRecord, error: RowError, options: ImportOptions) -> None:
    report.reject(record.line, error, most=options.errors_max)
    if options.on_rejected is not None:
        options.on_rejected(record, message_of(error))
