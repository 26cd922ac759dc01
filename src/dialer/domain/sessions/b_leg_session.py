"""BLegSession: the second leg of a transfer, to a number or to an agent.

It waits for the answer, and for the digit that the section may ask for. Then its line connects it with the call. Like
an `IvrSession`, it performs nothing, has no clock, and continues in another process from its `BLegSessionState`.
"""

from enum import StrEnum
from typing import Final

import msgspec
from msgspec.structs import replace

from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Call, Transfer
from dialer.domain.engine.retry import cause_after_answer
from dialer.domain.sessions.leg_protocol import (
    Answered,
    Ask,
    Bridge,
    Clear,
    Confer,
    Done,
    Ended,
    Hold,
    LegReport,
    Order,
    Speech,
)
from dialer.domain.sessions.playing import spoken
from dialer.domain.sessions.session_fields import hold_where_it_is, room_of
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import Cause


class BLegStage(StrEnum):
    """The stage of a second leg: the report that it waits for."""

    DIALLED = "dialled"
    ASKING = "asking"
    """The person who answered is asked for the confirm digit."""
    ACCEPTED = "accepted"
    """Somebody has taken the call."""
    HOLDING = "holding"
    """The callee is on hold, so it hears nothing."""
    CONSULTED = "consulted"
    """It is that of a third person, who talks with the agent."""
    WAITING = "waiting"
    """It is that of a third person, who is on hold."""
    JOINED = "joined"
    """It talks with two others at once."""
    CLEARING = "clearing"
    OVER = "over"


# A lookup in an enumeration costs as much as a function call.
_DIALLED: Final = BLegStage.DIALLED
_ASKING: Final = BLegStage.ASKING
_ACCEPTED: Final = BLegStage.ACCEPTED
_HOLDING: Final = BLegStage.HOLDING
_CONSULTED: Final = BLegStage.CONSULTED
_WAITING: Final = BLegStage.WAITING
_JOINED: Final = BLegStage.JOINED
_THIRD: Final = frozenset({_ACCEPTED, _CONSULTED, _WAITING, _JOINED})
"""The stages of a third person who has answered."""
_OVER: Final = BLegStage.OVER


class BLegSessionState(msgspec.Struct, omit_defaults=True, gc=False):
    """Everything that a second leg knows. Its session changes it, and it is stored as it is."""

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
    consulted_by: str = ""
    """The key of the leg of the agent who consults this one; empty for a leg that has the callee."""
    received_ms: int | None = None
    """The time at which a third person got the callee from an agent."""

    def moved(self, by_ms: int) -> "BLegSessionState":
        """Return the state with all its times moved, after the clock has jumped."""
        answered_ms = None if self.answered_ms is None else self.answered_ms + by_ms
        received_ms = None if self.received_ms is None else self.received_ms + by_ms
        return replace(self, began_ms=self.began_ms + by_ms, answered_ms=answered_ms, received_ms=received_ms)


class BLegReaction(msgspec.Struct, frozen=True, gc=False):
    """The results of a report: orders for the line, and whether the leg was accepted or has ended just now."""

    orders: tuple[Order, ...]
    is_accepted: bool = False
    ended: LegOutcome | None = None


NOTHING_FOLLOWS: Final = BLegReaction(())


