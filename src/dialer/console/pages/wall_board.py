"""The wall board: agents and queues of a call centre, live."""

from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from dialer.api.service import ApiRequest
from dialer.app.call_centre.supervision import stop_supervising, supervise_call
from dialer.app.call_centre.wall_board import LEVEL_WITHIN_S, QUEUES_MAX, WallBoard, read_wall_board
from dialer.app.work.errors import ErrorCode, InvalidFieldsError, RefusedError
from dialer.console.pages.agent_orders import may_order, obey, read_ordered_agent
from dialer.console.pages.board_view import BOARD, LIMIT_MAX, SORTS, BoardView, view_in
from dialer.console.parts.record_addresses import identity_in
from dialer.console.parts.rendering import render
from dialer.console.parts.zones import day_of, zone_of
from dialer.console.serving.errors import messages_of
from dialer.console.serving.forms import read_fields
from dialer.console.serving.live_parts import EVENT_STREAM, answer_live
from dialer.console.serving.services import ConsoleServices, go_to, page
from dialer.console.words.language import gettext, gettext_noop
from dialer.console.words.state_words import ABANDONED_MEANING
from dialer.domain.calls.plans import FREESWITCH, SIMULATED
from dialer.domain.figures.statistics import unrounded_percent
from dialer.domain.rules.abandoned_limits import LEGAL_PERCENT
from dialer.domain.words.enums import AgentActivity, SupervisionMode
from dialer.domain.words.roles import Permission
from dialer.resources.crud import records
from dialer.resources.crud.resource import Actor, Unit
from dialer.resources.records.calls import CALLREQUESTS
from dialer.resources.words.errors import InvalidError, RecordNotFoundError
from dialer.store.queries.call_centre import RULE_S
from dialer.store.queries.promised_call_backs import PromisedCallBack, promised_call_backs
from dialer.store.queries.wall_board import BoardQueue, query_of_queues, queues_on_board

PLACE: Final = "centre"
PROMISED_SHOWN: Final = 50
NOT_HEARD: Final = {
    SIMULATED: gettext_noop("There is no “Listen in” for simulated calls: there is nothing to hear."),
    FREESWITCH: gettext_noop("There is no “Listen in” for calls over FreeSWITCH. It is possible over SIP."),
}
"""The reasons why nobody can listen to a call, by the protocol of its gateway."""


