"""The table of agents' days: a row for each agent and day, or for each agent. It is shown, and exported as CSV."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from itertools import groupby
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from dialer.app.call_centre.agent_days import ReportedDay
from dialer.console.parts.rendering import clock
from dialer.console.parts.sheets import Sheet, SheetColumn, Value, ValueKind
from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.queueing.agent_days import occupancy_of
from dialer.domain.queueing.agent_periods import DutyEnd, WorkState

REASONS_MAX: Final = 10
"""Reasons of breaks with a column of their own: those with the longest times."""
STATE_WORDS: Final[Mapping[WorkState, str]] = {
    WorkState.AVAILABLE: gettext_noop("Available"),
    WorkState.LOOKING: gettext_noop("Before a call"),
    WorkState.RINGING: gettext_noop("Telephone rings"),
    WorkState.TALKING: gettext_noop("Talks"),
    WorkState.WRAPPING_UP: gettext_noop("Wrapping up"),
    WorkState.ON_BREAK: gettext_noop("On a break"),
}
OCCUPANCY: Final = gettext_noop("The time in calls, in wrap-up and before calls, of the time logged in without breaks.")
_ENDS: Final[Mapping[str, str]] = {
    DutyEnd.AGENT: gettext_noop("by the agent"),
    DutyEnd.OTHERS: gettext_noop("by a supervisor or a program"),
    DutyEnd.DESK_CLOSED: gettext_noop("the desk was closed"),
    DutyEnd.MISSED_CALLS: gettext_noop("the telephone did not answer"),
    DutyEnd.PREVIEW_OVER: gettext_noop("a person was neither called nor skipped in time"),
}


class Each(StrEnum):
    """The rows of the table."""

    DAY = "day"
    """One for each agent and day."""
    AGENT = "agent"


class _Row(NamedTuple):
    """The figures of one row: those of a day, or the sums of several."""

    days: list[ReportedDay]
    spent: Counter[WorkState]
    breaks: Counter[str]

    @classmethod
    def of(cls, days: Sequence[ReportedDay]) -> "_Row":
        """Return the row of some days."""
        spent, breaks = Counter[WorkState](), Counter[str]()
        for one in days:
            spent.update(one.work.spent)
            breaks.update(one.work.breaks)
        return cls(list(days), spent, breaks)


class _Column(NamedTuple):
    column: SheetColumn
    value: Callable[[_Row], Value]
    is_kept: bool = False
    """True if the column stays even if all its values are nothing."""


def days_sheet(days: Sequence[ReportedDay], each: Each, zone: ZoneInfo) -> tuple[Sheet, tuple[Value, ...]]:
    """Return the days of agents as a table, and the row of their sums. Empty columns are left out."""
    rows = [_Row.of(some) for some in days_of_rows(days, each)]
    everything = _Row.of(days)
    columns = [one for one in _columns(everything, each, zone) if one.is_kept or any(one.value(row) for row in rows)]
    shown = [(row.days[0].name, *(one.value(row) for one in columns)) for row in rows]
    summed = [one.value(everything) if one.column.kind is not ValueKind.TEXT else "" for one in columns]
    return Sheet([SheetColumn(gettext("Agent"), ValueKind.TEXT), *(one.column for one in columns)], list(shown)), (
        gettext("All"),
        *summed,
    )


def days_of_rows(days: Sequence[ReportedDay], each: Each) -> list[list[ReportedDay]]:
    """Return the days of each row."""
    if each is Each.DAY:
        return [[one] for one in days]
    return [list(some) for _, some in groupby(days, key=lambda one: one.agent_id)]


def end_in_words(cause: str) -> str:
    """Return the cause of the end of a duty in words; empty if it is unknown."""
    words = _ENDS.get(cause, "")
    return gettext(words) if words else ""


def _columns(everything: _Row, each: Each, zone: ZoneInfo) -> list[_Column]:
    of_days = [
        _text(gettext("Day"), lambda row: row.days[0].day.date.isoformat()),
        _text(gettext("First log-in"), lambda row: _clock(row.days[0].work.first_log_in_ms, zone)),
        _text(gettext("Last log-out"), lambda row: _log_out(row.days[0], zone)),
    ]
    reasons = [reason for reason, _ in everything.breaks.most_common(REASONS_MAX) if reason]
    return [
        *(of_days if each is Each.DAY else [_number(gettext("Days"), lambda row: len(row.days))]),
        _time(gettext("Logged in"), lambda row: row.spent.total()),
        _time(gettext("On a break"), lambda row: row.spent[WorkState.ON_BREAK]),
        *(_break(reason) for reason in sorted(reasons)),
        *(_time(gettext(words), _in_state(state)) for state, words in STATE_WORDS.items() if state not in _ELSEWHERE),
        _time(gettext("Talked"), _in_state(WorkState.TALKING)),
        _time(gettext("Of it on hold"), lambda row: sum(one.on_hold_ms for one in row.days)),
        _time(gettext("Wrapping up"), _in_state(WorkState.WRAPPING_UP)),
        _Column(
            SheetColumn(gettext("Occupancy"), ValueKind.SHARE, gettext(OCCUPANCY)),
            lambda row: occupancy_of(row.spent),
            is_kept=True,
        ),
        _number(gettext("Calls taken"), lambda row: sum(one.work.taken for one in row.days)),
        _number(gettext("Calls missed"), lambda row: sum(one.work.missed for one in row.days)),
        *([_text(gettext("Remarks"), _remarks)] if each is Each.DAY else []),
    ]


_ELSEWHERE: Final = {WorkState.TALKING, WorkState.WRAPPING_UP, WorkState.ON_BREAK}
"""States whose columns stand at another place, or have another title."""


def _text(title: str, value: Callable[[_Row], Value]) -> _Column:
    return _Column(SheetColumn(title, ValueKind.TEXT), value, is_kept=True)


def _number(title: str, value: Callable[[_Row], Value]) -> _Column:
    return _Column(SheetColumn(title), value, is_kept=True)


def _time(title: str, spent_ms: Callable[[_Row], int]) -> _Column:
    return _Column(SheetColumn(title, ValueKind.SECONDS), lambda row: round(spent_ms(row) / 1_000))


def _in_state(state: WorkState) -> Callable[[_Row], int]:
    return lambda row: row.spent[state]


def _break(reason: str) -> _Column:
    return _time(gettext("Break: %(reason)s") % {"reason": reason}, lambda row: row.breaks[reason])


def _clock(at_ms: int | None, zone: ZoneInfo) -> str:
    return "" if at_ms is None else clock(at_ms, zone)


def _log_out(one: ReportedDay, zone: ZoneInfo) -> str:
    """Return the time of the last log-out; empty if the agent came again since, and is still there."""
    return "" if one.work.goes_on else _clock(one.work.last_log_out_ms, zone)


def _remarks(row: _Row) -> str:
    work = row.days[0].work
    remarks = [
        gettext("logged in since the day before") if work.is_from_before else "",
        gettext("still logged in") if work.goes_on else "",
        end_in_words(work.ended_by),
    ]
    return ", ".join(one for one in remarks if one)
