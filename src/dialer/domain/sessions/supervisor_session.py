"""SupervisorSession: the leg of a supervisor, who hears a callee and an agent.

It waits for the answer, and then for the end. Like a `BLegSession`, it performs nothing, has no clock, and continues in
another process from its `SupervisorState`.
"""

from enum import StrEnum
from typing import Final

import msgspec
from msgspec.structs import replace

from dialer.domain.sessions.leg_protocol import Answered, Clear, Done, Ended, LegReport, Order, Supervise
from dialer.domain.words.enums import SupervisionMode

SUPERVISOR_PLACE: Final = -1
"""The place of a supervisor's leg in its call: that of no transfer."""


class SupervisorStage(StrEnum):
    """The stage of a supervisor's leg: the report that it waits for."""

    DIALLED = "dialled"
    SUPERVISING = "supervising"
    CLEARING = "clearing"
    OVER = "over"


class SupervisorState(msgspec.Struct, omit_defaults=True, gc=False):
    """Everything that a supervisor's leg knows. Its session changes it, and it is stored as it is."""

    place: int
    """`SUPERVISOR_PLACE`. It is stored, as that of any other leg."""
    agent_id: int
    supervision: int
    """The number of the supervision of this agent."""
    callee: str
    """The key of the callee's leg."""
    agent: str
    """The key of the agent's leg."""
    mode: SupervisionMode
    stage: SupervisorStage = SupervisorStage.DIALLED
    turn: int = 0
    """Number of the last order."""
    answered_ms: int | None = None

    def moved(self, by_ms: int) -> "SupervisorState":
        """Return the state with all its times moved, after the clock has jumped."""
        return replace(self, answered_ms=None if self.answered_ms is None else self.answered_ms + by_ms)


class SupervisorSession:
    """The leg of a supervisor. Times are milliseconds since the epoch."""

    __slots__ = ("state",)

    def __init__(self, state: SupervisorState) -> None:
        self.state: Final = state

    @property
    def is_over(self) -> bool:
        """True once the leg has ended."""
        return self.state.stage is SupervisorStage.OVER

    def hear(self, now_ms: int, heard: LegReport) -> tuple[Order, ...]:
        """Return the orders that follow from a report of the leg."""
        state = self.state
        match heard:
            case Answered(age_ms) if state.stage is SupervisorStage.DIALLED:
                state.answered_ms = min(now_ms, now_ms - age_ms)
                return self._supervise()
            case Done(turn) if state.stage is SupervisorStage.SUPERVISING and turn == state.turn:
                return (self.clear(),)
            case Ended():
                state.stage = SupervisorStage.OVER
            case _:
                pass
        return ()

    def change(self, mode: SupervisionMode) -> tuple[Order, ...]:
        """Return the orders that let other people hear the supervisor from now on."""
        state = self.state
        if mode is state.mode:
            return ()
        state.mode = mode
        return self._supervise() if state.stage is SupervisorStage.SUPERVISING else ()

    def resume(self) -> tuple[Order, ...]:
        """Begin the present stage again, because it is not known how far the leg has come with the last order."""
        if self.state.stage is SupervisorStage.SUPERVISING:
            return self._supervise()
        return (self.clear(),) if self.state.stage is SupervisorStage.CLEARING else ()

    def clear(self) -> Clear:
        """Return the order that clears the supervisor's leg."""
        self.state.turn += 1
        self.state.stage = SupervisorStage.CLEARING
        return Clear(self.state.turn)

    def _supervise(self) -> tuple[Order, ...]:
        state = self.state
        state.stage, state.turn = SupervisorStage.SUPERVISING, state.turn + 1
        return (Supervise(state.turn, state.callee, state.agent, state.mode),)