@get("/board", media_type="text/html")
async def show_board(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Show the wall board, with the orders to the agent whom the address names, if any."""
    try:
        view = view_in(request.query_params)
    except InvalidError as error:
        usual, messages = BoardView(), messages_of(error)
        return await _show(request, usual, await _make(request, usual), None, messages, HTTPStatus.BAD_REQUEST)
    live = await console.snapshots.get(_key(request, view), lambda: _make(request, view))
    named = request.query_params.get("agent")
    return await _show(request, view, live, identity_in(named) if named and may_order(request) else None)


@get("/board/live", media_type=EVENT_STREAM)
async def stream_board(request: ApiRequest, console: NamedDependency[ConsoleServices]) -> Response[Any]:
    """Stream the wall board."""
    view = view_in(request.query_params)
    key = _key(request, view)
    return await answer_live(request, console.snapshots, console.sessions, key, lambda: _make(request, view))


@post("/board/agents/{record_id:str}", media_type="text/html")
async def change_agent(
    request: ApiRequest, console: NamedDependency[ConsoleServices], record_id: FromPath[str]
) -> Response[Any]:
    """Log an agent in or out, or send them on a break."""
    identity, view = identity_in(record_id), view_in(request.query_params)
    try:
        await obey(request, identity)
    except InvalidFieldsError as error:
        live = await _make(request, view)
        return await _show(request, view, live, identity, messages_of(error), HTTPStatus.BAD_REQUEST)
    console.snapshots.forget(_key(request, view))
    return go_to(f"{BOARD}{view.query}")


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
    identity, view = identity_in((await read_fields(request)).get("call", "")), view_in(request.query_params)

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
            live = await _make(request, view)
            return await _show(request, view, live, None, messages_of(error), HTTPStatus.CONFLICT)
    console.snapshots.forget(_key(request, view))
    return go_to(f"{BOARD}{view.query}")


async def _show(
    request: ApiRequest,
    view: BoardView,
    live: str,
    agent_id: int | None,
    messages: Sequence[str] = (),
    status: HTTPStatus = HTTPStatus.OK,
) -> Response[Any]:
    agent = None
    if agent_id is not None:
        agent = await request.service.read(request, partial(read_ordered_agent, identity=agent_id))
    queues = await _queues(request)
    sorts = {name: gettext(words) for name, words in SORTS.items()}
    template = "board_alone.html" if view.is_alone else "board.html"
    shown = {"view": view, "live": live, "messages": messages, "agent": agent, "queues": queues, "sorts": sorts}
    return page(request, template, PLACE, status, **shown, usual=view._replace(is_alone=False), limit_max=LIMIT_MAX)


async def _queues(request: ApiRequest) -> list[BoardQueue]:
    """Return the queues among which the viewer chooses, without a hop to another thread where that is possible."""
    viewer = _viewer(request.user)
    rows = request.service.database.at_hand.rows(*query_of_queues(viewer, QUEUES_MAX))
    if rows is not None:
        return [BoardQueue(*row) for row in rows]
    return await request.service.read(request, lambda unit: queues_on_board(unit.connection, viewer, QUEUES_MAX))


def _viewer(actor: Actor) -> int | None:
    return None if actor.is_admin else actor.sees_as


def _key(request: ApiRequest, view: BoardView) -> tuple[object, ...]:
    rights = (_may_listen(request), may_order(request))
    return ("board", request.user.view, request.user.sees_as, rights, zone_of(request).key, view)


def _may_listen(request: ApiRequest) -> bool:
    return request.user.may(Permission.CAMPAIGNS)


def _not_heard(board: WallBoard) -> list[str]:
    """Return why the viewer cannot listen to calls in which agents talk now, each reason once."""
    protocols = {agent.talk.protocol for agent in board.agents if agent.talk is not None}
    return [gettext(reason) for protocol, reason in NOT_HEARD.items() if protocol in protocols]


async def _make(request: ApiRequest, view: BoardView) -> str:
    zone = zone_of(request)

    def read(unit: Unit) -> tuple[WallBoard, list[PromisedCallBack]]:
        viewer = _viewer(unit.actor)
        board = read_wall_board(unit.connection, unit.now_ms, viewer, day_of(unit.now_ms, zone), view.queue_id)
        if view.queue_id is not None and all(queue.id != view.queue_id for queue in board.queues):
            raise RecordNotFoundError("There is no such queue, or it is not yours.")
        return view.of(board), promised_call_backs(unit.connection, viewer, limit=PROMISED_SHOWN)

    board, promised = await request.service.read(request, read)
    abandoned = unrounded_percent(board.today.abandoned, board.today.for_agents)
    return render(
        "board_live.html",
        board=board,
        view=view,
        promised=promised,
        zone=zone,
        activities=[(one, board.activities[one]) for one in AgentActivity],
        agents_in_all=board.activities.total(),
        waiting=sum(one.waiting for one in board.queues),
        waiting_since_ms=min((one.waiting_since_ms for one in board.queues if one.waiting_since_ms), default=None),
        level_within_s=LEVEL_WITHIN_S,
        rule_s=RULE_S,
        abandoned=abandoned,
        abandoned_max=LEGAL_PERCENT,
        is_exceeded=abandoned is not None and abandoned > LEGAL_PERCENT,
        abandoned_meaning=gettext(ABANDONED_MEANING),
        may_listen=_may_listen(request) and not view.is_alone,
        may_order=may_order(request) and not view.is_alone,
        not_heard=_not_heard(board) if _may_listen(request) and not view.is_alone else [],
        modes=[str(mode) for mode in SupervisionMode],
        mode_words={"listen": gettext("Listen in"), "whisper": gettext("Whisper"), "join": gettext("Join")},
        mode_meanings={
            "listen": gettext("Your telephone rings. Nobody hears you."),
            "whisper": gettext("The agent hears you, and the callee does not."),
            "join": gettext("Both the agent and the callee hear you."),
        },
        now_ms=request.service.worker.clock.now_ms(),
    )
