"""The service: whether it works, what it runs on, and its clock, which is advanced here if it is virtual."""

from http import HTTPStatus
from typing import Any, Final

from litestar import Response, get, post

from dialer.api.http.zone_metrics import moment_of
from dialer.api.service import ApiRequest
from dialer.app.work.errors import ErrorCode
from dialer.console.parts.record_rights import may_read
from dialer.console.serving.errors import messages_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import go_to, page
from dialer.console.words.catalogue import tabs_of
from dialer.console.words.language import gettext_noop
from dialer.resources.crud.shapes import Given, parse_whole
from dialer.resources.records.advancing import CLOCK_ADVANCE, VIRTUAL, aim
from dialer.resources.words.errors import ConflictError, InvalidError
from dialer.time_zone_rules import RULES

PLACE: Final = "administration"
STEPS: Final = (
    (60, gettext_noop("1 minute")),
    (600, gettext_noop("10 minutes")),
    (3_600, gettext_noop("1 hour")),
    (86_400, gettext_noop("1 day")),
)
"""The advances that have buttons, in seconds."""


@get("/service", media_type="text/html")
async def show_service(request: ApiRequest) -> Response[Any]:
    """Show the state of the service."""
    return _show(request)


@post("/service/advance", media_type="text/html")
async def advance(request: ApiRequest) -> Response[Any]:
    """Advance a virtual clock. The answer comes when all events due until then have happened."""
    filled, service = await read_fields(request), request.service
    if service.worker.clock.mode != VIRTUAL:
        raise ConflictError("The clock advances by itself. Only a virtual clock can be advanced.", code=ErrorCode.CLOCK)
    given = Given({"next": True} if "next" in filled else {"seconds": filled.get("seconds", "")})
    parsed = parse_whole(CLOCK_ADVANCE, given, service.conventions(request))
    try:
        target_ms = await service.write(
            request, lambda unit: aim(unit, parsed, service.worker.next_ms(), service.clock_run)
        )
    except InvalidError as error:
        return _show(request, messages_of(error))
    await service.worker.advance(target_ms)
    return go_to("/console/service/")


def _show(request: ApiRequest, messages: list[str] | None = None) -> Response[Any]:
    service = request.service
    worker, database = service.worker, service.database
    figures, process_health = worker.figures(), worker.process_health()
    return page(
        request,
        "service.html",
        PLACE,
        HTTPStatus.BAD_REQUEST if messages else HTTPStatus.OK,
        tabs=[one for one in tabs_of(PLACE) if may_read(request, one)],
        messages=messages or [],
        problem=worker.problem(),
        figures=figures,
        late_s=None if process_health.late_ms is None else process_health.late_ms / 1_000,
        members=process_health.membership,
        kind=database.url.get_backend_name(),
        settings=service.settings,
        mode=worker.clock.mode,
        runs_at=service.clock_run.speed,
        is_virtual=worker.clock.mode == VIRTUAL,
        steps=STEPS,
        zone_rules=RULES,
        are_zones_old=RULES.is_old(moment_of(worker.clock.now_ms())),
    )
