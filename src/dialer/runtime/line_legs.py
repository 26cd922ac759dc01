"""Legs over lines, as the switchboard knows them, and what it exchanges with lines."""

from collections import deque
from typing import Any, Final, NamedTuple

import msgspec

from dialer.carriers.carrier import Milestone
from dialer.carriers.port import Found
from dialer.domain.line import Heard, Leg, Order
from dialer.domain.message_talk import MessageTalk
from dialer.domain.plans import SIMULATED, Call
from dialer.domain.talk import Talk


class LineSettings(NamedTuple):
    """The settings of a gateway's carrier; `parameters` are a JSON object as text."""

    protocol: str
    parameters: str

    @property
    def is_simulated(self) -> bool:
        """Return whether the callees are simulated."""
        return self.protocol == SIMULATED

    def simulated(self) -> str:
        """Return the behaviour of simulated callees: for a real carrier, its parameter `simulated`."""
        if self.is_simulated:
            return self.parameters
        behaviour = msgspec.json.decode(self.parameters, type=dict[str, Any]).get("simulated", {})
        return msgspec.json.encode(behaviour).decode()


class LineNews(NamedTuple):
    """Something that a line has heard of a leg, and when the service was told."""

    gateway_id: int
    key: str
    heard: Heard | Found
    told_ms: int


class LegOrder(NamedTuple):
    """An order to a leg, for the line of a gateway."""

    gateway_id: int
    key: str
    order: Order


class HandOver(NamedTuple):
    """Everything that a committed step has for the lines."""

    dials: list["LineLeg"]
    orders: list[LegOrder]


class LineLeg:
    """A call or a message over a line."""

    __slots__ = (
        "call",
        "gateway_id",
        "handed_ms",
        "handle",
        "heard_ms",
        "is_changed",
        "key",
        "milestones",
        "order",
        "talk",
        "wanted_ms",
    )

    def __init__(self, key: str, call: Call, order: Leg, talk: Talk | MessageTalk, now_ms: int) -> None:
        self.key: Final = key
        self.call: Final = call
        self.gateway_id: Final = call.plan.gateway_id
        self.order: Final = order
        self.talk: Final = talk
        self.wanted_ms: Final = now_ms
        self.handed_ms: int | None = None
        self.heard_ms: int | None = None
        self.handle = ""
        self.is_changed = False
        self.milestones: Final[deque[Milestone]] = deque()
        """Reports of this moment that the kernel has not asked for yet."""

    @property
    def answered_ms(self) -> int | None:
        """The time of the answer, as far as the service knows it."""
        return self.talk.standing.answered_ms if isinstance(self.talk, Talk) else None

    @property
    def turn(self) -> int:
        """The number of the last order."""
        return self.talk.standing.turn if isinstance(self.talk, Talk) else 0

    @property
    def has_left(self) -> bool:
        """True for a message that its carrier has accepted: only a receipt can tell more."""
        return isinstance(self.talk, MessageTalk) and self.talk.standing.is_accepted

    def standing(self) -> str:
        """Return the state of the conversation as it is stored."""
        return msgspec.json.encode(self.talk.standing).decode()
