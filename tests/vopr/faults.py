"""What goes wrong in a made-up service, and what its people do meanwhile: a timetable of troubles from a seed.

Everything is a value. Whom an action concerns is a number without bounds, of which whoever performs it takes the rest
of a division: what there is by then is not known here.
"""

from enum import StrEnum
from typing import Final

import msgspec

from tests.vopr.dice import Dice

SECOND_MS: Final = 1_000
MINUTE_MS: Final = 60_000
HOUR_MS: Final = 3_600_000
STEPS_MIN: Final = 8
STEPS_MAX: Final = 20
_PAUSES_MS: Final = (
    *(0, 1, 250, SECOND_MS, 3 * SECOND_MS, 10 * SECOND_MS, 31 * SECOND_MS),
    *(MINUTE_MS, 5 * MINUTE_MS, 20 * MINUTE_MS, HOUR_MS, 7 * HOUR_MS),
)
_SHORT_PAUSES_MS: Final = (1, 250, SECOND_MS, 2 * SECOND_MS, 5 * SECOND_MS, 20 * SECOND_MS, MINUTE_MS)
_ANYTHING: Final = 1_000_000


class Fault(StrEnum):
    """What happens to a unit of work. None of these may be noticed by anybody in the end."""

    LOCKED = "locked"
    """The write lock is not to be had."""
    FULL = "full"
    """The disk is full in the middle of it."""
    LOST = "lost"
    """All of it was done, and the commit fails."""
    UNSURE = "unsure"
    """The commit succeeds, and says that it failed."""
    CRASH_BEFORE = "crash before"
    """The process ends before the commit."""
    CRASH_AFTER = "crash after"
    """The process ends right after it."""


class Do(StrEnum):
    """What people do."""

    START = "start"
    PAUSE = "pause"
    ABORT = "abort"
    END = "end"
    PAY = "pay"
    PAY_BACK = "pay back"
    CALL_OFF = "call off"
    EDIT_LIMITS = "edit limits"
    EDIT_WINDOW = "edit window"
    EDIT_METHOD = "edit dial method"
    EDIT_GATEWAY = "edit gateway"
    EDIT_BEHAVIOUR = "edit behaviour"
    EDIT_RATE = "edit rate"
    EDIT_DNC = "edit dnc list of campaign"
    AGENT_STATUS = "agent status"
    DELETE_AGENT = "delete agent"
    DELETE_QUEUE = "delete queue"
    CHANGE_TIER = "change tier"
    ADD_CONTACT = "add contact"
    DELETE_CONTACT = "delete contact"
    SUBSCRIBER_STATUS = "subscriber status"
    MOVE_SUBSCRIBER = "move subscriber"
    DELETE_SUBSCRIBER = "delete subscriber"
    CHANGE_DID = "change did"
    NOTHING = "nothing"


_SELDOM: Final = (Do.END, Do.DELETE_AGENT, Do.DELETE_QUEUE, Do.EDIT_METHOD, Do.CHANGE_DID, Do.EDIT_DNC)
_OFTEN: Final = (Do.START, Do.PAUSE, Do.PAY, Do.CALL_OFF, Do.EDIT_LIMITS, Do.SUBSCRIBER_STATUS, Do.NOTHING)


class Action(msgspec.Struct, frozen=True):
    """Something that somebody does; `which` and `dice` say to whom and how."""

    do: Do
    which: int
    dice: int


class Step(msgspec.Struct, frozen=True):
    """Some time passes, then somebody does something; either may meet with a fault."""

    pause_ms: int
    action: Action
    fault: Fault | None = None
    """Of the unit of work in which the time passes."""
    action_fault: Fault | None = None
    """Of the one in which the action is committed. Its author tries again."""
    statement: int = 0
    """Before which statement a disk is full."""
    clock_jump_ms: int = 0
    """How the wall clock jumps meanwhile."""


class Mischief(msgspec.Struct, frozen=True):
    """What the carrier does to its reports: so many per thousand of them."""

    doubled: int = 0
    """Delivered twice in a row."""
    late: int = 0
    """Delivered a second time up to a day later."""
    unknown: int = 0
    """Followed by the same report of a call that nobody has placed."""
    lost: int = 0
    """Never delivered: the call goes silent."""
    swapped: int = 0
    """Of a B-leg that ends with its call: delivered after the end of the call."""


class Troubles(msgspec.Struct, frozen=True):
    """All that goes on in a world from its start on."""

    steps: tuple[Step, ...]
    mischief: Mischief
    is_harmless: bool
    """No fault of these may leave a trace: without them everything would have come the same way."""
    has_real_clock: bool
    """The worker's clock goes by itself, and may jump; else it is virtual."""


def troubles_of(seed: int) -> Troubles:
    """The troubles of a seed."""
    dice = Dice(seed, "troubles")
    is_harmless = dice.happens(35)
    has_real_clock = not is_harmless and dice.happens(35)
    mischief = Mischief(
        doubled=dice.pick((0, 100, 500)),
        late=dice.pick((0, 50, 200)),
        unknown=dice.pick((0, 50)),
        lost=0 if is_harmless else dice.pick((0, 0, 20, 150)),
        swapped=0 if is_harmless else dice.pick((0, 300)),
    )
    count = dice.between(STEPS_MIN, STEPS_MAX)
    steps = [_step(dice, has_real_clock=has_real_clock) for _ in range(count)]
    beginning = [Step(0, Action(Do.START, place, 0)) for place in range(4)]
    return Troubles((*beginning, *steps), mischief, is_harmless, has_real_clock)


def _step(dice: Dice, *, has_real_clock: bool) -> Step:
    jumps = has_real_clock and dice.happens(8)
    return Step(
        pause_ms=dice.pick(_SHORT_PAUSES_MS if has_real_clock else _PAUSES_MS),
        action=Action(_deed(dice), dice.between(0, _ANYTHING), dice.between(0, _ANYTHING)),
        fault=dice.pick(list(Fault)) if dice.happens(35) else None,
        action_fault=dice.pick(list(Fault)) if dice.happens(12) else None,
        statement=dice.between(1, 30),
        clock_jump_ms=dice.pick((-HOUR_MS, HOUR_MS)) if jumps else 0,
    )


def _deed(dice: Dice) -> Do:
    if dice.happens(60):
        return dice.pick(_OFTEN)
    if dice.happens(10):
        return Do.ABORT
    deed = dice.pick(list(Do))
    return Do.NOTHING if deed in _SELDOM and dice.happens(50) else deed
