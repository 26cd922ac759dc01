"""Simulated callee: the behaviour of a person, machine or network in one call."""

from typing import Final

import msgspec

from dialer.domain.words.enums import AmdStatus, Cause
from dialer.sim.callee_profile import ALWAYS_THE_SAME, Behaviour, CalleeOutcome, Scripted, scripted_for
from dialer.sim.chance import CERTAIN, Chance
from dialer.sim.spans import Span, draw

_CAUSES: Final = {
    CalleeOutcome.BUSY: Cause.USER_BUSY,
    CalleeOutcome.NO_ANSWER: Cause.NO_ANSWER,
    CalleeOutcome.REJECTED: Cause.CALL_REJECTED,
    CalleeOutcome.INVALID: Cause.UNALLOCATED_NUMBER,
    CalleeOutcome.CONGESTION: Cause.NO_CIRCUIT,
    CalleeOutcome.OUT_OF_ORDER: Cause.NETWORK_OUT_OF_ORDER,
    CalleeOutcome.FAILURE: Cause.TEMPORARY_FAILURE,
    CalleeOutcome.CHANGED: Cause.NUMBER_CHANGED,
}
_ANSWER: Final = CalleeOutcome.ANSWER
_MACHINE: Final = CalleeOutcome.MACHINE
_NO_ANSWER: Final = CalleeOutcome.NO_ANSWER
_AFTER_RINGING: Final = frozenset({CalleeOutcome.ANSWER, CalleeOutcome.MACHINE, CalleeOutcome.REJECTED})
"""Outcomes that come after ringing. The network reports the other outcomes without ringing."""
_UNSCRIPTED: Final = Scripted()
_ANSWERS: Final = Scripted(CalleeOutcome.ANSWER)
_FOR_EVER_MS: Final = 2**50
"""Longer than any call may last, so the call's own limit ends it."""


class Fate(msgspec.Struct, frozen=True, gc=False):
    """Result of dialling, `after_ms` after the dial.

    Without a cause the call is answered. With the cause `NO_ANSWER` the phone rings until the caller gives up.
    """

    after_ms: int
    cause: Cause | None
    signal_ms: int
    """The post-dial delay: milliseconds from the dial to the network's first signal."""


class Callee(msgspec.Struct, eq=False, gc=False):
    """The behaviour of the callee in one call attempt, drawn from the seed.

    Each draw depends on the draws before it, so call the methods in the order of the events of a call.
    """

    fate: Fate
    is_machine: bool
    listens: bool
    """True if the callee certainly hears every prompt to its end."""
    behaviour: Behaviour
    """The behaviour of the population."""
    _scripted: Scripted
    chance: Chance
    hangs_up_after_ms: int | None = None
    """Milliseconds from the answer until the callee hangs up, or None if the callee has no such script."""
    talks_on: bool = False
    """True if the callee stays on the line until the call is cut."""
    _prompts_asked: int = 0

    def detected_as(self) -> AmdStatus:
        """Return the result of answering-machine detection. Detection is always right about a scripted outcome."""
        is_mistaken = self._scripted.outcome is None and self.chance.happens(self.behaviour.amd_error)
        return AmdStatus.MACHINE if self.is_machine is not is_mistaken else AmdStatus.PERSON

    def hangs_up_within(self, prompt_ms: int) -> int | None:
        """Return milliseconds into a prompt at which the callee hangs up, or None if the callee hears its end."""
        if self.chance.happens(self.behaviour.listen):
            return None
        return self.chance.between(0, prompt_ms)

    def presses(self, wanted: str | None = None) -> tuple[str, int]:
        """Return the keys pressed after a prompt that asks for input, and the delay from its end in milliseconds.

        The keys are "" if the callee presses none. A callee without scripted keys presses `wanted`, if given.
        """
        if self.is_machine:
            return "", 0
        asked = self._prompts_asked
        self._prompts_asked += 1
        if self._scripted.keys is not None:
            keys = self._scripted_keys(asked)
        else:
            keys = self.chance.pick(self.behaviour.keys, "") if wanted is None else wanted
        return keys, draw(self._scripted.key_delay or self.behaviour.key_delay, self.chance)

    def talks_ms(self, talk: Span | None = None) -> int:
        """Return the length of a conversation in milliseconds, drawn from `talk` or else the population's `talk`."""
        return _FOR_EVER_MS if self.talks_on else draw(talk or self.behaviour.talk, self.chance)

    def waits_ms(self) -> int | None:
        """Return the callee's patience in a queue in milliseconds; None without a limit."""
        if self.is_machine or (self._scripted.listens and self._scripted.patience is None):
            return None
        return draw(self._scripted.patience or self.behaviour.patience, self.chance)

    def calls_back_after_ms(self) -> int | None:
        """Return the milliseconds from a missed call until the callee calls back; None if they do not call back."""
        scripted = self._scripted
        if scripted.call_back_after is not None:
            return draw(scripted.call_back_after, self.chance)
        if scripted.outcome is not None or not self.chance.happens(self.behaviour.call_back):
            return None
        return draw(self.behaviour.call_back_after, self.chance)

    def other(self, number: str, place: int) -> "Callee":
        """Return the callee of a B-leg to `number`, who hears every prompt. Without a script this callee answers."""
        callee = callee_behind(self.behaviour, number, place, self.chance, unscripted=_ANSWERS)
        callee.listens = True
        return callee

    def third(self, number: str, place: int) -> "Callee":
        """Return the third person whom an agent consults at `number`. The callee's own course does not change."""
        return callee_behind(self.behaviour, number, place, self.chance.of(f"third:{place}"), unscripted=_ANSWERS)

    def _scripted_keys(self, asked: int) -> str:
        keys = self._scripted.keys or ()
        if self._scripted.repeat_keys and keys:
            return keys[min(asked, len(keys) - 1)]
        return keys[asked] if asked < len(keys) else ""


def callee_behind(
    behaviour: Behaviour, number: str, attempt: int, chance: Chance, unscripted: Scripted = _UNSCRIPTED
) -> Callee:
    """Return the callee behind a number at an attempt. A number without a script follows `unscripted`."""
    digits = number[1:]
    # Nearly all numbers have no script, which is seen without a call.
    may_be_scripted = behaviour.numbers or digits in ALWAYS_THE_SAME or not digits.isdigit() or number[0] != "+"
    scripted = (scripted_for(behaviour, number, attempt) if may_be_scripted else None) or unscripted
    outcome = scripted.outcome
    if outcome is None:
        outcome = chance.pick(behaviour.outcomes, _NO_ANSWER)
        if outcome is _ANSWER and chance.happens(behaviour.machine):
            outcome = _MACHINE
    is_machine = outcome is _MACHINE
    listens = is_machine or scripted.listens or behaviour.listen >= CERTAIN
    after_ms = signal_ms = draw(scripted.post_dial_delay or behaviour.post_dial_delay, chance)
    if outcome in _AFTER_RINGING:
        after_ms += draw(scripted.ring or behaviour.ring, chance)
    fate = Fate(after_ms, _CAUSES.get(outcome), signal_ms)
    habit_ms, talks_on = scripted.hang_up_after_ms, scripted.talks
    return Callee(fate, is_machine, listens, behaviour, scripted, chance, habit_ms, talks_on)
