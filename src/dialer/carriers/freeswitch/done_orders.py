"""The ends of orders, as the switch's events tell them."""

from typing import Final

from dialer.carriers.freeswitch.commands import DIGITS_MAX, SPEECH_FRAMES_MIN, keys_variable
from dialer.carriers.freeswitch.events import SwitchEvent
from dialer.domain.sessions.leg_protocol import (
    Ask,
    AwaitBeep,
    Bridge,
    Clear,
    Confer,
    Converse,
    Detect,
    Done,
    Hold,
    Order,
    Play,
    Record,
    Supervise,
    Tape,
)
from dialer.domain.survey.survey import BRANCH_INVALID
from dialer.domain.words.enums import AmdStatus

KEYS: Final = frozenset("0123456789*#ABCD")


def done_of(order: Order, event: SwitchEvent) -> Done:
    """Return the end of an order that an event tells. The switch connects no program, so a conversation fails."""
    match order:
        case Detect(turn) if not event.name:
            return Done(turn, 0, status=AmdStatus.UNSURE)
        case Detect(turn):
            return Done(turn, 0, status=_detected(event))
        case Ask(turn):
            pressed = event[f"variable_{keys_variable(turn)}"][:DIGITS_MAX]
            return Done(turn, 0, answer="".join(key for key in pressed if key in KEYS))
        case Record(turn):
            return Done(turn, 0, recording_ms=event.number("variable_record_ms") or None)
        case Converse(turn):
            return Done(turn, 0, branch=BRANCH_INVALID)
        case AwaitBeep() | Play() | Confer() | Hold() | Bridge() | Supervise() | Clear() | Tape():
            return Done(order.turn, 0)


def _detected(event: SwitchEvent) -> AmdStatus:
    """Return the result of `wait_for_silence`. Until its time is up, a machine speaks, and a silent callee does not."""
    if event["variable_wait_for_silence_timeout"] != "true":
        return AmdStatus.PERSON
    spoken = event["variable_wait_for_silence_listenhits"]
    if spoken and event.number("variable_wait_for_silence_listenhits") <= SPEECH_FRAMES_MIN:
        return AmdStatus.UNSURE
    # A silence has been found, and the time was up before the switch told of it.
    is_silent = event["variable_wait_for_silence_silence_hits"] == "0"
    return AmdStatus.PERSON if is_silent else AmdStatus.MACHINE
