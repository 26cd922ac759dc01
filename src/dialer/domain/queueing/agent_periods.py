"""Periods of an agent's work: each lasts from one change of the agent's state to the next, and consists of spans."""

from collections.abc import Iterator
from enum import IntEnum, StrEnum
from typing import Final, NamedTuple

import msgspec

from dialer.domain.queueing.activity import AgentClock
from dialer.domain.queueing.plans import Preview
from dialer.domain.words.enums import AgentActivity


class WorkState(StrEnum):
    """The states of an agent who is logged in, as reports of days show them."""

    AVAILABLE = "available"
    LOOKING = "looking"
    """Looks at a person before the call, or waits for the call that they have placed to the person."""
    RINGING = "ringing"
    """The telephone rings, for a call that the agent takes or misses in the end."""
    TALKING = "talking"
    WRAPPING_UP = "wrapping_up"
    ON_BREAK = "on_break"


class PeriodCall(IntEnum):
    """The call at the end of a period."""

    NONE = 0
    TAKEN = 1
    MISSED = 2


class DutyEnd(StrEnum):
    """The cause of an order that ended a duty."""

    UNKNOWN = ""
    AGENT = "agent"
    """The agent's own order: at the desk, by signing out, or with their own key."""
    OTHERS = "others"
    """The order of a supervisor or of a program."""
    DESK_CLOSED = "desk_closed"
    MISSED_CALLS = "missed_calls"
    PREVIEW_OVER = "preview_over"


class PeriodEnd(NamedTuple):
    """The facts about the end of a period that the states before and after it do not have."""

    cause: str = DutyEnd.UNKNOWN
    """The `DutyEnd` of an order that ended a duty, or a break."""
    rings_from_ms: int = 0
    """The time since which the telephone rang for the call that was taken or missed; 0 if there was none."""
    looks_from_ms: int = 0
    """The time since which the agent looked at a person; 0 if they did not."""
    is_missed: bool = False
    is_taken: bool = False
    """True if the agent takes a call now. An agent who is consulted talks without having taken one."""


class WorkSpan(NamedTuple):
    """A time that an agent spent in one state."""

    state: WorkState
    reason: str
    """The reason of a break, else empty."""
    from_ms: int
    to_ms: int
    cause: str = DutyEnd.UNKNOWN
    """The `DutyEnd` of the order with which a break began."""


class AgentPeriod(NamedTuple):
    """The time between two changes of an agent's state. Periods of an agent do not overlap."""

    from_ms: int
    until_ms: int
    status: int
    is_talking: bool
    reason: str
    wraps_until_ms: int
    looks_from_ms: int
    rings_from_ms: int
    call: int
    """A `PeriodCall`."""
    cause: str
    """The `DutyEnd` of an order at the end, or empty."""

    def spans(self) -> Iterator[WorkSpan]:
        """Yield what the agent did, in order, without empty times."""
        clock = AgentClock(self.status, self.reason, self.is_talking, self.from_ms, self.wraps_until_ms)
        for span in clock.spans(self.until_ms):
            if span.activity is not AgentActivity.AVAILABLE:
                if span.from_ms < span.to_ms:
                    yield WorkSpan(_STATES[span.activity], span.reason, span.from_ms, span.to_ms)
                continue
            rings_ms = _begin(self.rings_from_ms, span.from_ms, span.to_ms)
            looks_ms = _begin(self.looks_from_ms, span.from_ms, rings_ms)
            moments = (span.from_ms, looks_ms, rings_ms, span.to_ms)
            for state, from_ms, to_ms in zip(_IN_ORDER, moments, moments[1:], strict=False):
                if from_ms < to_ms:
                    yield WorkSpan(state, "", from_ms, to_ms)


_STATES: Final = {
    AgentActivity.TALKING: WorkState.TALKING,
    AgentActivity.WRAPPING_UP: WorkState.WRAPPING_UP,
    AgentActivity.ON_BREAK: WorkState.ON_BREAK,
}
_IN_ORDER: Final = (WorkState.AVAILABLE, WorkState.LOOKING, WorkState.RINGING)
NO_END: Final = PeriodEnd()


def closed_period(before: AgentClock, now_ms: int, end: PeriodEnd) -> AgentPeriod | None:
    """Return the period that a change of an agent's state ends; None if nothing is to be known of it.

    Nobody works while logged out. A period without length is kept if something came of it.
    """
    call = PeriodCall.TAKEN if end.is_taken else PeriodCall.MISSED if end.is_missed else PeriodCall.NONE
    until_ms = max(now_ms, before.counted_ms)
    is_logged_in = before.activity(until_ms) is not AgentActivity.LOGGED_OUT
    has_length = until_ms > before.counted_ms and is_logged_in
    if not has_length and not call and not (end.cause and is_logged_in):
        return None
    return AgentPeriod(
        before.counted_ms,
        until_ms,
        before.status,
        before.is_talking,
        before.break_reason,
        before.wraps_until_ms,
        end.looks_from_ms,
        end.rings_from_ms,
        int(call),
        str(end.cause),
    )


def open_period(clock: AgentClock, looks_from_ms: int, now_ms: int) -> AgentPeriod | None:
    """Return the period that goes on, up to now; None while the agent is logged out."""
    return closed_period(clock, now_ms, PeriodEnd(looks_from_ms=looks_from_ms))


def look_began_ms(document: str) -> int:
    """Return the time since which an agent looks at the person of a `Preview`, given as JSON; 0 without one."""
    try:
        return msgspec.json.decode(document, type=Preview).from_ms if document else 0
    except msgspec.DecodeError:
        return 0


def _begin(given_ms: int, from_ms: int, to_ms: int) -> int:
    """Return the begin of the last part of a time: as it was noted, but not before the time; its end without one."""
    return min(max(given_ms, from_ms), to_ms) if given_ms else to_ms
