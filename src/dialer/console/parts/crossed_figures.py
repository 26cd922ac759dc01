"""Figures with a row an agent and a column an outcome or an hour of the day: the calls that each agent took."""

from collections import Counter
from typing import Final, NamedTuple

from dialer.app.campaigns.figures import By, FigureGroup
from dialer.console.parts.sheets import Sheet, SheetColumn, Value, ValueKind
from dialer.console.words.language import gettext
from dialer.console.words.state_words import said_in_words
from dialer.domain.figures.statistics import agent_and_outcome

OUTCOMES_MAX: Final = 20
"""Columns of outcomes: those with most calls. The others share one more column."""


class CrossedRow(NamedTuple):
    """An agent, and the calls that the agent took by their outcome or hour of the day."""

    agent_id: str
    name: str
    taken: Counter[str]


def crossed_rows(groups: list[FigureGroup]) -> list[CrossedRow]:
    """Return a row for each agent, those with most calls first."""
    found: dict[str, CrossedRow] = {}
    for group in groups:
        agent_id, column = agent_and_outcome(str(group.key))
        name = group.name or gettext("Deleted (%(number)s)") % {"number": agent_id}
        row = found.setdefault(agent_id, CrossedRow(agent_id, name, Counter()))
        row.taken[column] += group.figures.legs_answered
    return sorted(found.values(), key=lambda row: (-row.taken.total(), row.name, row.agent_id))


def crossed_sheet(groups: list[FigureGroup], by: By) -> tuple[Sheet, tuple[Value, ...]]:
    """Return a table of the calls that agents took, and the row of its sums."""
    rows, sums = crossed_rows(groups), Counter[str]()
    for row in rows:
        sums.update(row.taken)
    shown = _hours(sums) if by is By.AGENT_HOUR else _outcomes(sums)
    has_others = sum(sums[column] for column in shown) < sums.total()
    columns = [SheetColumn(gettext("Agent"), ValueKind.TEXT), SheetColumn(gettext("Calls taken"))]
    columns += [_column(column, by) for column in shown]
    columns += [SheetColumn(gettext("Other outcomes"))] if has_others else []

    def cells(taken: Counter[str]) -> tuple[int, ...]:
        counts = [taken[column] for column in shown]
        others = [taken.total() - sum(counts)] if has_others else []
        return (taken.total(), *counts, *others)

    return Sheet(columns, [(row.name, *cells(row.taken)) for row in rows]), (gettext("All"), *cells(sums))


def outcome_in_words(outcome: str) -> str:
    """Return an outcome such as `Sold = success` in words: those of the campaign, with the usual ones behind them."""
    word, disposition = _parts(outcome)
    usual = said_in_words(disposition, "") if disposition else gettext("None given")
    return f"{word} ({usual})" if word else usual


def _parts(outcome: str) -> tuple[str, str]:
    """Return the campaign's word and the disposition of an outcome."""
    word, _, disposition = outcome.rpartition(" = ")
    return word, disposition


def _hours(sums: Counter[str]) -> list[str]:
    return sorted(hour for hour, taken in sums.items() if taken)


def _outcomes(sums: Counter[str]) -> list[str]:
    """Return the outcomes with most calls, and last the calls without one."""
    said = sorted((one for one, taken in sums.items() if one and taken), key=lambda one: (-sums[one], one))
    return [*said[:OUTCOMES_MAX], *([""] if sums[""] else [])]


def _column(column: str, by: By) -> SheetColumn:
    return SheetColumn(f"{column}:00" if by is By.AGENT_HOUR else outcome_in_words(column))
