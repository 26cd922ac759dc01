"""Actions on a whole campaign besides its state, such as a copy or an example, and on all campaigns at once."""

from collections import Counter
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from sqlalchemy import select

from dialer.api.actions.forecast import Forecaster
from dialer.api.service import ApiRequest
from dialer.app.campaigns.call_again import OVER
from dialer.app.campaigns.recycle import RecycledChunk, RecycleFilter, count_chunk, recycle_chunk
from dialer.app.campaigns.stop_everything import Resumed, pause_running, resume_stopped
from dialer.app.campaigns.trial_progress import stop_trials
from dialer.app.work.errors import InvalidFieldsError, RefusedError
from dialer.console.pages.campaign import check_seen, resource_of, show_campaign_page
from dialer.console.pages.campaigns import PLACE, seen_campaigns
from dialer.console.pages.overview import key_of, show_overview_page
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.sentences import error_in_words
from dialer.console.serving.errors import messages_of, status_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import ConsoleServices, go_to, page
from dialer.console.words.language import gettext
from dialer.console.words.state_words import words_of
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.reasons import SUBSCRIBER_REASONS
from dialer.domain.words.states import RECYCLABLE_SUBSCRIBERS
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.shapes import Parsed
from dialer.resources.crud.urls import parse_id
from dialer.resources.records.campaign_life import copy_record
from dialer.resources.words.errors import InvalidError, RecordNotFoundError
from dialer.store.tables import Campaign

_STATUS: Final = "status."
OVERVIEW: Final = "/console/overview/"


class Recycled(NamedTuple):
    """The people who are called again, by what they were, and those who are not, by reason."""

    total: int
    by_status: list[tuple[str, int]]
    kept: list[tuple[str, int]]
    is_dry: bool


