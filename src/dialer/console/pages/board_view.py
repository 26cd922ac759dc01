"""The wall board as its viewer wants it: one queue or all, in an order, with limits, and with or without a frame."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from dialer.app.call_centre.wall_board import AgentOnBoard, QueueOnBoard, WallBoard
from dialer.console.words.language import gettext, gettext_noop
from dialer.domain.words.enums import AgentActivity
from dialer.resources.crud.urls import parse_id
from dialer.resources.words.errors import InvalidError

BOARD: Final = "/console/board/"
LIMIT_MAX: Final = 86_400
"""The longest limit of a viewer, in seconds or minutes."""
SORTS: Final[Mapping[str, str]] = {
    "": gettext_noop("What needs attention first"),
    "state": gettext_noop("State"),
    "time": gettext_noop("How long"),
    "name": gettext_noop("Name"),
}
"""The orders of agents. The first has long breaks, outcomes that are missing and queues whose callers wait first."""
_ORDERS: Final[Mapping[str, Callable[[AgentOnBoard], tuple[Any, ...]]]] = {
    "state": lambda agent: (agent.activity is AgentActivity.LOGGED_OUT, agent.activity, agent.since_ms, agent.name),
    "time": lambda agent: (agent.activity is AgentActivity.LOGGED_OUT, agent.since_ms, agent.name),
    "name": lambda agent: (agent.name, agent.id),
}


class BoardView(NamedTuple):
    """The wishes of a viewer, which stand in the address of the board."""

    queue_id: int | None = None
    """The queue whose agents and calls are shown; None for all."""
    sort: str = ""
    wait_s: int = 0
    """The wait in a queue above which it is red; 0 for none."""
    talk_min: int = 0
    """The minutes of a call above which it is red; 0 for none."""
    is_alone: bool = False
    """True for a television: without navigation and buttons."""

    @property
    def query(self) -> str:
        """Return the part of an address that asks for the same, with a question mark; empty for the usual board."""
        wishes = {"queue": self.queue_id, "sort": self.sort, "wait": self.wait_s, "talk": self.talk_min}
        wishes["tv"] = int(self.is_alone)
        given = {name: value for name, value in wishes.items() if value}
        return f"?{urlencode(given)}" if given else ""

    def of(self, board: WallBoard) -> WallBoard:
        """Return the board with the agents and the calls that the viewer wants to see, in their order."""
        agents, queues = board.agents, board.queues  # The agents are those of the queue already.
        if self.queue_id is not None:
            queues = [queue for queue in queues if queue.id == self.queue_id]
        if self.sort:
            agents = sorted(agents, key=_ORDERS[self.sort])
        else:
            queues = sorted(queues, key=_longest_wait_first)
        return board._replace(agents=agents, queues=queues)

    def waits_long(self, queue: QueueOnBoard, now_ms: int) -> bool:
        """Return whether the first call of a queue waits longer than the viewer's limit."""
        since_ms = queue.waiting_since_ms
        return bool(self.wait_s) and since_ms is not None and now_ms - since_ms > self.wait_s * 1_000

    def talks_long(self, agent: AgentOnBoard, now_ms: int) -> bool:
        """Return whether an agent talks longer than the viewer's limit."""
        return bool(self.talk_min) and agent.talk is not None and now_ms - agent.since_ms > self.talk_min * 60_000


def _longest_wait_first(queue: QueueOnBoard) -> tuple[bool, int]:
    return queue.waiting_since_ms is None, queue.waiting_since_ms or 0


def view_in(query: Mapping[str, str]) -> BoardView:
    """Return the wishes in the query of an address.

    Raises:
        InvalidError: one of them is wrong.
    """
    errors: dict[str, list[str]] = {}
    sort, queue = query.get("sort", ""), query.get("queue", "").strip()
    queue_id = parse_id(queue) if queue else None
    if sort not in SORTS:
        errors["sort"] = [gettext("There is no such order.")]
    if queue and queue_id is None:
        errors["queue"] = [gettext("There is no such queue.")]
    wait_s, talk_min = (_limit(query, name, errors) for name in ("wait", "talk"))
    if errors:
        raise InvalidError(errors)
    return BoardView(queue_id, sort, wait_s, talk_min, is_alone=query.get("tv") == "1")


def _limit(query: Mapping[str, str], name: str, errors: dict[str, list[str]]) -> int:
    text = query.get(name, "").strip() or "0"
    if text.isascii() and text.isdecimal() and len(text) <= len(str(LIMIT_MAX)) and int(text) <= LIMIT_MAX:
        return int(text)
    errors[name] = [gettext("A limit is a whole number from 0 to %(most)s.") % {"most": LIMIT_MAX}]
    return 0
