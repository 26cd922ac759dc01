"""The troubles of a seed: a timetable of faults and of user actions.

Everything is a value. The target of an action, `which`, is reduced modulo the number of rows that are present when the
action is performed.
"""

from enum import StrEnum
from typing import Final

import msgspec

from tests.vopr.desks import has_desks
from tests.vopr.dice import Dice
from tests.vopr.manual_dials import has_manual_dials
from tests.vopr.previews import has_previews

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
_DESK_PAUSES_MS: Final = (0, 0, 250, SECOND_MS, 3 * SECOND_MS, 31 * SECOND_MS)
DESK_STEPS_MAX: Final = 3
TALKATIVE_MAX: Final = 14
"""Steps of a seed with calls at desks that are followed by others about these calls."""
HAND_STEPS_MAX: Final = 10
HAND_ROUNDS_MAX: Final = 2
_DIALS_AT_ONCE: Final = (1, 1, 2, 3)
_CHOICES_MAX: Final = 1_000_000


class Fault(StrEnum):
    """A fault of a unit of work. In the end no fault may have left a trace."""

    LOCKED = "locked"
    """The write lock cannot be acquired."""
    FULL = "full"
    """The disk becomes full in the middle of the unit."""
    LOST = "lost"
    """All statements succeed, and the commit fails."""
    UNSURE = "unsure"
    """The commit succeeds, and reports a failure."""
    CRASH_BEFORE = "crash before"
    """The process ends before the commit."""
    CRASH_AFTER = "crash after"
    """The process ends right after the commit."""


class Do(StrEnum):
    """A kind of user action."""

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
    RECYCLE = "recycle"
    """Not drawn by itself, as all below: they take the place of the steps in which nothing happens."""
    WISH = "an agent says do not call"
    COPY = "copy and start a campaign"
    CORRECT_CONTACT = "correct the number of a contact"
    CALL_AGAIN = "call people of a campaign again"
    """Not drawn either: it has steps of its own at the end of a timetable."""
    DESK = "an agent decides about a person"
    """Not drawn either: it has steps of its own, in seeds with previews."""
    TALK = "an agent gives an order about a call"
    """Not drawn either: it has steps of its own, in seeds with calls at desks."""
    ALLOW = "an admin lets a campaign call"
    """Not drawn either, as both below: they have steps of their own, in seeds with manual dials."""
    BY_HAND = "an agent dials a number"
    FORBID = "somebody forbids what an agent dials"


_SELDOM: Final = (Do.END, Do.DELETE_AGENT, Do.DELETE_QUEUE, Do.EDIT_METHOD, Do.CHANGE_DID, Do.EDIT_DNC)
_LAST: Final = (Do.END, Do.CALL_AGAIN, Do.ADD_CONTACT, Do.ADD_CONTACT, Do.CORRECT_CONTACT, Do.ABORT, Do.CALL_AGAIN)
_LAST_ROUNDS: Final = 2
_INSTEAD: Final = (Do.WISH, Do.COPY, Do.CORRECT_CONTACT)
SETS_BACK: Final = frozenset(
    {Do.SUBSCRIBER_STATUS, Do.RECYCLE, Do.ADD_CONTACT, Do.CORRECT_CONTACT, Do.DESK, Do.TALK, Do.BY_HAND}
)
"""The actions that may set a subscriber who is done back to be called again."""
_OWN_STEPS: Final = frozenset({Do.RECYCLE, Do.CALL_AGAIN, Do.DESK, Do.TALK, Do.ALLOW, Do.BY_HAND, Do.FORBID, *_INSTEAD})
PAYS: Final = frozenset({Do.PAY, Do.PAY_BACK, Do.ALLOW, Do.FORBID})
"""The actions that may record a payment."""
_ENDS_CALLS: Final = frozenset({Do.ABORT, Do.END, Do.PAUSE, Do.DELETE_AGENT, Do.DELETE_QUEUE, Do.PAY_BACK, Do.COPY})
_OFTEN: Final = (Do.START, Do.PAUSE, Do.PAY, Do.CALL_OFF, Do.EDIT_LIMITS, Do.SUBSCRIBER_STATUS, Do.NOTHING)


class Action(msgspec.Struct, frozen=True):
    """A user action; `which` chooses its target, and `dice` its details."""

    do: Do
    which: int
    dice: int


class Step(msgspec.Struct, frozen=True):
    """A pause, then a user action; either may meet a fault."""

    pause_ms: int
    action: Action
    fault: Fault | None = None
    """The fault of the worker's unit of work after the pause."""
    action_fault: Fault | None = None
    """The fault of the unit of work that commits the action. The user then tries again."""
    statement: int = 0
    """The number of the statement before which a disk becomes full."""
    clock_jump_ms: int = 0
    """The jump of the wall clock after the pause; 0 for none."""
    then: tuple[Action, ...] = ()
    """Further actions, each in a unit of work of its own, before the worker knows of the first."""


class Mischief(msgspec.Struct, frozen=True):
    """The carrier's misreporting: each field is a number of reports per thousand."""

    doubled: int = 0
    """Reports that are delivered twice in a row."""
    late: int = 0
    """Reports that are delivered a second time, up to a day later."""
    unknown: int = 0
    """Reports that are repeated with the id of a call that was never placed."""
    lost: int = 0
    """Reports that are never delivered: the call goes silent."""
    swapped: int = 0
    """Ends of B-legs that are delivered after the end of their call."""


class Troubles(msgspec.Struct, frozen=True):
    """Everything that happens in a world after its start."""

    steps: tuple[Step, ...]
    mischief: Mischief
    is_harmless: bool
    """True if a run without these faults must end with equal rows."""
    has_real_clock: bool
    """True if the worker uses the machine's clock, which may jump; false if it uses a virtual one."""


