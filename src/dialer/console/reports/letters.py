"""The mail that brings a report: a text and HTML in the account's language, with a file or a link."""

from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from dialer.console.parts.people_sheet import LongSheet
from dialer.console.parts.rendering import date_of, moment, percentage, render, seconds
from dialer.console.parts.sheets import Sheet, Value, ValueKind
from dialer.console.parts.told_answers import ToldAnswers
from dialer.console.reports.kinds import ReportKind
from dialer.console.words.language import gettext, viewers_language
from dialer.mail.letter import Letter, MailFile

ROWS_MAX: Final = 200
"""Rows of a table that stand in a mail."""


class ReportHead(NamedTuple):
    """The origin of a report, for people who read it without the console."""

    schedule: str
    account: str
    campaign: str
    """Empty for a report about the whole account."""
    kind: ReportKind
    due_ms: int
    read_ms: int
    """The moment of the figures. A report that was not sent at first is made anew."""
    first_ms: int
    """A moment of the day before."""
    zone: ZoneInfo
    base: str
    """The address of the service; empty if it is not known."""


class ReportBody(NamedTuple):
    """The content of a mail with a report: one of these."""

    told: ToldAnswers | None = None
    table: Sheet | None = None
    is_cut: bool = False
    """True if the report has more rows than the table."""
    file: MailFile | None = None
    link: str = ""
    link_until_ms: int = 0


async def shown_table(sheet: LongSheet) -> ReportBody:
    """Return the first `ROWS_MAX` rows of a table as the content of a mail."""
    rows: list[tuple[Value, ...]] = []
    async for chunk in sheet.chunks:
        rows += chunk.rows[: ROWS_MAX + 1 - len(rows)]
        if len(rows) > ROWS_MAX:
            break
    return ReportBody(table=Sheet(sheet.columns, rows[:ROWS_MAX]), is_cut=len(rows) > ROWS_MAX)


def write_letter(head: ReportHead, body: ReportBody) -> Letter:
    """Return the mail that brings a report."""
    title, about = gettext(head.kind.title), _about(head)
    lines = [head.campaign or head.account, title, "", *about, "", *_content(body, head.zone), "", _foot(head)]
    shown = {
        "language_code": viewers_language().code,
        "heading": head.campaign or head.account,
        "title": title,
        "about": about,
        "body": body,
        "cells": _cells(body.table),
        "told": body.told,
        "sentences": _sentences(body, head.zone),
        "foot": _foot(head),
    }
    when = date_of(head.first_ms if head.kind.is_of_day_before else head.due_ms, head.zone)
    return Letter(
        f"{head.campaign or head.account}: {title}, {when}",
        "\n".join(lines) + "\n",
        render("mail_report.html", **shown),
        viewers_language().code,
        () if body.file is None else (body.file,),
    )


def _about(head: ReportHead) -> list[str]:
    """Return whose report it is, of which time, and in which zone."""
    found = [gettext("Account: %(account)s") % {"account": head.account}]
    if head.campaign:
        found.append(gettext("Campaign: %(campaign)s") % {"campaign": head.campaign})
    if head.kind.is_of_day_before:
        found.append(gettext(head.kind.of_day) % {"day": date_of(head.first_ms, head.zone)})
    else:
        found.append(gettext("As of %(moment)s.") % {"moment": moment(head.read_ms, head.zone)})
    return [*found, gettext("Times are in %(zone)s.") % {"zone": head.zone.key}]


def _sentences(body: ReportBody, zone: ZoneInfo) -> list[str]:
    if body.file is not None:
        return [gettext("The report is the file %(name)s of this mail.") % {"name": body.file.name}]
    if body.link:
        until = gettext("Whoever has this link opens the report without an account, until %(moment)s.")
        return [until % {"moment": moment(body.link_until_ms, zone)}]
    is_empty = body.told is not None and not body.told.questions
    if is_empty:
        return [gettext("Nobody has answered a question yet.")]
    if body.told is not None and body.told.silent:
        return [body.told.silent]
    if body.is_cut:
        text = gettext("The first %(most)s rows are shown, and the report has more. A file has all of them.")
        return [text % {"most": ROWS_MAX}]
    return [gettext("There is nothing to report.")] if body.table is not None and not body.table.rows else []


def _content(body: ReportBody, zone: ZoneInfo) -> list[str]:
    lines = [*_sentences(body, zone), *([body.link] if body.link else [])]
    for question in body.told.questions if body.told is not None else ():
        whole = question.answers.groups[0]
        lines += [question.question or gettext("A question without a text"), question.sentence]
        lines += [question.mean] if question.mean else []
        shares = () if question.is_recorded else zip(question.answers.answers, whole.shares, strict=True)
        lines += [f"  {words}: {one.people} ({percentage(one.percent)})" for words, one in shares]
        lines.append("")
    if body.table is not None and body.table.rows:
        lines.append(" | ".join(column.title for column in body.table.columns))
        lines += [" | ".join(row) for row in _cells(body.table)]
    return lines


def _cells(table: Sheet | None) -> list[list[str]]:
    """Return the cells of a table as a person reads them."""
    if table is None:
        return []
    kinds = [column.kind for column in table.columns]
    return [[_in_words(cell, kind) for cell, kind in zip(row, kinds, strict=True)] for row in table.rows]


def _in_words(cell: Value, kind: ValueKind) -> str:
    if kind is ValueKind.SECONDS and isinstance(cell, int | float):
        return seconds(cell)
    if kind is ValueKind.SHARE and isinstance(cell, int | float):
        return percentage(cell)
    return "" if cell is None else " ".join(str(cell).split())  # A row is one line of the text.


def _foot(head: ReportHead) -> str:
    if not head.base:
        text = gettext("The scheduled report %(name)s of the account %(account)s sends this.")
        return text % {"name": head.schedule, "account": head.account}
    text = gettext("The scheduled report %(name)s of the account %(account)s sends this: %(address)s")
    return text % {"name": head.schedule, "account": head.account, "address": f"{head.base}/console/"}
