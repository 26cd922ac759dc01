"""The changes of files as lines for people: records, and the people of lists row by row."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from dialer.app.imports.report import ImportReport
from dialer.app.imports.report_words import readings_in_words
from dialer.files.applying import RecordChange
from dialer.files.people_files import PeopleReport

ROWS_SHOWN_MAX: Final = 20
"""Rows of one list that are refused or look wrong, and that are shown. JSON has more of them."""
_FURTHER: Final = {
    "not_to_be_called": "not to be called",
    "hidden": "hidden rows left out",
    "totals": "totals and notes left out",
}
"""Counts of rows that are left out, in words."""
_SIGNS: Final = {"new": "+", "changed": "~", "unchanged": "="}


def lines_of(changes: Sequence[RecordChange], people: Sequence[PeopleReport]) -> Iterator[str]:
    """Yield a line of text for each change."""
    reports = {(one.kind, one.name): one for one in people}
    shown = [_with_people(change, reports.get((change.kind, change.name))) for change in changes]
    for change in shown:
        yield f"{_SIGNS[change.action]} {change.kind} {change.name}: {change.action}"
        yield from (f"    {line}" for line in change.lines)
    counts = Counter(change.action for change in shown)
    yield ", ".join(f"{counts[action]} {action}" for action in _SIGNS)


def has_changes(changes: Sequence[RecordChange], people: Sequence[PeopleReport]) -> bool:
    """Return whether any change or import is not empty."""
    return any(change.action != "unchanged" for change in changes) or any(one.result.imported for one in people)


def people_lines(report: PeopleReport) -> Iterator[str]:
    """Yield the result of an import: its counts, and the rows that are refused or look wrong."""
    result = report.result
    further = [f"{getattr(result, name)} {words}" for name, words in _FURTHER.items() if getattr(result, name)]
    if not result.imported and not result.rejected and not further:
        return
    counts = [f"{result.imported} new", f"{result.duplicates} there already", f"{result.rejected} refused"]
    yield f"{report.file}: {', '.join([*counts, *further])}"
    yield from (f"  {line}" for line in listed_lines(result))
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


def listed_lines(result: ImportReport) -> Iterator[str]:
    """Yield a line with the number of new people on do-not-call lists."""
    if result.on_dnc:
        yield f"{result.on_dnc} of the new ones are on a do-not-call list, and will not be called"
    if result.on_other_dnc:
        more = "more" if result.on_dnc else "of the new ones"
        yield f"{result.on_other_dnc} {more} are on another do-not-call list: campaigns that name it do not call them"


def _with_people(change: RecordChange, report: PeopleReport | None) -> RecordChange:
    if report is None:
        return change
    is_changed = change.action == "unchanged" and report.result.imported > 0
    action = "changed" if is_changed else change.action
    return replace(change, action=action, lines=(*change.lines, *people_lines(report)))
