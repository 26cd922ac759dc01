"""The buttons that pause all running campaigns, and resume those that they paused."""

from typing import Any, Final
from urllib.parse import urlencode

from litestar import Response, post
from litestar.di import NamedDependency

from dialer.api.service import ApiRequest
from dialer.app.campaigns.stop_everything import Resumed, pause_running, resume_stopped
from dialer.app.campaigns.trial_progress import stop_trials
from dialer.console.pages.campaigns import seen_campaigns
from dialer.console.pages.overview import key_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.services import ConsoleServices, go_to
from dialer.resources.crud.resource import Unit
from dialer.resources.crud.urls import parse_id
from dialer.resources.words.errors import RecordNotFoundError

_OVERVIEW: Final = "/console/overview/"


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
    return go_to(f"{_OVERVIEW}?stopped={moment_ms}")


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
    return go_to(f"{_OVERVIEW}?{urlencode({'resumed': done.resumed, 'left': done.left})}")
