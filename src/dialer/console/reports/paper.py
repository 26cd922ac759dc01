"""The answers to a campaign on paper: a report in words, as a PDF that a process of its own draws."""

import os
import re
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import IO, Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import anyio
import anyio.to_thread
import msgspec
import structlog
from anyio import CapacityLimiter
from litestar import Response
from sqlalchemy import Connection, select

from dialer.api.answers.downloads import content_disposition
from dialer.api.service import ApiRequest
from dialer.console.parts.rendering import decimal, grouped, listed, moment, percentage
from dialer.console.parts.told_answers import MEAN_PLACES, ToldAnswers, ToldQuestion
from dialer.console.reports.pdf_document import Bar, Crossed, Document, PaperQuestion
from dialer.console.words.language import gettext, gettext_noop, ngettext, viewers_language
from dialer.domain.credentials.environment import clean_environment
from dialer.domain.figures.crosstabs import CrossTable, Share
from dialer.domain.figures.scales import MeanMark
from dialer.resources.words.errors import AnsweredError
from dialer.store.database.database import Database
from dialer.store.tables import Campaign

PDF: Final = "application/pdf"
AT_ONCE: Final = 2
"""Reports that are drawn at the same time. Others wait for their turn."""
WAITING_MAX: Final = 10
"""Reports that wait. Further ones are not drawn."""
STEPS_MAX: Final = 11
"""Answers that fit beside each other onto a page, as many as from 0 to 10. Of longer scales, tables have the mean."""
WIDE_MAX: Final = 9
"""Answers beside each other that have room for people and margins, too."""
CELL_MAX: Final = 200
"""Characters of a group or an answer in a table, which fit onto one page in its narrow columns."""
TIMEOUT_S: Final = 90
"""The time for one report, in which it also waits for its turn."""
NOT_DRAWN: Final = gettext_noop("The PDF could not be made in time. Try it again, or take CSV or Excel.")
_COMMAND: Final = (sys.executable, "-P", "-m", "dialer.console.reports.pdf_process")
TURNS: Final = CapacityLimiter(AT_ONCE)
_NAMED: Final = re.compile(rb"^([A-Za-z_.]+)(?::|$)", re.MULTILINE)
"""The name of an exception below a traceback. Its text may have names of people."""
_log: Final = structlog.get_logger(__name__)


class NotDrawnError(Exception):
    """Raised for a report that could not be drawn within the limits."""


class Imprint(NamedTuple):
    """The origin of a report on paper."""

    campaign_id: int
    maker: str
    """The user or account that has it made; empty for readers without an account, who need no names of users."""
    made_ms: int
    zone: ZoneInfo


async def answer_pdf(request: ApiRequest, told: ToldAnswers, imprint: Imprint) -> Response[Any]:
    """Answer with the answers to a campaign as a PDF.

    Raises:
        AnsweredError: 503; the PDF could not be made within the limits.
    """
    try:
        content = await draw_answers(request.service.database, told, imprint)
    except NotDrawnError:
        raise AnsweredError(HTTPStatus.SERVICE_UNAVAILABLE, NOT_DRAWN, {"Retry-After": str(TIMEOUT_S)}) from None
    name = content_disposition(f"answers-campaign-{imprint.campaign_id}.pdf")
    return Response(content, media_type=PDF, headers={"Content-Disposition": name, "Cache-Control": "no-store"})


async def draw_answers(database: Database, told: ToldAnswers, imprint: Imprint) -> bytes:
    """Return the answers to a campaign as a PDF in the reader's language.

    Raises:
        NotDrawnError: the process has met a limit.
    """
    period = await _period(database, imprint) if imprint.maker else ""
    return await draw_document(_document(told, imprint, period))


async def draw_document(document: Document) -> bytes:
    """Return a report as a PDF that a process has drawn.

    Raises:
        NotDrawnError: the process has met a limit, or too many reports wait.
    """
    if TURNS.statistics().tasks_waiting >= WAITING_MAX:
        raise NotDrawnError
    content = msgspec.json.encode(document)
    try:
        with anyio.fail_after(TIMEOUT_S):
            async with TURNS:
                with await anyio.to_thread.run_sync(_file_of, content) as given:
                    ended = await anyio.run_process(
                        _COMMAND, stdin=given, check=False, env=clean_environment(os.environ),
                        start_new_session=True,
                    )  # fmt: skip
    except TimeoutError:
        raise NotDrawnError from None
    if ended.returncode:
        names = _NAMED.findall(ended.stderr)
        _log.warning("report_not_drawn", code=ended.returncode, reason=names[-1].decode() if names else "")
        raise NotDrawnError
    return ended.stdout


