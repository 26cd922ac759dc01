"""Reports that people without an account open by a link: read as they are opened, and only while the link holds."""

from functools import partial
from http import HTTPStatus
from typing import Any, Final

from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath
from sqlalchemy import Connection

from dialer.api.answers.long_tables import FORMAT
from dialer.api.http.request_shares import count_for_account
from dialer.api.service import ApiRequest
from dialer.app.campaigns.report_links import OpenedLink, count_opening, find_report_link
from dialer.app.work.unit import UnitOfWork
from dialer.console.parts.rendering import html, render
from dialer.console.parts.sheets import answer_chunks
from dialer.console.parts.zones import zone_of
from dialer.console.serving.services import ConsoleServices
from dialer.console.serving.signing_in import host_of
from dialer.console.words.language import gettext_noop
from dialer.domain.words.reports import SharedReport
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
    # The first report imports what a start does without.
    from dialer.console.parts.told_answers import tell_answers  # noqa: PLC0415

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
    from dialer.console.reports.kinds import KINDS, AskedReport  # noqa: PLC0415

    zone, service = zone_of(request), request.service
    base, now_ms = service.links(request).base, service.worker.clock.now_ms()
    asked = AskedReport(link.campaign_id, link.user_id, now_ms, now_ms, zone, base, link.list_column)
    report = await KINDS[link.report].read(service.database, asked)
    if report.told is not None and request.query_params.get(FORMAT) == "pdf":
        from dialer.console.reports.paper import Imprint, answer_pdf  # noqa: PLC0415

        return await answer_pdf(request, report.told, Imprint(link.campaign_id, "", now_ms, zone))
    name = f"{link.report}-campaign-{link.campaign_id}"
    return await answer_chunks(request, report.sheet.columns, report.sheet.chunks, name, zone)


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