def troubles_of(seed: int) -> Troubles:
    """Draw the troubles of a seed."""
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
    last = _last_steps(Dice(seed, "call again"), has_real_clock=has_real_clock)
    if has_previews(seed):
        steps = _with_desks(Dice(seed, "desks"), steps, Do.DESK, has_real_clock=has_real_clock)
    if has_desks(seed):
        steps = [_shorter(step, Dice(seed, f"pause {place}")) for place, step in enumerate(steps[:TALKATIVE_MAX])]
        steps = _with_desks(Dice(seed, "talks"), steps, Do.TALK, has_real_clock=has_real_clock)
    if has_manual_dials(seed):
        last = []
        steps = [_shorter(step, Dice(seed, f"pause {place}")) for place, step in enumerate(steps[:HAND_STEPS_MAX])]
        steps = _with_manual_dials(Dice(seed, "by hand"), steps, has_real_clock=has_real_clock)
    return Troubles((*beginning, *steps, *last), mischief, is_harmless, has_real_clock)


def _last_steps(dice: Dice, *, has_real_clock: bool) -> list[Step]:
    """Draw the steps in which campaigns that are over have their people called again. Other draws stay as they are."""
    if not dice.happens(50):
        return []
    return [
        Step(
            pause_ms=dice.pick(_SHORT_PAUSES_MS if has_real_clock else _PAUSES_MS),
            action=Action(do, dice.between(0, _CHOICES_MAX), dice.between(0, _CHOICES_MAX)),
            fault=dice.pick(list(Fault)) if dice.happens(20) else None,
            action_fault=dice.pick(list(Fault)) if dice.happens(12) else None,
            statement=dice.between(1, 30),
        )
        for do in _LAST * _LAST_ROUNDS
    ]


def _with_desks(dice: Dice, steps: list[Step], do: Do, *, has_real_clock: bool) -> list[Step]:
    """Return steps with others after each, in which agents give orders at their desks."""
    return [
        one
        for step in steps
        for one in (
            step,
            *[
                Step(
                    pause_ms=dice.pick(_SHORT_PAUSES_MS if has_real_clock else _DESK_PAUSES_MS),
                    action=Action(do, dice.between(0, _CHOICES_MAX), dice.between(0, _CHOICES_MAX)),
                    fault=dice.pick(list(Fault)) if dice.happens(20) else None,
                    action_fault=dice.pick(list(Fault)) if dice.happens(12) else None,
                    statement=dice.between(1, 30),
                )
                for _ in range(dice.between(1, DESK_STEPS_MAX))
            ],
        )
    ]


def _with_manual_dials(dice: Dice, steps: list[Step], *, has_real_clock: bool) -> list[Step]:
    """Return steps with others after each, in which agents dial numbers that somebody may forbid at once."""

    def draw(do: Do) -> Action:
        return Action(do, dice.between(0, _CHOICES_MAX), dice.between(0, _CHOICES_MAX))

    def draw_round() -> Step:
        dials = [draw(Do.BY_HAND) for _ in range(dice.pick(_DIALS_AT_ONCE))]
        first = [draw(Do.ALLOW)] if dice.happens(60) else []
        forbids = [draw(Do.FORBID)] if dice.happens(50) else []
        action, *then = (*first, *dials, *forbids)
        return Step(
            pause_ms=dice.pick(_SHORT_PAUSES_MS if has_real_clock else _DESK_PAUSES_MS),
            action=action,
            fault=dice.pick(list(Fault)) if dice.happens(20) else None,
            action_fault=dice.pick(list(Fault)) if dice.happens(12) else None,
            statement=dice.between(1, 30),
            then=tuple(then),
        )

    return [one for step in steps for one in (step, *[draw_round() for _ in range(dice.between(1, HAND_ROUNDS_MAX))])]


def _shorter(step: Step, dice: Dice) -> Step:
    """Return a step after which calls may still be in progress. A few steps stay as they are."""
    if dice.happens(15):
        return step
    do = dice.pick((Do.RECYCLE, Do.PAY, Do.START)) if step.action.do in _ENDS_CALLS else step.action.do
    action = msgspec.structs.replace(step.action, do=do)
    return msgspec.structs.replace(step, action=action, pause_ms=dice.pick(_SHORT_PAUSES_MS))


def _step(dice: Dice, *, has_real_clock: bool) -> Step:
    jumps = has_real_clock and dice.happens(8)
    return Step(
        pause_ms=dice.pick(_SHORT_PAUSES_MS if has_real_clock else _PAUSES_MS),
        action=_action(Action(_action_kind(dice), dice.between(0, _CHOICES_MAX), dice.between(0, _CHOICES_MAX))),
        fault=dice.pick(list(Fault)) if dice.happens(35) else None,
        action_fault=dice.pick(list(Fault)) if dice.happens(12) else None,
        statement=dice.between(1, 30),
        clock_jump_ms=dice.pick((-HOUR_MS, HOUR_MS)) if jumps else 0,
    )


def _action(drawn: Action) -> Action:
    """Return the drawn action, or another one instead of one that does nothing."""
    if drawn.do is not Do.NOTHING:
        return drawn
    do = Do.RECYCLE if drawn.dice % 3 else _INSTEAD[drawn.dice // 3 % len(_INSTEAD)]
    return msgspec.structs.replace(drawn, do=do)


def _action_kind(dice: Dice) -> Do:
    if dice.happens(60):
        return dice.pick(_OFTEN)
    if dice.happens(10):
        return Do.ABORT
    kind = dice.pick([kind for kind in Do if kind not in _OWN_STEPS])
    return Do.NOTHING if kind in _SELDOM and dice.happens(50) else kind
