"""What a pacing strategy is told, and what it answers."""

import math
from typing import Final, Protocol

import msgspec

ABANDON_RATE_MAX_DEFAULT: Final = 3
"""Per cent of the calls that persons answered: 16 CFR 310.4(b)(4)."""
ABANDONED_AFTER_MS: Final = 2_000
"""An answered call whose transfer no agent has taken for so long is abandoned: 16 CFR 310.4(b)(1)(iv)."""


class PacingFigures(msgspec.Struct):
    """What a campaign has measured so far. The newest of a list is its last; lists are cut to a named length."""

    dialled: int = 0
    answered: int = 0
    """Calls that a person answered, as far as anybody can tell: machines that detection found are not counted."""
    abandoned: int = 0
    """Answered calls that no agent took within `ABANDONED_AFTER_MS` of their transfer."""
    outcomes: list[int] = []
    """Of the last calls whose fate is known, 1 for each that a person answered."""
    ring_ms: list[int] = []
    """From the dial to the answer."""
    greeting_ms: list[int] = []
    """From the answer to the transfer."""
    handling_ms: list[int] = []
    """From an agent's taking a call to the end of their wrap-up time."""
    memory: dict[str, float] = {}
    """What the strategy itself wants to keep: only `Pace.memory` puts anything in."""


class Situation(msgspec.Struct, frozen=True, gc=False):
    """How a campaign stands at one moment. Moments in milliseconds since the epoch, oldest first."""

    now_ms: int
    frequency: int = 10
    """Dials a minute: for the fixed rate."""
    next_dial_us: int = 0
    """When the fixed rate allows the next dial."""
    agent_dial_rate: float = 1.0
    """Calls for each idle agent."""
    abandon_rate_max: float = 0.03
    """The share of answered calls that may be abandoned."""
    agents: int = 0
    """Agents of the campaign's queues who take calls, idle or not."""
    idle: int = 0
    """Of these, those who could take a call this moment."""
    waiting: int = 0
    """Callers in the campaign's queues whom no agent has taken yet."""
    dialling_ms: tuple[int, ...] = ()
    """When each call was dialled that nobody has answered yet."""
    greeted_ms: tuple[int, ...] = ()
    """When each call was answered that has not come to its transfer yet."""
    bridged_ms: tuple[int, ...] = ()
    """When each call that an agent is talking in was taken."""
    wrapping_ms: tuple[int, ...] = ()
    """When each agent in wrap-up time will be idle."""
    shared_credit: float = math.inf
    """The least that another campaign which dials for the same agents may still abandon: a call too many of this one
    may be what keeps a call of that one waiting."""
    figures: PacingFigures = msgspec.field(default_factory=PacingFigures)

    @property
    def pending(self) -> int:
        """Calls that may want an agent any moment: dialled, or answered and not with an agent yet."""
        return len(self.dialling_ms) + len(self.greeted_ms) + self.waiting


class Pace(msgspec.Struct, frozen=True, gc=False):
    """What a strategy answers."""

    calls: int
    """So many calls may be placed now."""
    again_ms: int | None = None
    """When to ask again if nothing happens before: for a strategy that goes by the clock."""
    memory: dict[str, float] | None = None
    """What `PacingFigures.memory` becomes; None leaves it as it is."""


class Strategy(Protocol):
    """One way to pace: a function of the situation and of nothing else."""

    @property
    def name(self) -> str:
        """What it is called in `strategies.STRATEGIES`."""

    def pace(self, situation: Situation) -> Pace:
        """How many calls may be placed now, and when to ask again."""
