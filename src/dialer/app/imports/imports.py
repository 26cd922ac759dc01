"""Imports: files of numbers become contacts of a phonebook or of a do-not-call list.

A file is imported in chunks, each in one transaction. Numbers that are there already are skipped, so an import that
was cut off can be run again.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple

import msgspec

from dialer.app.imports.column_roles import NO_ROLES, ColumnRoles
from dialer.app.imports.csv_records import PLAIN_FORM, CsvRecord, TableForm
from dialer.app.imports.file_warnings import ROWS_SEEN_MAX, warn_of_columns, warn_of_country, warn_of_entries
from dialer.app.imports.first_rows import first_rows
from dialer.app.imports.footers import COUNT_DIGITS_MAX, is_footer
from dialer.app.imports.list_files import ListFile, open_list
from dialer.app.imports.number_rows import ContactRows, NumberRows, StoredRows
from dialer.app.imports.refusals import RefusalSearch, Wish
from dialer.app.imports.report import ERRORS_MAX, ImportReport, RowError
from dialer.app.imports.seen_numbers import SeenNumbers
from dialer.app.work.unit import UnitOfWork
from dialer.domain.numbers.doubts import doubt_of
from dialer.domain.numbers.normal_form import NumberProblem
from dialer.domain.words.sentences import Sentence, message_of

IMPORT_BYTES_MAX: Final = 200 * 1024 * 1024
CHUNK_ROWS: Final = 5_000
"""Rows of one transaction."""
CHUNK_BYTES: Final = 8 * 1024 * 1024
"""Bytes of the rows of a workbook after which a transaction begins: few bytes of its file may be many of its rows."""
WATCHED_ROWS: Final = 200
"""Rows after which the progress of an import is told."""
Commit = Callable[[Callable[[UnitOfWork], StoredRows]], StoredRows]
"""Runs a unit of work in a writing transaction, and returns its result once that is committed."""
_TEXT_PLACE: Final = 1
"""The place of the number as it is written among the values of a row, behind the parent."""
_NO_CONSENT: Final = Sentence("Nothing says that the person may be called.")


class ImportOptions(msgspec.Struct, frozen=True):
    """The options of an import."""

    columns: Mapping[str, str] = {}
    """Other names for columns of the file, by their names in lower case; an empty name leaves a column out."""
    form: TableForm = PLAIN_FORM
    """The form of the file, as far as it is known."""
    region: str | None = None
    """The country of numbers without one (ISO 3166); empty for no country, None for that of the caller."""
    roles: ColumnRoles = NO_ROLES
    """Columns that say more about the number, or who must not be called."""
    lists_refused: bool = True
    """True if those who must not be called are put on the account's do-not-call list; they are left out anyway."""
    mends_zeros: bool = False
    """True if numbers get a 0 back that a spreadsheet took, where the 0 belongs to the number."""
    joins_names: bool = False
    """True if columns `first_name` and `last_name` together are the name of a contact that has none."""
    is_dry: bool = False
    """True if nothing is stored, and only the report is wanted."""
    errors_max: int = ERRORS_MAX
    """The most rejected rows in the report."""
    on_progress: Callable[[int, float], None] | None = None
    """Gets, after each `WATCHED_ROWS` rows, their count and how much of a workbook is read (0 to 1).

    It may raise, such as ImportStoppedError.
    """
    on_rejected: Callable[[CsvRecord, str], None] | None = None
    """Gets each rejected row with the reason."""
    on_numbers: Callable[[Sequence[str]], None] | None = None
    """Gets numbers without a country from all parts of the file."""


_PLAIN: Final = ImportOptions()


class ImportStoppedError(Exception):
    """An error by which `on_progress` stops an import. All chunks before are stored."""

    report: ImportReport | None = None
    """The report of the rows until then."""


def import_csv(
    chunks: Iterable[bytes], target: NumberRows, commit: Commit, options: ImportOptions = _PLAIN
) -> ImportReport:
    """Import a file while it arrives, `CHUNK_ROWS` rows in a transaction.

    Raises:
        CsvError: it is no list or has no usable header, so nothing was imported; or it is not in its charset.
        ImportStoppedError: from `on_progress`, with the report so far.
        ImportTargetGoneError: the target was deleted meanwhile.
        StorageUnavailableError: from `commit`; all chunks before this one are stored.
    """
    report = ImportReport(errors=[], warnings=[], file_warnings=[], kinds={})
    opened = open_list(chunks, required=target.column, renamed=options.columns, form=options.form)
    with opened as file, SeenNumbers() as seen, SeenNumbers() as refused:
        target.begin(file.columns, joins_names=options.joins_names, roles=options.roles)
        target.mends_zeros = options.mends_zeros
        store = partial(_would_store, target, seen) if options.is_dry else partial(_store, target, options)
        try:
            for chunk in _chunks(file, target, report, options, refused):
                stored = commit(partial(store, chunk))
                report.imported += stored.added
                report.duplicates += len(chunk.rows) - stored.added
                report.on_dnc += stored.on_dnc
                report.on_other_dnc += stored.on_other_dnc
        except ImportStoppedError as stopped:
            stopped.report = report
            raise
        report.hidden = file.left_out
    numbers = target.sampled_numbers()
    if not target.is_export and not (target.is_list and target.region is None):  # Ours has been looked at before.
        warn_of_country(report, numbers, target.region or "", file.columns)
    if target.is_list:
        warn_of_entries(report)
    if options.on_numbers is not None:
        options.on_numbers(numbers)
    return report


