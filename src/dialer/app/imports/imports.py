"""Imports: CSV files of numbers become contacts of a phonebook or of a do-not-call list.

A file is imported in chunks, each in one transaction. Numbers that are there already are skipped, so an import that
was cut off can be run again.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final

import msgspec
from sqlalchemy import Column, Connection, Table, bindparam, select

from dialer.app.errors import UnknownRecordError
from dialer.app.events import ContactsImported, NumbersCalledOff
from dialer.app.imports.charsets import UTF8, as_utf8
from dialer.app.imports.csv_records import CsvFile
from dialer.app.imports.report import ERRORS_MAX, ImportReport, RowError
from dialer.app.imports.seen_numbers import SeenNumbers
from dialer.app.imports.variables import Variables
from dialer.app.touched_records import touched_campaigns, users_of_dnc
from dialer.app.unit import UnitOfWork
from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.numbers.emergency import emergency_error, is_emergency
from dialer.domain.numbers.normal_form import NumberError, is_possible, normalise
from dialer.domain.search_keys import name_key
from dialer.store.bulk import Among, bulk_insert
from dialer.store.contact_collection import collect_phonebook
from dialer.store.queries.do_not_call import entries_on
from dialer.store.tables import Row

IMPORT_BYTES_MAX: Final = 200 * 1024 * 1024
CHUNK_ROWS: Final = 5_000
"""Rows of one transaction."""
FULL_NAME_MAX: Final = 255
READ_ONLY_COLUMNS: Final = frozenset({"id", "url", "phonebook", "created_date", "updated_date"})
"""Columns of an export of contacts that are not imported: the new contacts get their own values."""

_TABLES: Final = Row.metadata.tables

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
        self._region = region
        self._place = 0
        self._is_export = False
        stamps = ("user_id", "created_date", "updated_date")
        names = (self._parent.name, self.column, "number", *self._further, *stamps)
        self._insert = bulk_insert(self._table, *names)

    def begin(self, columns: Sequence[str]) -> None:
        """Prepare for rows with these columns."""
        self._place = _place(columns, self.column)
        self._is_export = {name.lower() for name in columns} >= self._exported

    def row(self, cells: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
        """Return the number of a row in normal form, and the values to store; raises RowError."""
        cell = cells[self._place] if self._is_export else cells[self._place].strip()
        try:
            number = normalise(cell, self._region)
            self._check(cell, number)
        except NumberError as error:
            raise RowError(error.problem, f"{self.column}: {error}", cell) from None
        return number, (self.parent_id, cell, number, *self._values(cells, number))

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
        self._stored(unit, len(added))
        return len(added)

    def stored_numbers(self, connection: Connection, numbers: Collection[str]) -> set[str]:
        """Return those of the numbers that the parent has already.

        Raises:
            ImportTargetGoneError: the parent has been deleted.
        """
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

    def _stored(self, unit: UnitOfWork, count: int) -> None:
        """Do what follows in the same transaction, and note what was touched."""
        raise NotImplementedError


class ContactRows(NumberRows):
    """Contacts of a phonebook, which become subscribers of the started campaigns that call it."""

    column = "contact"
    _exported = frozenset({"url", "additional_vars"})
    _table = _TABLES["contact"]
    _parent = _table.c.phonebook_id
    _parents = _TABLES["phonebook"]
    _further = ("zone", "full_name", "full_name_key", "additional_vars")
    _among = Among(_table.c.number, _parent == bindparam("parent"))

    def begin(self, columns: Sequence[str]) -> None:
        """Prepare for rows. Columns besides number and name are variables, except read-only columns of an export."""
        super().begin(columns)
        self._name_place = _place(columns, "full_name")
        others = {self._place, self._name_place}
        skipped = READ_ONLY_COLUMNS if self._is_export else frozenset[str]()
        named = [(place, name) for place, name in enumerate(columns) if place not in others and name]
        self._variables = Variables(
            [(place, name) for place, name in named if name.lower() not in skipped], is_export=self._is_export
        )

    def _check(self, cell: str, number: str) -> None:
        if is_emergency(number):
            raise emergency_error(cell)

    def _values(self, cells: Sequence[str], number: str) -> tuple[Any, ...]:
        full_name = cells[self._name_place] if self._name_place >= 0 else ""
        if not self._is_export:
            full_name = full_name.strip()
        if len(full_name) > FULL_NAME_MAX:
            raise RowError("full_name", f"full_name: more than {FULL_NAME_MAX} characters", full_name)
        return zone_of_number(number), full_name, name_key(full_name), self._variables.of(cells)

    def _stored(self, unit: UnitOfWork, count: int) -> None:
        campaign_ids = collect_phonebook(unit.connection, self.parent_id, unit.now_ms)
        unit.note(touched_campaigns(*campaign_ids), ContactsImported(self.parent_id, count))


class DncRows(NumberRows):
    """Numbers of a do-not-call list."""

    column = "phone_number"
    _exported = frozenset({"url", "dnc"})
    _table = _TABLES["dnc_contact"]
    _parent = _table.c.dnc_id
    _parents = _TABLES["dnc_list"]

    def _known(self, connection: Connection, numbers: Collection[str]) -> set[str]:
        return {number for _, number in entries_on(connection, [self.parent_id], numbers)}

    def _stored(self, unit: UnitOfWork, count: int) -> None:
        unit.note(users_of_dnc(unit.connection, self.parent_id), NumbersCalledOff(self.parent_id, count))


def _place(columns: Sequence[str], wanted: str) -> int:
    """Return the place of a column, its name in upper or lower case; -1 if there is none."""
    return next((place for place, name in enumerate(columns) if name.lower() == wanted), -1)


class ImportOptions(msgspec.Struct, frozen=True):
    """The options of an import."""

    columns: Mapping[str, str] = {}
    """Other names for columns of the file, by their names in lower case; an empty name leaves a column out."""
    charset: str = UTF8
    """A key of `dialer.app.imports.charsets.CHARSETS`."""
    is_dry: bool = False
    """True if nothing is stored, and only the report is wanted."""
    errors_max: int = ERRORS_MAX
    """The most rejected rows in the report."""


_PLAIN: Final = ImportOptions()


def import_csv(
    chunks: Iterable[bytes], target: NumberRows, commit: Commit, options: ImportOptions = _PLAIN
) -> ImportReport:
    """Import a file while it arrives, `CHUNK_ROWS` rows in a transaction.

    Raises:
        CsvError: it has no usable header, so nothing was imported; or it is not in its charset.
        ImportTargetGoneError: the target was deleted meanwhile.
        StorageUnavailableError: from `commit`; all chunks before this one are stored.
    """
    file = CsvFile(as_utf8(chunks, options.charset), required=target.column, renamed=options.columns)
    target.begin(file.columns)
    report = ImportReport(errors=[], warnings=[])
    with SeenNumbers() as seen:
        store = partial(_would_store, target, seen) if options.is_dry else target.store
        for rows in _chunks(file, target, report, options.errors_max):
            added = commit(partial(store, rows=rows))
            report.imported += added
            report.duplicates += len(rows) - added
    return report


def _would_store(target: NumberRows, seen: SeenNumbers, unit: UnitOfWork, rows: Mapping[str, tuple[Any, ...]]) -> int:
    """Return how many rows an import would store, after the rows that were seen before."""
    return seen.add(rows.keys() - target.stored_numbers(unit.connection, rows))


def _chunks(
    file: CsvFile, target: NumberRows, report: ImportReport, errors_max: int
) -> Iterator[dict[str, tuple[Any, ...]]]:
    """Yield the rows that can be imported, by number, `CHUNK_ROWS` at a time; report the others."""
    rows: dict[str, tuple[Any, ...]] = {}
    for record in file:
        if record.problem is not None:
            report.reject(record.line, RowError("row", record.problem, ""), most=errors_max)
            continue
        try:
            number, values = target.row(record.cells)
        except RowError as error:
            report.reject(record.line, error, most=errors_max)
            continue
        if number in rows:
            report.duplicates += 1
            continue
        if not is_possible(number):
            report.warn(record.line, number)
        rows[number] = values
        if len(rows) == CHUNK_ROWS:
            yield rows
            rows = {}
    if rows:
        yield rows
