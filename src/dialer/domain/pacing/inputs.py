"""The input and the result of a pacing strategy."""

import math
from typing import Final, Protocol

import msgspec

from dialer.domain.pacing.averages import Averages

ABANDON_RATE_MAX_DEFAULT: Final = 3
"""Percentage of the calls answered by persons: 16 CFR 310.4(b)(4)."""
ABANDONED_AFTER_MS: Final = 2_000
"""An answered call that no agent has taken this long after its transfer is abandoned: 16 CFR 310.4(b)(1)(iv)."""

ASKED_EVERY_MS: Final = 1_000
"""The time after which a strategy whose result changes with time alone is asked again."""


FIRST_ANSWERS: Final = 100
"""The budget is that of this many answers from the start, where a campaign may begin with an allowance."""
ABANDON_HOURS: Final = 720
"""The length of each period with a budget of its own: 30 days, as in 16 CFR 310.4(b)(4)."""
ABANDON_HOURS_MAX: Final = 8_760


class PeriodFigures(msgspec.Struct):
    """The calls that a campaign dialled in one of its periods, from `from_ms` on."""

    from_ms: int
    answered: int = 0
    abandoned: int = 0
    until_ms: int = 0
    """Its end, which stays if the campaign's length of periods changes; 0 if it was stored without, and is not known.
    """


class PacingFigures(msgspec.Struct):
    """The figures that a campaign has measured. The newest entry of a list is its last; lists have a limited length."""

    dialled: int = 0
    answered: int = 0
    """Calls that a person answered, as far as detection can tell; detected machines are not counted."""
    abandoned: int = 0
    """Answered calls that no agent took within `ABANDONED_AFTER_MS` of their transfer."""
    outcomes: list[int] = []
    """The last calls with a known result: 1 if a person answered, else 0."""
    ring_ms: list[int] = []
    """Times from the dial to the answer."""
    greeting_ms: list[int] = []
    """Times from the answer to the transfer."""
    handling_ms: list[int] = []
    """Times from an agent's taking a call to the end of their wrap-up time."""
    periods: list[PeriodFigures] = []
    """The period of the newest dial, after those whose calls may still be in progress; none before the first dial."""
    memory: dict[str, float] = {}
    """Values that the strategy keeps for itself; set by `Pace.memory` only."""


class PacingInputs(msgspec.Struct, frozen=True, gc=False):
    """The state of a campaign at one time. Times are in milliseconds since the epoch, oldest first."""

    now_ms: int
    frequency: int = 10
    """Dials per minute, for the fixed rate."""
    next_dial_us: int = 0
    """The time at which the fixed rate allows the next dial, in microseconds since the epoch."""
    agent_dial_rate: float = 1.0
    """Calls for each idle agent."""
    abandon_rate_max: float = 0.03
    """The share of answered calls that may be abandoned."""
    first_answers: int = FIRST_ANSWERS
    """Each period's budget is at least that of so many answers; 0: it holds from the first answer."""
    agents: int = 0
    """Agents of the campaign's queues who are on duty, idle or not."""
    idle: int = 0
    """Agents who could take a call now."""
    waiting: int = 0
    """Callers in the campaign's queues whom no agent has taken yet."""
    dialling_ms: tuple[int, ...] = ()
    """The dial time of each call that is not answered yet."""
    greeted_ms: tuple[int, ...] = ()
    """The answer time of each call that has not reached its transfer yet."""
    bridged_ms: tuple[int, ...] = ()
    """The start time of each talk between a caller and an agent."""
    wrapping_ms: tuple[int, ...] = ()
    """The time at which each agent in wrap-up time becomes idle."""
    shared_credit: float = math.inf
    """The smallest number of calls that another campaign with these agents may still abandon.

    One call too many of this campaign can keep a call of that campaign waiting.
    """
    figures: PacingFigures = msgspec.field(default_factory=PacingFigures)
    averages: Averages | None = None
    """The averages of `figures`, for a caller who asks more often than they change."""

    @property
    def pending(self) -> int:
        """The number of calls that may need an agent at any time: dialled, or answered and not with an agent yet."""
        return len(self.dialling_ms) + len(self.greeted_ms) + self.waiting


class Pace(msgspec.Struct, frozen=True, gc=False):
    """The result of a strategy."""

    calls: int
    """Number of calls that may be placed now."""
    again_ms: int | None = None
    """The time to ask again if no event comes before, for a strategy that depends on the clock."""
    memory: dict[str, float] | None = None
    """The new value of `PacingFigures.memory`; None leaves it unchanged."""
    is_steady: bool = False
    """True if time alone cannot change the result: only an event can."""


class Strategy(Protocol):
    """A way to pace: a pure function of the situation."""

    @property
    def name(self) -> str:
        """The name of the strategy in `strategies.STRATEGIES`."""

    def pace(self, situation: PacingInputs) -> Pace:
        """Return the number of calls that may be placed now, and the time to ask again."""
