"""BLegSession: the leg of a transfer over a line, to a number or to an agent's telephone.

It waits for the answer, and for the key that the section may ask for. Then its line connects it with the call. Like a
`Talk`, it performs nothing, has no clock, and continues in another process from its `BLegSessionState`.
"""

from enum import StrEnum
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from dialer.domain.enums import Cause
from dialer.domain.plans import Call, LegOutcome, Transfer
from dialer.domain.sessions.leg_protocol import (
    Accepted,
    Answered,
    Arrived,
    Ask,
    Clear,
    Done,
    Ended,
    LegReport,
    Order,
    Receipt,
    Ringing,
    Speech,
    TextReceived,
)
from dialer.domain.sessions.playing import spoken
from dialer.domain.survey.survey import Section


class BLegStage(StrEnum):
    """The stage of a second leg: the thing that it waits for."""

    DIALLED = "dialled"
    ASKING = "asking"
    """The person who answered is asked for the confirm key."""
    ACCEPTED = "accepted"
    """Somebody has taken the call."""
    CLEARING = "clearing"
    OVER = "over"


class BLegSessionState(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that a second leg knows, as it is stored."""

    place: int
    """The place of the transfer in its call."""
    agent_id: int | None = None
    """The agent whose telephone it is; None for a leg to a number."""
    began_ms: int = 0
    """The time at which it is dialled, or its agent was asked."""
    stage: BLegStage = BLegStage.DIALLED
    turn: int = 0
    """Number of the last order."""
    answered_ms: int | None = None
    is_connected: bool = False
    """True if it was accepted."""
    is_taken: bool = False
    """True if it is the leg of its transfer: one to a number from the start, an agent's once the agent has the call."""

    def moved(self, by_ms: int) -> "BLegSessionState":
        """Return the standing with all its times moved, after the clock has jumped."""
        answered_ms = None if self.answered_ms is None else self.answered_ms + by_ms
        return replace(self, began_ms=self.began_ms + by_ms, answered_ms=answered_ms)


class BLegReaction(NamedTuple):
    """The results of something heard: orders for the line, and whether the leg was accepted or has ended just now."""

    orders: tuple[Order, ...]
    is_accepted: bool = False
    ended: LegOutcome | None = None


NOTHING_FOLLOWS: Final = BLegReaction(())


class BLegSession:
    """One leg of a transfer over a line. Times are milliseconds since the epoch."""

    def __init__(self, call: Call, standing: BLegSessionState) -> None:
        self.call: Final = call
        self.standing = standing

    @property
    def is_to_agent(self) -> bool:
        """True for an agent's telephone."""
        return self.standing.agent_id is not None

    def take(self) -> None:
        """Note that the agent has the call."""
        self._note(is_taken=True)

    def hear(self, now_ms: int, heard: LegReport) -> BLegReaction:
        """Return the reaction to something that was heard of the leg."""
        stage = self.standing.stage
        match heard:
            case Answered(age_ms) if stage is BLegStage.DIALLED:
                self._note(answered_ms=self._moment(now_ms, age_ms))
                return self._ask() if self._section.confirm_key else self._accept()
            case Done(turn) if stage is BLegStage.ASKING and turn == self.standing.turn:
                is_confirmed = heard.keys[:1] == self._section.confirm_key
                return self._accept() if is_confirmed else BLegReaction((self.clear(),))
            case Ended() if stage is not BLegStage.OVER:
                return self._end(self._moment(now_ms, heard.age_ms), heard.cause)
            case Answered() | Done() | Ended() | Arrived() | Ringing() | Accepted() | Receipt() | TextReceived():
                return NOTHING_FOLLOWS

    def resume(self) -> BLegReaction:
        """Begin the present stage again, because it is not known how far the leg has come with the last order."""
        if self.standing.stage is BLegStage.ASKING:
            return self._ask()
        return BLegReaction((self.clear(),) if self.standing.stage is BLegStage.CLEARING else ())

    def clear(self) -> Clear:
        """Return the order that ends the leg."""
        order = Clear(self.standing.turn + 1)
        self._note(stage=BLegStage.CLEARING, turn=order.turn)
        return order

    def cut(self, at_ms: int, cause: Cause = Cause.NORMAL_CLEARING) -> LegOutcome:
        """Return the outcome of the leg if it ends at `at_ms`, in any case within its talk limit."""
        transfer, standing = self._transfer, self.standing
        answered_ms = transfer.answered_ms if self.is_to_agent else standing.answered_ms
        if answered_ms is None:
            return LegOutcome(at_ms, cause)
        ended_ms = max(answered_ms, min(at_ms, answered_ms + transfer.talk_limit_ms))
        return LegOutcome(ended_ms, cause, answered_ms, is_connected=standing.is_connected)

    @property
    def _transfer(self) -> Transfer:
        return self.call.transfers[self.standing.place - 1]

    @property
    def _section(self) -> Section:
        return self.call.plan.flow.section(self._transfer.section_id)

    def _moment(self, now_ms: int, age_ms: int) -> int:
        """Return the time of something heard, which is neither in the future nor before the dial and the answer."""
        earliest_ms = self.standing.answered_ms or self.standing.began_ms
        return max(earliest_ms, min(now_ms, now_ms - age_ms))

    def _note(self, **changes: object) -> None:
        self.standing = replace(self.standing, **changes)

    def _ask(self) -> BLegReaction:
        section, turn = self._section, self.standing.turn + 1
        text = spoken(section.confirm_script, self.call.subscriber).strip()
        self._note(stage=BLegStage.ASKING, turn=turn)
        return BLegReaction((Ask(turn, (Speech(text=text),) if text else (), 1, section.timeout_ms),))

    def _accept(self) -> BLegReaction:
        self._note(stage=BLegStage.ACCEPTED, is_connected=True)
        return BLegReaction((), is_accepted=True)

    def _end(self, at_ms: int, cause: Cause) -> BLegReaction:
        self._note(stage=BLegStage.OVER)
        return BLegReaction((), ended=self.cut(at_ms, cause))
