"""The wall board: agents and queues of a call centre, live."""

from collections import Counter
from typing import Any, Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from dialer.api.crud import records
from dialer.api.crud.resource import Unit
from dialer.api.http.errors import RecordNotFoundError
from dialer.api.records.queues import AGENTS
from dialer.api.service import ApiRequest
from dialer.app.call_centre.agents_and_queues import change_agent_status
from dialer.app.call_centre.wall_board import LEVEL_WITHIN_S, WallBoard, read_wall_board
from dialer.console.forms import read_fields
from dialer.console.language import gettext
from dialer.console.live_parts import EVENT_STREAM, answer_live
from dialer.console.meanings import ABANDONED_MEANING
from dialer.console.pages.record import identity_in
from dialer.console.rendering import render
from dialer.console.services import ConsoleServices, go_to, page
from dialer.console.zones import day_of, zone_of
from dialer.domain.enums import AgentActivity, AgentStatus
from dialer.domain.statistics import percent
from dialer.store.queries.promised_call_backs import PromisedCallBack, promised_call_backs

PLACE: Final = "centre"
PROMISED_SHOWN: Final = 50
BOARD: Final = "/console/board/"
STATUSES: Final = {"in": AgentStatus.AVAILABLE, "out": AgentStatus.LOGGED_OUT, "break": AgentStatus.ON_BREAK}
"""The statuses that the buttons set."""


@get("/board", media_type="text/html")
async def show_board(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Show the wall board."""
    live = await console.snapshots.get(_key(request), lambda: _make(request))
    return page(request, "board.html", PLACE, live=live)


@get("/board/live", media_type=EVENT_STREAM)
async def stream_board(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Send the wall board."""
    return await answer_live(request, console.snapshots, console.sessions, _key(request), lambda: _make(request))


@post("/board/agents/{record_id:str}", media_type="text/html")
async def change_agent(
    request: ApiRequest, console: NamedDependency[ConsoleServices], record_id: FromPath[str]
) -> Response[Any]:
    """Log an agent in or out, or send them on a break."""
    identity, filled = identity_in(record_id), await read_fields(request)
    status = STATUSES.get(filled.get("status", ""))
    if status is None:
        raise RecordNotFoundError("There is no such button.")

    def change(unit: Unit) -> None:
        records.require_seen(unit, AGENTS, identity)
        change_agent_status(unit, identity, status)

    await request.service.write(request, change)
    console.snapshots.forget(_key(request))
    return go_to(BOARD)


def _key(request: ApiRequest) -> tuple[object, ...]:
    zone = zone_of(request)
    return ("board", request.user.view, request.user.sees_as, zone.key)


async def _make(request: ApiRequest) -> str:
    zone = zone_of(request)

    def read(unit: Unit) -> tuple[WallBoard, list[PromisedCallBack]]:
        viewer = None if unit.actor.is_admin else unit.actor.sees_as
        board = read_wall_board(unit.connection, unit.now_ms, viewer, day_of(unit.now_ms, zone))
        return board, promised_call_backs(unit.connection, viewer, limit=PROMISED_SHOWN)

    board, promised = await request.service.read(request, read)
    activities = Counter(one.activity for one in board.agents)
    return render(
        "board_live.html",
        board=board,
        promised=promised,
        zone=zone,
        activities=[(one, activities[one]) for one in AgentActivity],
        waiting=sum(one.waiting for one in board.queues),
        waiting_since_ms=min((one.waiting_since_ms for one in board.queues if one.waiting_since_ms), default=None),
        level_within_s=LEVEL_WITHIN_S,
        abandoned=percent(board.today.abandoned, board.today.for_agents),
        abandoned_meaning=gettext(ABANDONED_MEANING),
        now_ms=request.service.worker.clock.now_ms(),
    )
