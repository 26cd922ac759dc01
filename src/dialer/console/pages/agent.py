"""The pages of agents for supervisors: the present, figures of today, last calls and orders; and their days."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any, Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from dialer.api.service import ApiRequest
from dialer.app.call_centre.agent_page import AgentAtWork, read_agent_at_work
from dialer.app.work.errors import InvalidFieldsError
from dialer.console.pages.agent_orders import OrderedAgent, may_order, obey, read_ordered_agent
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.rendering import render
from dialer.console.parts.zones import day_of, zone_of
from dialer.console.serving.errors import messages_of
from dialer.console.serving.live_parts import EVENT_STREAM, answer_live
from dialer.console.serving.services import ConsoleServices, go_to, page
from dialer.console.words.catalogue import PAGES
from dialer.console.words.state_words import said_in_words
from dialer.domain.words.roles import Permission
from dialer.resources.crud.resource import Unit
from dialer.resources.records.queues import AGENTS

_SHOWN: Final = PAGES[AGENTS.path]


@get("/agents/{record_id:str}", media_type="text/html")
async def show_agent(
    request: ApiRequest, console: NamedDependency[ConsoleServices], record_id: FromPath[str]
) -> Response[Any]:
    """Show the page of an agent."""
    identity = identity_in(record_id)
    live = await console.snapshots.get(_key(request, identity), lambda: _make(request, identity))
    return await _show(request, identity, live)


@get("/agents/{record_id:str}/live", media_type=EVENT_STREAM)
async def stream_agent(
    request: ApiRequest, console: NamedDependency[ConsoleServices], record_id: FromPath[str]
) -> Response[Any]:
    """Send the live part of an agent's page."""
    identity = identity_in(record_id)
    key = _key(request, identity)
    return await answer_live(request, console.snapshots, console.sessions, key, lambda: _make(request, identity))


@post("/agents/{record_id:str}/status", media_type="text/html")
async def order_agent(
    request: ApiRequest, console: NamedDependency[ConsoleServices], record_id: FromPath[str]
) -> Response[Any]:
    """Log an agent in or out, or send them on a break."""
    identity = identity_in(record_id)
    try:
        await obey(request, identity)
    except InvalidFieldsError as error:
        live = await _make(request, identity)
        return await _show(request, identity, live, messages_of(error), HTTPStatus.BAD_REQUEST)
    console.snapshots.forget(_key(request, identity))
    return go_to(f"{_SHOWN.record_url}{identity}/")


@get("/agent-days", media_type="text/html")
async def show_agent_days(request: ApiRequest) -> Response[Any]:
    """Show the days of the agents of the account; to admins, those of all accounts."""
    from dialer.console.pages.agent_day_views import answer_days  # noqa: PLC0415 - few people ask for it

    return await answer_days(request)


@get("/agent-days/export")
async def export_agent_days(request: ApiRequest) -> Response[Any]:
    """Send the table of the page as a file."""
    from dialer.console.pages.agent_day_views import answer_export  # noqa: PLC0415 - few people ask for it

    return await answer_export(request)


@get("/agents/{record_id:str}/day", media_type="text/html")
async def show_day_of_agent(request: ApiRequest, record_id: FromPath[str]) -> Response[Any]:
    """Show one day of an agent."""
    from dialer.console.pages.agent_day_views import answer_day  # noqa: PLC0415 - few people ask for it

    return await answer_day(request, record_id)


async def _show(
    request: ApiRequest,
    identity: int,
    live: str,
    messages: Sequence[str] = (),
    status: HTTPStatus = HTTPStatus.OK,
) -> Response[Any]:
    agent = await request.service.read(request, lambda unit: read_ordered_agent(unit, identity))
    url = f"{_SHOWN.record_url}{identity}/"
    values = {"live": live, "agent": agent, "messages": messages, "url": url, "shown": _SHOWN}
    return page(request, "agent.html", _SHOWN.place, status, **values)


def _key(request: ApiRequest, identity: int) -> tuple[object, ...]:
    rights = (may_order(request), request.user.may(Permission.READ))
    return ("agent", identity, request.user.view, request.user.sees_as, rights, zone_of(request).key)


async def _make(request: ApiRequest, identity: int) -> str:
    zone = zone_of(request)

    def read(unit: Unit) -> tuple[OrderedAgent, AgentAtWork]:
        agent = read_ordered_agent(unit, identity)
        return agent, read_agent_at_work(unit.connection, identity, day_of(unit.now_ms, zone), unit.now_ms)

    agent, work = await request.service.read(request, read)
    return render(
        "agent_live.html",
        agent=agent,
        work=work,
        said=[said_in_words(call.disposition, call.word) for call in work.calls],
        zone=zone,
        may_order=may_order(request),
        may_read=request.user.may(Permission.READ),
        now_ms=request.service.worker.clock.now_ms(),
    )
