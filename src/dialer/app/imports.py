"""Imports: CSV files of numbers become contacts of a phonebook or of a do-not-call list.

A file is taken in chunks of whole transactions, and what is there already is skipped: an import that was cut off is
simply run again.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final

import msgspec
from sqlalchemy import Column, Connection, Table, bindparam, select

from dialer.app.errors import UnknownRecordError
from dialer.app.events import ContactsImported, NumbersCalledOff
from dialer.app.touching import touched_campaigns, users_of_dnc
from dialer.app.unit import UnitOfWork
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.zones import zone_of_number
from dialer.store.bulk import Among, bulk_insert
from dialer.store.collecting import collect_phonebook
from dialer.store.csv_records import CsvFile
from dialer.store.queries.do_not_call import numbers_on
from dialer.store.tables import Row

IMPORT_BYTES_MAX: Final = 200 * 1024 * 1024
CHUNK_ROWS: Final = 5_000
"""Rows of one transaction."""
ERRORS_MAX: Final = 1_000
"""Rejected rows that a report names."""
FULL_NAME_MAX: Final = 255
VARIABLES_MAX: Final = 16_000
"""Characters of a contact's `additional_vars` as JSON text."""

_TABLES: Final = Row.metadata.tables

Commit = Callable[[Callable[[UnitOfWork], int]], int]
"""Runs a unit of work in a writing transaction, and returns what it returned once that is committed."""


class ImportTargetGoneError(UnknownRecordError):
    """Raised when the phonebook or list is deleted while it is filled. What was imported has gone with it."""


class RejectedRow(msgspec.Struct, frozen=True):
    """A row that was not imported: the line it begins on, and why."""

    line: int
    reason: str


class ImportReport(msgspec.Struct):
    """What became of the rows of a file."""

    imported: int = 0
    duplicates: int = 0
    """Rows whose number was there already, before this file or from it."""
    rejected: int = 0
    errors: list[RejectedRow] = []
    """The first `ERRORS_MAX` of the rejected rows."""

    def reject(self, line: int, reason: str) -> None:
        """Count a row that cannot be imported."""
        self.rejected += 1
        if len(self.errors) < ERRORS_MAX:
            self.errors.append(RejectedRow(line, reason))


class RowError(ValueError):
    """Raised for a row that cannot be imported; the message says why."""


