"""Warnings about a file as a whole, for those who import it without a look at it."""

from collections.abc import Mapping, Sequence
from typing import Final

from dialer.app.imports.column_roles import ColumnRoles
from dialer.app.imports.file_country import SHARE_MIN, Hints, judge, same_plan
from dialer.app.imports.refusals import Suspicion, likely_kind, suspicion_of
from dialer.app.imports.report import FileRemark, ImportReport
from dialer.app.imports.report_words import entries_in_words
from dialer.domain.words.sentences import Sentence, counting_sentence

ROWS_SEEN_MAX: Final = 100
"""The first rows, by whose cells the meaning of a column is told."""


def warn_of_country(report: ImportReport, numbers: Sequence[str], region: str, columns: Sequence[str]) -> None:
    """Warn if numbers without a country do not look like those of the country with which they were read."""
    told = judge(numbers, Hints(named=region, headers=columns))
    best = told.options[0] if told.options else None
    if not told.judged:
        return
    if not region:
        reason: str = counting_sentence(
            "%(count)s number has no country, so it has no time zone, and do-not-call lists may miss it. Give its"
            " region.",
            "%(count)s numbers have no country, so they have no time zone, and do-not-call lists may miss them. Give"
            " their region.",
            told.judged,
        )
        report.file_warnings.append(FileRemark(reason, "no_country"))
    elif best is None or best.fits < SHARE_MIN * told.judged:
        fits = 0 if best is None else best.fits
        reason = Sentence(
            "Only %(fits)s of %(count)s numbers without a country look like numbers of %(region)s.",
            fits=fits,
            count=told.judged,
            region=region,
        )
        report.file_warnings.append(FileRemark(reason, "other_country"))
    elif not same_plan(best.region, region):
        reason = Sentence(
            "%(fits)s of %(count)s numbers without a country look like numbers of %(other)s, and were read as numbers"
            " of %(region)s.",
            fits=best.fits,
            count=told.judged,
            other=best.region,
            region=region,
        )
        report.file_warnings.append(FileRemark(reason, "other_country"))


def warn_of_entries(report: ImportReport) -> None:
    """Add warnings to a report if entries of a do-not-call list protect nobody or have no country."""
    report.file_warnings += (FileRemark(reason, kind) for kind, reason in entries_in_words(report.kinds))


def warn_of_columns(
    report: ImportReport,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    roles: ColumnRoles,
    found: Mapping[str, int],
) -> None:
    """Warn of columns that seem to say who must not be called, and are read as texts.

    `found` counts the rows of the whole file whose words refuse calls, by column, if it was searched.
    """
    for place, name in enumerate(columns):
        if not name or name.lower() in roles.refusals:
            continue
        suspicion = suspicion_of(name, [cells[place] for cells in rows if place < len(cells)])
        if suspicion is Suspicion.NOTHING and name not in found:
            continue
        meaning = str(likely_kind(name))
        if name in found:
            reason: str = counting_sentence(
                "The column %(column)r has words that refuse calls in %(count)s row, and was read as a text. Give its"
                " meaning with columns=…:%(meaning)s.",
                "The column %(column)r has words that refuse calls in %(count)s rows, and was read as a text. Give its"
                " meaning with columns=…:%(meaning)s.",
                found[name],
                column=name,
                meaning=meaning,
            )
        else:
            reason = Sentence(
                "The column %(column)r may say who must not be called, and was read as a text. Give its meaning with"
                " columns=…:%(meaning)s.",
                column=name,
                meaning=meaning,
            )
        report.file_warnings.append(FileRemark(reason, "do_not_call_column", name))