def _file_of(content: bytes) -> IO[bytes]:
    """Return a file without a name. A process that ends before it has read a pipe would end the request, too."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    file.write(content)
    file.seek(0)
    return file


async def _period(database: Database, imprint: Imprint) -> str:
    begin_ms, end_ms = await database.read(partial(_times, campaign_id=imprint.campaign_id))
    return gettext("Campaign from %(begin)s to %(end)s.") % {
        "begin": moment(begin_ms, imprint.zone),
        "end": moment(end_ms, imprint.zone),
    }


def _times(connection: Connection, campaign_id: int) -> tuple[int, int]:
    query = select(Campaign.startingdate, Campaign.expirationdate).where(Campaign.id == campaign_id)
    begin_ms, end_ms = connection.execute(query).one()
    return begin_ms, end_ms


def _document(told: ToldAnswers, imprint: Imprint, period: str) -> Document:
    as_of = gettext("As of %(moment)s.") % {"moment": moment(imprint.made_ms, imprint.zone)}
    made = [gettext("Made by %(maker)s.") % {"maker": imprint.maker}] if imprint.maker else []
    zone = gettext("Times are in %(zone)s.") % {"zone": imprint.zone.key}
    facts = [
        *([period] if period else []),
        " ".join([as_of, *made, zone]),
    ]
    if told.asks:
        facts.append(
            gettext(
                "Each person counts once for each question, with the last answer. Shares are of those who answered it."
            )
        )
    nobody = [gettext("Nobody has answered a question yet.")] if told.asks else []
    return Document(
        viewers_language().code,
        told.name,
        imprint.maker,
        " ".join(filter(None, [told.head, told.silent])),
        [*facts, *([told.message] if told.message else [])],
        [_question(question, told.by) for question in told.questions],
        [_margins()] if told.questions else nobody,
        as_of,
        gettext("Page {page} of {pages}"),
    )


def _margins() -> str:
    return gettext(
        "± is the margin of error in points: if the people who answered were drawn by chance from all, 95 of 100 such"
        " draws would be that close to the share of all. It says nothing about whether those who did not answer think"
        " alike."
    )


def _question(told: ToldQuestion, by: str) -> PaperQuestion:
    (whole,) = told.answers.groups
    total = ngettext("%(num)s person answered this question.", "%(num)s people answered this question.", whole.total)
    return PaperQuestion(
        told.question or gettext("A question without a text"),
        told.sentence,
        " ".join(filter(None, [total % {"num": grouped(whole.total)}, told.mean])),
        [
            Bar(answer, one.percent, "   ".join(_figures(one)))
            for answer, one in zip(told.answers.answers, whole.shares, strict=True)
            if not told.is_recorded
        ],
        None if told.crossed is None else _crossed(told.crossed, by, is_recorded=told.is_recorded),
    )


def _crossed(crossed: CrossTable, by: str, *, is_recorded: bool) -> Crossed:
    shares = gettext("By %(column)s: people, and their share of those in the same row who answered.")
    caption = gettext("By %(column)s: people who left a recording.") if is_recorded else shares
    has_mean = any(group.mean is not None for group in crossed.groups)
    is_narrow = not has_mean or len(crossed.answers) <= STEPS_MAX
    rows = [
        [
            _shortened(listed(group.name)),
            grouped(group.total),
            *([_mean(group.mean)] if has_mean else []),
            *_cells(group.shares if is_narrow else ()),
        ]
        for group in crossed.groups
    ]
    means = [gettext("Mean")] if has_mean else []
    head = [_shortened(by), gettext("People"), *means, *(map(_shortened, crossed.answers) if is_narrow else ())]
    return Crossed(caption % {"column": by}, head, rows)


def _cells(shares: Sequence[Share]) -> list[str]:
    """Return the cells of a group. Many beside each other have room for their shares only."""
    if len(shares) <= WIDE_MAX:
        return ["\n".join(_figures(one)) for one in shares]
    return [percentage(one.percent) for one in shares]


def _mean(mean: MeanMark | None) -> str:
    return "" if mean is None else f"{decimal(mean.value, MEAN_PLACES)}\nn = {grouped(mean.count)}"


def _shortened(text: str) -> str:
    """Return a text of a cell on one line that is no longer than `CELL_MAX`."""
    line = " ".join(text.split())
    return line if len(line) <= CELL_MAX else f"{line[: CELL_MAX - 1]}…"


def _figures(one: Share) -> tuple[str, str]:
    return grouped(one.people), f"{percentage(one.percent)} ± {decimal(one.margin)}"