class NumberRows:
    """What a file of numbers is imported into: rows of one table that are all part of one parent."""

    column: ClassVar[str]
    """The column with the number, in the header and in the table."""
    _table: ClassVar[Table]
    _parent: ClassVar[Column[int]]
    _parents: ClassVar[Table]
    _among: ClassVar[Among]
    _further: ClassVar[tuple[str, ...]] = ()

    def __init__(self, parent_id: int, *, region: str | None) -> None:
        self.parent_id: Final = parent_id
        self._region = region
        self._place = 0
        names = (self._parent.name, self.column, "number", *self._further, "created_date", "updated_date")
        self._insert = bulk_insert(self._table, *names)

    def begin(self, columns: Sequence[str]) -> None:
        """Get ready for rows with these columns."""
        self._place = _place(columns, self.column)

    def row(self, cells: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
        """The number of a row in normal form, and the values to store; raises RowError."""
        given = cells[self._place].strip()
        try:
            number = normalise(given, self._region)
        except NumberError as error:
            raise RowError(f"{self.column}: {error}") from None
        return number, (self.parent_id, given, number, *self._values(cells, number))

    def store(self, unit: UnitOfWork, rows: Mapping[str, tuple[Any, ...]]) -> int:
        """Add those rows, by number, that are not there yet; return how many these were.

        Raises:
            ImportTargetGoneError: the parent has been deleted.
        """
        connection, now_ms = unit.connection, unit.now_ms
        if connection.scalar(select(self._parents.c.id).where(self._parents.c.id == self.parent_id)) is None:
            raise ImportTargetGoneError
        known = self._known(connection, rows)
        added = [(*values, now_ms, now_ms) for number, values in rows.items() if number not in known]
        self._insert.run(connection, added)
        self._stored(unit, len(added))
        return len(added)

    def _known(self, connection: Connection, numbers: Collection[str]) -> set[str]:
        """Those of some numbers that the parent has already."""
        return self._among.run(connection, numbers, {"parent": self.parent_id})

    def _values(self, _cells: Sequence[str], _number: str) -> tuple[Any, ...]:
        """The values of the `_further` columns; raises RowError."""
        return ()

    def _stored(self, unit: UnitOfWork, count: int) -> None:
        """Do what follows in the same transaction, and note what was touched."""
        raise NotImplementedError


class ContactRows(NumberRows):
    """Contacts of a phonebook, which become subscribers of the started campaigns that call it."""

    column = "contact"
    _table = _TABLES["contact"]
    _parent = _table.c.phonebook_id
    _parents = _TABLES["phonebook"]
    _further = ("zone", "full_name", "additional_vars")
    _among = Among(_table.c.number, _parent == bindparam("parent"))

    def begin(self, columns: Sequence[str]) -> None:
        """Get ready: what is neither number nor name is a variable."""
        super().begin(columns)
        self._name_place = _place(columns, "full_name")
        others = {self._place, self._name_place}
        self._variables = [(place, name) for place, name in enumerate(columns) if place not in others]

    def _values(self, cells: Sequence[str], number: str) -> tuple[Any, ...]:
        full_name = cells[self._name_place].strip() if self._name_place >= 0 else ""
        if len(full_name) > FULL_NAME_MAX:
            raise RowError(f"full_name: more than {FULL_NAME_MAX} characters")
        variables = msgspec.json.encode({name: cells[place] for place, name in self._variables}).decode()
        if len(variables) > VARIABLES_MAX:
            raise RowError(f"additional_vars: more than {VARIABLES_MAX:,} characters")
        return zone_of_number(number), full_name, variables

    def _stored(self, unit: UnitOfWork, count: int) -> None:
        campaign_ids = collect_phonebook(unit.connection, self.parent_id, unit.now_ms)
        unit.note(touched_campaigns(*campaign_ids), ContactsImported(self.parent_id, count))


class DncRows(NumberRows):
    """Numbers of a do-not-call list."""

    column = "phone_number"
    _table = _TABLES["dnc_contact"]
    _parent = _table.c.dnc_id
    _parents = _TABLES["dnc_list"]

    def _known(self, connection: Connection, numbers: Collection[str]) -> set[str]:
        return set(numbers_on(connection, self.parent_id, numbers))

    def _stored(self, unit: UnitOfWork, count: int) -> None:
        unit.note(users_of_dnc(unit.connection, self.parent_id), NumbersCalledOff(self.parent_id, count))


def _place(columns: Sequence[str], wanted: str) -> int:
    """Where a column is, its name in any case; -1 if there is none."""
    return next((place for place, name in enumerate(columns) if name.lower() == wanted), -1)


def import_csv(chunks: Iterable[bytes], target: NumberRows, commit: Commit) -> ImportReport:
    """Import a file while it arrives, `CHUNK_ROWS` rows in a transaction.

    Raises:
        CsvError: it has no usable header; nothing was imported.
        ImportTargetGoneError: the target was deleted meanwhile.
        StorageUnavailableError: from `commit`; all chunks before this one are there.
    """
    file = CsvFile(chunks, required=target.column)
    target.begin(file.columns)
    report = ImportReport(errors=[])
    for rows in _chunks(file, target, report):
        added = commit(partial(target.store, rows=rows))
        report.imported += added
        report.duplicates += len(rows) - added
    return report


def _chunks(file: CsvFile, target: NumberRows, report: ImportReport) -> Iterator[dict[str, tuple[Any, ...]]]:
    """The rows that can be imported, by number, `CHUNK_ROWS` at a time; the others go into the report."""
    rows: dict[str, tuple[Any, ...]] = {}
    for record in file:
        if record.problem is not None:
            report.reject(record.line, record.problem)
            continue
        try:
            number, values = target.row(record.cells)
        except RowError as error:
            report.reject(record.line, str(error))
            continue
        if number in rows:
            report.duplicates += 1
            continue
        rows[number] = values
        if len(rows) == CHUNK_ROWS:
            yield rows
            rows = {}
    if rows:
        yield rows
