"""Reports that people without an account open by a link: read as they are opened, and only while the link holds."""

from collections.abc import AsyncIterator
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath
from sqlalchemy import Connection

from dialer.api.http.request_shares import count_for_account
from dialer.api.service import ApiRequest
from dialer.app.campaigns.report_links import OpenedLink, count_opening, find_report_link
from dialer.app.work.unit import UnitOfWork
from dialer.console.parts.people_sheet import LongSheet, read_people_sheet
from dialer.console.parts.rendering import html, render
from dialer.console.parts.sheets import Sheet, answer_chunks
from dialer.console.parts.told_answers import sheet_of_answers, tell_answers
from dialer.console.parts.zones import zone_of
from dialer.console.serving.services import ConsoleServices
from dialer.console.serving.signing_in import host_of
from dialer.console.words.language import gettext_noop
from dialer.domain.words.shared_reports import SharedReport
from dialer.resources.words.errors import AnsweredError

RETRY_AFTER_S: Final = 60
TOO_OFTEN: Final = gettext_noop("This link was opened too often in the last minute. Wait a minute, and open it again.")


class LinkOverError(Exception):
    """Raised for a link that opens nothing: it is over, was revoked, or never was one."""


@get("/shared/{token:str}", media_type="text/html")
async def show_shared_report(
    request: ApiRequest, console: NamedDependency[ConsoleServices], token: FromPath[str]
) -> Response[Any]:
    """Show the report of a link to whoever has it."""
    try:
        link = await _opened(request, console, token)
    except LinkOverError:
        return _over()
    told = None
    if link.report == SharedReport.ANSWERS:
        told = await tell_answers(request.service.database, link.campaign_id, link.list_column)
    clock = request.service.worker.clock
    shown = {"link": link, "told": told, "zone": zone_of(request), "now_ms": clock.now_ms(), "here": f"{token}/"}
    return html(render("shared_report.html", **shown))


@get("/shared/{token:str}/file")
async def send_shared_file(
    request: ApiRequest, console: NamedDependency[ConsoleServices], token: FromPath[str]
) -> Response[Any]:
    """Send the report of a link as a file."""
    try:
        link = await _opened(request, console, token)
    except LinkOverError:
        return _over()
    columns, chunks = await _sheet(request, link)
    return await answer_chunks(request, columns, chunks, f"{link.report}-campaign-{link.campaign_id}", zone_of(request))


async def _sheet(request: ApiRequest, link: OpenedLink) -> LongSheet:
    database = request.service.database
    if link.report == SharedReport.PEOPLE:
        return await read_people_sheet(database, link.campaign_id, request.service.links(request).base)
    sheet = sheet_of_answers(await tell_answers(database, link.campaign_id, link.list_column))

    async def whole() -> AsyncIterator[Sheet]:
        yield sheet

    return LongSheet(sheet.columns, whole())


async def _opened(request: ApiRequest, console: ConsoleServices, token: str) -> OpenedLink:
    """Count an opening of a link, and return its report.

    Raises:
        LinkOverError: the link opens nothing.
        AnsweredError: 429 or 503; the link, its account or the address has opened too much.
    """
    service = request.service
    await console.authenticator.limit_address(host_of(request))
    now_ms = service.worker.clock.now_ms()
    link = await service.database.read(partial(find_report_link, token=token, now_ms=now_ms))
    if link is None:
        raise LinkOverError
    await count_for_account(request.scope, link.user_id)

    def count(connection: Connection) -> bool:
        return count_opening(UnitOfWork(connection=connection, now_ms=now_ms), link.id)

    if not await service.database.write(count):
        raise AnsweredError(HTTPStatus.TOO_MANY_REQUESTS, TOO_OFTEN, {"Retry-After": str(RETRY_AFTER_S)})
    return link


def _over() -> Response[Any]:
    return html(render("shared_over.html"), HTTPStatus.NOT_FOUND)
