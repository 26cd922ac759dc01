"""The wall board: agents and queues of a call centre, live."""

from collections import Counter
from http import HTTPStatus
from typing import Any, Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from dialer.api.crud import records
from dialer.api.crud.resource import Unit
from dialer.api.http.errors import RecordNotFoundError
from dialer.api.records.calls import CALLREQUESTS
from dialer.api.records.queues import AGENTS
from dialer.api.service import ApiRequest
from dialer.app.call_centre.agents_and_queues import change_agent_status
from dialer.app.call_centre.supervision import stop_supervising, supervise_call
from dialer.app.call_centre.wall_board import LEVEL_WITHIN_S, WallBoard, read_wall_board
from dialer.app.errors import ErrorCode, RefusedError
from dialer.console.errors import messages_of
from dialer.console.forms import read_fields
from dialer.console.language import gettext
from dialer.console.live_parts import EVENT_STREAM, answer_live
from dialer.console.meanings import ABANDONED_MEANING
from dialer.console.pages.record import identity_in
from dialer.console.rendering import render
from dialer.console.services import ConsoleServices, go_to, page
from dialer.console.zones import day_of, zone_of
from dialer.domain.enums import AgentActivity, AgentStatus, SupervisionMode
from dialer.domain.roles import Permission
from dialer.domain.statistics import percent
from dialer.store.queries.call_centre import RULE_S
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
    return page(request, "board.html", PLACE, live=live, messages=[])


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


@post("/board/listen", media_type="text/html")
async def listen_on_board(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Let the viewer hear a call in which an agent talks."""
    return await _supervise(request, console, SupervisionMode.LISTEN)


@post("/board/whisper", media_type="text/html")
async def whisper_on_board(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Let the viewer hear a call, and speak to its agent."""
    return await _supervise(request, console, SupervisionMode.WHISPER)


@post("/board/join", media_type="text/html")
async def join_on_board(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Let the viewer hear a call, and speak to both sides."""
    return await _supervise(request, console, SupervisionMode.JOIN)


@post("/board/stop-listening", media_type="text/html")
async def stop_listening_on_board(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Hang up the telephone of the supervisor who hears a call."""
    return await _supervise(request, console, None)


async def _supervise(request: ApiRequest, console: ConsoleServices, mode: SupervisionMode | None) -> Response[Any]:
    """Let the viewer hear a call, or nobody. A call that has ended meanwhile is no mistake of the viewer."""
    identity = identity_in((await read_fields(request)).get("call", ""))

    def write(unit: Unit) -> None:
        records.require_seen(unit, CALLREQUESTS, identity)
        if mode is None:
            stop_supervising(unit, identity)
        else:
            supervise_call(unit, identity, unit.actor.id, mode)

    try:
        await request.service.write(request, write)
    except RefusedError as error:
        if error.code is not ErrorCode.NO_AGENT_TALKS:
            live, messages = await _make(request), messages_of(error)
            return page(request, "board.html", PLACE, HTTPStatus.CONFLICT, live=live, messages=messages)
    console.snapshots.forget(_key(request))
    return go_to(BOARD)


def _key(request: ApiRequest) -> tuple[object, ...]:
    zone = zone_of(request)
    return ("board", request.user.view, request.user.sees_as, _may_listen(request), zone.key)


def _may_listen(request: ApiRequest) -> bool:
    return request.user.may(Permission.CAMPAIGNS)


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
        rule_s=RULE_S,
        abandoned=percent(board.today.abandoned, board.today.for_agents),
        abandoned_meaning=gettext(ABANDONED_MEANING),
        may_listen=_may_listen(request),
        modes=[str(mode) for mode in SupervisionMode],
        mode_words={"listen": gettext("Listen in"), "whisper": gettext("Whisper"), "join": gettext("Join")},
        mode_meanings={
            "listen": gettext("Your telephone rings. Nobody hears you."),
            "whisper": gettext("The agent hears you, and the callee does not."),
            "join": gettext("Both the agent and the callee hear you."),
        },
        now_ms=request.service.worker.clock.now_ms(),
    )