class BLegSession:
    """The second leg of a transfer. Times are milliseconds since the epoch."""

    __slots__ = ("call", "state")

    def __init__(self, call: Call, state: BLegSessionState) -> None:
        self.call: Final = call
        self.state: Final = state

    @property
    def is_to_agent(self) -> bool:
        """True for an agent's telephone."""
        return self.state.agent_id is not None

    def take(self) -> None:
        """Note that the agent has taken the call."""
        self.state.is_taken = True

    def hear(self, now_ms: int, heard: LegReport) -> BLegReaction:
        """Return the reaction to a report of the leg."""
        state = self.state
        match heard:
            case Answered(age_ms) if state.stage is _DIALLED:
                state.answered_ms = self._moment(now_ms, age_ms)
                return self._ask() if self._section.confirm_key else self._accept()
            case Done(turn) if state.stage is _ASKING and turn == state.turn:
                is_confirmed = heard.answer[:1] == self._section.confirm_key
                return self._accept() if is_confirmed else BLegReaction((self.clear(),))
            case Done(turn) if state.stage is _CONSULTED and turn == state.turn:
                return BLegReaction((self.clear(),))  # The agent is gone.
            case Ended() if state.stage is not _OVER:
                state.stage = _OVER
                return BLegReaction((), ended=self._ended(now_ms, heard))
        return NOTHING_FOLLOWS

    def resume(self) -> BLegReaction:
        """Begin the present stage again, because it is not known how far the leg has come with the last order."""
        if self.state.stage is _ASKING:
            return self._ask()
        if self.state.stage is _HOLDING:
            return self._wait()
        if self.state.stage is _CONSULTED:
            return self._give(Bridge(self.state.turn + 1, self.state.consulted_by), _CONSULTED)
        if self.state.stage is _WAITING:
            return self._give(hold_where_it_is(self.call, self.state.turn + 1), _WAITING)
        if self.state.stage is _JOINED:
            return self._give(Confer(self.state.turn + 1, room_of(self.call)), _JOINED)
        return BLegReaction((self.clear(),) if self.state.stage is BLegStage.CLEARING else ())

    def hold(self, *, is_held: bool) -> BLegReaction:
        """Wait while the callee is on hold, or until both are connected again by an order to the callee's leg."""
        if is_held and self.state.stage in {_ACCEPTED, _JOINED}:
            return self._wait()
        if not is_held and self.state.stage in {_HOLDING, _JOINED}:
            self.state.stage = _ACCEPTED
        return NOTHING_FOLLOWS

    def join(self) -> BLegReaction:
        """Talk with two others at once, as an agent or as a third person who has answered."""
        if self.state.stage in _THIRD | {_HOLDING} and self.state.stage is not _JOINED:
            return self._give(Confer(self.state.turn + 1, room_of(self.call)), _JOINED)
        return NOTHING_FOLLOWS

    def consult(self, *, is_held: bool) -> BLegReaction:
        """Talk with the agent as a third person who has answered, or wait on hold."""
        state = self.state
        if state.stage not in _THIRD or state.stage is (_WAITING if is_held else _CONSULTED):
            return NOTHING_FOLLOWS
        if is_held:
            return self._give(hold_where_it_is(self.call, state.turn + 1), _WAITING)
        return self._give(Bridge(state.turn + 1, state.consulted_by), _CONSULTED)

    def receive(self, now_ms: int) -> BLegReaction:
        """Take over the callee from the agent who has consulted this leg.

        A leg on hold gets a further order, so that music which its line is still loading does not begin any more.
        """
        was_waiting, self.state.stage, self.state.consulted_by = self.state.stage is _WAITING, _ACCEPTED, ""
        self.state.received_ms = now_ms
        return self._give(Hold(self.state.turn + 1, is_silent=True), _ACCEPTED) if was_waiting else NOTHING_FOLLOWS

    def clear(self) -> Clear:
        """Return the order that clears the second leg."""
        self.state.turn += 1
        self.state.stage = BLegStage.CLEARING
        return Clear(self.state.turn)

    def cut(self, at_ms: int, cause: Cause = Cause.NORMAL_CLEARING) -> LegOutcome:
        """Return the outcome of the leg if it ends at `at_ms`, in any case within its talk limit.

        A third person who had hung up before they got the callee was not connected with them.
        """
        transfer, state = self._transfer, self.state
        answered_ms = transfer.answered_ms if self.is_to_agent else state.answered_ms
        if answered_ms is None:
            return LegOutcome(at_ms, cause)
        cause = cause_after_answer(cause)
        ended_ms = max(answered_ms, min(at_ms, answered_ms + transfer.talk_limit_ms))
        is_late = state.received_ms is not None and ended_ms <= state.received_ms
        return LegOutcome(ended_ms, cause, answered_ms, is_connected=state.is_connected and not is_late)

    def _ended(self, now_ms: int, heard: Ended) -> LegOutcome:
        outcome = self.cut(self._moment(now_ms, heard.age_ms), heard.cause)
        if not heard.retry_after_ms and heard.sound is None:
            return outcome
        return replace(outcome, retry_after_ms=heard.retry_after_ms, sound=heard.sound)

    @property
    def _transfer(self) -> Transfer:
        return self.call.transfers[self.state.place - 1]

    @property
    def _section(self) -> Section:
        return self.call.plan.flow.section(self._transfer.section_id)

    def _moment(self, now_ms: int, age_ms: int) -> int:
        """Return the time of a report, which is neither in the future nor before the dial and the answer."""
        earliest_ms = self.state.answered_ms or self.state.began_ms
        return max(earliest_ms, min(now_ms, now_ms - age_ms))

    def _ask(self) -> BLegReaction:
        section, state = self._section, self.state
        text = spoken(section.confirm_script, self.call.subscriber).strip()
        state.stage, state.turn = _ASKING, state.turn + 1
        speeches = (Speech(text=text, voice=section.prompt.voice),) if text else ()
        return BLegReaction((Ask(state.turn, speeches, 1, section.timeout_ms),))

    def _wait(self) -> BLegReaction:
        return self._give(Hold(self.state.turn + 1, is_silent=True), _HOLDING)

    def _give(self, order: Hold | Bridge | Confer, stage: BLegStage) -> BLegReaction:
        self.state.stage, self.state.turn = stage, order.turn
        return BLegReaction((order,))

    def _accept(self) -> BLegReaction:
        self.state.stage, self.state.is_connected = _ACCEPTED, True
        return BLegReaction((), is_accepted=True)