@post("/campaigns/{record_id:str}/copy", media_type="text/html")
async def copy_campaign(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Copy a campaign, and lead to the page of the copy, with its check and its start."""
    identity = identity_in(record_id)
    await read_fields(request)

    def copy(unit: Unit) -> str:
        check_seen(unit, identity)
        resource = resource_of(unit, identity)
        created = copy_record(unit, resource, identity, Parsed({}, {}, ()))
        return f"/console/campaigns/{created.record_id}/"

    return go_to(await request.service.write(request, copy))


@post("/overview/example", media_type="text/html")
async def make_example_campaign(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Make the example campaign of the account, and show it; or the one that is there."""
    from dialer.console.parts.example_campaign import make_example  # noqa: PLC0415 - made once in an account

    await read_fields(request)
    try:
        identity = await request.service.write(request, make_example)
    except (InvalidError, InvalidFieldsError, RefusedError) as error:
        return await show_overview_page(request, console, messages_of(error), status_of(error))
    return go_to(f"/console/campaigns/{identity}/")


@post("/campaigns/{record_id:str}/delete-example", media_type="text/html")
async def delete_example_campaign(
    request: ApiRequest,
    console: NamedDependency[ConsoleServices],
    forecaster: NamedDependency[Forecaster],
    record_id: FromPath[str],
) -> Response[Any]:
    """Delete an example campaign with its list, its survey and its carrier."""
    from dialer.console.parts.example_campaign import delete_example  # noqa: PLC0415 - done once in an account

    identity = identity_in(record_id, "campaign")
    await read_fields(request)

    def work(unit: Unit) -> bool:
        check_seen(unit, identity)
        return delete_example(unit, identity)

    services = (console, forecaster)
    try:
        is_gone = await request.service.write(request, work)
    except RefusedError as error:
        return await show_campaign_page(request, services, identity, messages_of(error), status_of(error))
    if is_gone:
        return go_to(OVERVIEW)
    message = gettext("The example is stopped. Delete it when its last calls are over.")
    return await show_campaign_page(request, services, identity, [message])


@post("/overview/stop", media_type="text/html")
async def stop_everything(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Pause all running campaigns that the viewer sees, and hang up their tests."""
    await read_fields(request)

    def stop(unit: Unit) -> int:
        pause_running(unit, seen_campaigns(unit))
        stop_trials(unit, seen_campaigns(unit))
        return unit.now_ms

    moment_ms = await request.service.write(request, stop)
    console.snapshots.forget(key_of(request))
    return go_to(f"{OVERVIEW}?stopped={moment_ms}")


@post("/overview/resume", media_type="text/html")
async def resume_everything(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Resume the campaigns that the viewer paused in one step."""
    moment_ms = parse_id((await read_fields(request)).get("stopped", ""))
    if moment_ms is None:
        raise RecordNotFoundError("There is no such button.")

    def resume(unit: Unit) -> Resumed:
        return resume_stopped(unit, unit.actor.id, moment_ms, seen_campaigns(unit))

    done = await request.service.write(request, resume, is_long=True)
    console.snapshots.forget(key_of(request))
    return go_to(f"{OVERVIEW}?{urlencode({'resumed': done.resumed, 'left': done.left})}")


@get("/campaigns/{record_id:str}/recycle", media_type="text/html")
async def show_recycling(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show the form that names who is called again. People of a campaign that is over go into a new one."""
    identity = identity_in(record_id)

    def read(unit: Unit) -> int | None:
        check_seen(unit, identity)
        return unit.connection.scalar(select(Campaign.status).where(Campaign.id == identity))

    if await request.service.read(request, read) in OVER:
        return go_to(f"/console/campaigns/{identity}/call-again/")
    return await _show(request, identity, frozenset({SubscriberStatus.FAIL}))


@post("/campaigns/{record_id:str}/recycle", media_type="text/html")
async def recycle(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Set people back, so that they are called again; or count them first."""
    identity, filled = identity_in(record_id), await read_fields(request)
    known = {f"{_STATUS}{status.value}": status for status in RECYCLABLE_SUBSCRIBERS}
    statuses = frozenset(known[name] for name in filled if name in known)
    if not statuses:
        return await _show(request, identity, statuses, message=gettext("Choose at least one state."))
    is_dry = filled.get("action") != "recycle"
    try:
        done = await _recycle(request, identity, RecycleFilter(frozenset(map(int, statuses))), is_dry=is_dry)
    except RefusedError as error:
        return await _show(request, identity, statuses, message=error_in_words(error))
    return await _show(request, identity, statuses, done=done)


async def _recycle(request: ApiRequest, identity: int, wanted: RecycleFilter, *, is_dry: bool) -> Recycled:
    """Work through the campaign chunk by chunk, each in a transaction of its own."""
    recycled, kept = Counter[int](), Counter[str]()
    after: str | None = ""
    while after is not None:
        begin = after

        def work(unit: Unit, begin: str = begin) -> RecycledChunk:
            check_seen(unit, identity)
            if is_dry:
                return count_chunk(unit, identity, wanted, begin)
            return recycle_chunk(unit, identity, wanted, begin)

        run = request.service.read if is_dry else request.service.write
        chunk = await run(request, work, is_long=True)
        recycled += chunk.recycled
        kept += chunk.kept
        after = chunk.after
    by_status = [(words_of(SubscriberStatus(status)), count) for status, count in sorted(recycled.items())]
    reasons = [
        (SUBSCRIBER_REASONS.get(reason, reason.replace("_", " ")), count) for reason, count in sorted(kept.items())
    ]
    return Recycled(recycled.total(), by_status, reasons, is_dry)


async def _show(
    request: ApiRequest,
    identity: int,
    statuses: frozenset[SubscriberStatus],
    *,
    done: Recycled | None = None,
    message: str = "",
) -> Response[Any]:
    def read(unit: Unit) -> str:
        check_seen(unit, identity)
        return str(unit.connection.scalar(select(Campaign.name).where(Campaign.id == identity)))

    return page(
        request,
        "recycle.html",
        PLACE,
        HTTPStatus.BAD_REQUEST if message else HTTPStatus.OK,
        identity=identity,
        name=await request.service.read(request, read),
        states=[(status.value, words_of(status), status in statuses) for status in sorted(RECYCLABLE_SUBSCRIBERS)],
        done=done,
        message=message,
    )