class _Chunk(NamedTuple):
    """Rows of one transaction, by number: those to store, and the numbers of people who must not be called."""

    rows: dict[str, tuple[Any, ...]]
    refused: dict[str, tuple[str, str]]
    """Each with its text, and the words that refuse calls."""


def _store(target: NumberRows, options: ImportOptions, chunk: _Chunk, unit: UnitOfWork) -> StoredRows:
    if chunk.refused and options.lists_refused:
        target.call_off(unit, chunk.refused)
    return target.store(unit, chunk.rows)


def _would_store(target: NumberRows, seen: SeenNumbers, chunk: _Chunk, unit: UnitOfWork) -> StoredRows:
    """Return what an import would store, after the rows that were seen before."""
    new = chunk.rows.keys() - target.stored_numbers(unit.connection, chunk.rows)
    listed = target.listed(unit.connection, new)
    counts = [sum(number not in seen for number in numbers) for numbers in listed]
    return StoredRows(seen.add(new), *counts)


def _chunks(
    file: ListFile, target: NumberRows, report: ImportReport, options: ImportOptions, refused: SeenNumbers
) -> Iterator[_Chunk]:
    """Yield the rows that can be imported, `CHUNK_ROWS` at a time; report the others."""
    chunk, usual_row, stored_bytes = _Chunk({}, {}), target.usual_row, 0
    records = iter(file) if options.on_progress is None else _watched(file, options.on_progress)
    first = first_rows(records, ROWS_SEEN_MAX)
    seen = [record.cells for record in first if record.problem is None]
    target.look_at(seen)
    search = RefusalSearch(file.columns, options.roles.names) if target.counts_refusals(is_dry=options.is_dry) else None
    for record in chain(first, records):
        if record.problem is not None and is_footer(record.cells):
            report.totals += 1
            continue
        if record.problem is not None:
            _reject(report, record, RowError("row", record.problem, ""), options)
            continue
        if search is not None:
            search.look_at(record.cells)
        usual = usual_row(record.cells)
        if usual is None:
            _take(record, target, report, options, chunk, refused)
        elif usual[0] in chunk.rows:
            report.duplicates += 1
        else:
            chunk.rows[usual[0]] = usual[1]
        if len(chunk.rows) + len(chunk.refused) >= CHUNK_ROWS or file.row_bytes - stored_bytes > CHUNK_BYTES:
            refused.add(chunk.refused)
            yield chunk
            chunk, stored_bytes = _Chunk({}, {}), file.row_bytes
    if chunk.rows or chunk.refused:
        yield chunk
    if isinstance(target, ContactRows) and not target.is_export:
        warn_of_columns(report, file.columns, seen, options.roles, {} if search is None else search.found)


def _take(
    record: CsvRecord,
    target: NumberRows,
    report: ImportReport,
    options: ImportOptions,
    chunk: _Chunk,
    refused: SeenNumbers,
) -> None:
    """Put a row into a chunk, or report why it is not stored."""
    found, error = target.rows_of(record.cells)
    if error is not None:
        _refuse(record, error, report, options, has_number=bool(found))
    wish = target.wish_in(record.cells) if found and target.has_wishes else Wish.NONE
    for number, values in found:
        if wish is Wish.REFUSED or number in chunk.refused or (options.roles.refusals and number in refused):
            # An earlier row of the same number is left out as well.
            report.not_to_be_called += 1 + (chunk.rows.pop(number, None) is not None)
            chunk.refused.setdefault(number, (values[_TEXT_PLACE], target.refusal_in(record.cells)))
        elif wish is Wish.UNKNOWN:
            _reject(report, record, RowError("no_consent", _NO_CONSENT, values[_TEXT_PLACE]), options)
        elif number in chunk.rows:
            report.duplicates += 1
        elif (
            target.counts_totals
            and not target.is_export
            and len(values[_TEXT_PLACE]) <= COUNT_DIGITS_MAX
            and is_footer(record.cells)
        ):
            report.totals += 1
        else:
            chunk.rows[number] = values
            _remark(record, number, values, target, report)
    target.remarks.clear()


def _remark(record: CsvRecord, number: str, values: tuple[Any, ...], target: NumberRows, report: ImportReport) -> None:
    """Report what is worth a look at a row that is stored."""
    doubt = values[-1] if target.is_list else doubt_of(number)
    if doubt:
        report.warn(record.line, number, doubt)
    zone_remark = target.remark_on_zone(record.cells, number) if target.has_own_zones else None
    if zone_remark is not None:
        report.warn_of(record.line, zone_remark)
    for remark in target.remarks:
        report.warn_of(record.line, remark)
    target.remarks.clear()


def _refuse(
    record: CsvRecord, error: RowError, report: ImportReport, options: ImportOptions, *, has_number: bool
) -> None:
    """Report why a row, or a number of it, is refused, unless it is an empty line or a total."""
    if error.kind == NumberProblem.EMPTY and not any(map(str.strip, record.cells)):
        return  # Spreadsheet programs write such lines at the end.
    if not has_number and is_footer(record.cells):
        report.totals += 1
    else:
        _reject(report, record, error, options)


def _watched(file: ListFile, on_progress: Callable[[int, float], None]) -> Iterator[CsvRecord]:
    """Yield the records of a file, and tell the progress."""
    for count, record in enumerate(file, 1):
        if not count % WATCHED_ROWS:
            on_progress(count, file.share)
        yield record


def _reject(report: ImportReport, record: CsvRecord, error: RowError, options: ImportOptions) -> None:
    report.reject(record.line, error, most=options.errors_max)
    if options.on_rejected is not None:
        options.on_rejected(record, message_of(error))
