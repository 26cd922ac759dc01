"""The changes of files as lines for people: records, and the people of lists row by row."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from dialer.app.imports.report_words import readings_in_words
from dialer.files.applying import RecordChange
from dialer.files.people_files import PeopleReport

ROWS_SHOWN_MAX: Final = 20
"""Rows of one list that are refused or look wrong, and that are shown. JSON has more of them."""
_SIGNS: Final = {"new": "+", "changed": "~", "unchanged": "="}


def lines_of(changes: Sequence[RecordChange], people: Sequence[PeopleReport]) -> Iterator[str]:
    """Yield what changes, as lines."""
    reports = {(one.kind, one.name): one for one in people}
    shown = [_with_people(change, reports.get((change.kind, change.name))) for change in changes]
    for change in shown:
        yield f"{_SIGNS[change.action]} {change.kind} {change.name}: {change.action}"
        yield from (f"    {line}" for line in change.lines)
    counts = Counter(change.action for change in shown)
    yield ", ".join(f"{counts[action]} {action}" for action in _SIGNS)


def has_changes(changes: Sequence[RecordChange], people: Sequence[PeopleReport]) -> bool:
    """Return whether something changes."""
    return any(change.action != "unchanged" for change in changes) or any(one.result.imported for one in people)


def people_lines(report: PeopleReport) -> Iterator[str]:
    """Yield the result of an import: its counts, and the rows that are refused or look wrong."""
    result = report.result
    if not result.imported and not result.rejected and not result.not_to_be_called:
        return
    left_out = f", {result.not_to_be_called} not to be called" if result.not_to_be_called else ""
    counts = f"{result.imported} new, {result.duplicates} there already, {result.rejected} refused"
    yield f"{report.file}: {counts}{left_out}"
    yield from (f"  {report.file}: {one.reason}" for one in result.file_warnings)
    if result.imported:
        yield from (f"  {report.file}: {sentence}" for sentence in readings_in_words(result.kinds))
    remarks = [(one.line, f"refused: {one.reason}") for one in result.errors]
    if result.imported:
        remarks += [(one.line, f"imported, but {one.reason}") for one in result.warnings]
    remarks.sort()
    yield from (f"  {report.file}:{line}: {text}" for line, text in remarks[:ROWS_SHOWN_MAX])
    more = result.rejected + (result.warned if result.imported else 0) - len(remarks[:ROWS_SHOWN_MAX])
    if more > 0:
        yield f"  and {more} rows more, the first {len(remarks)} of them in all with --json"


def _with_people(change: RecordChange, report: PeopleReport | None) -> RecordChange:
    if report is None:
        return change
    is_changed = change.action == "unchanged" and report.result.imported > 0
    action = "changed" if is_changed else change.action
    return replace(change, action=action, lines=(*change.lines, *people_lines(report)))
