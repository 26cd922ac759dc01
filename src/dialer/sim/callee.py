"""The simulated callee: what one person, machine or network does with one call."""

from typing import Final

import msgspec

from dialer.domain.enums import AmdStatus, Cause
from dialer.sim.callee_profile import Behaviour, CalleeOutcome, Scripted, Span, scripted_for
from dialer.sim.chance import CERTAIN, Chance

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
"""Outcomes for which a telephone has to ring first; the others are the network's answer."""
_UNSCRIPTED: Final = Scripted()
_ANSWERS: Final = Scripted(CalleeOutcome.ANSWER)
_FOR_EVER_MS: Final = 2**50
"""Longer than any call may last: its limit ends it."""


class Fate(msgspec.Struct, frozen=True, gc=False):
    """What becomes of a dialling, so long after it; without a cause it is answered, with `NO_ANSWER` it rings on."""

    after_ms: int
    cause: Cause | None


class Callee(msgspec.Struct, eq=False, gc=False):
    """One callee in one attempt. Ask in the order of the call: what is drawn depends on what was drawn before."""

    fate: Fate
    is_machine: bool
    listens: bool
    """Whether every prompt is heard to its end, for certain."""
    _behaviour: Behaviour
    _scripted: Scripted
    _chance: Chance
    _prompts_asked: int = 0

    @property
    def hangs_up_after_ms(self) -> int | None:
        """How long after the answer the callee hangs up, whatever is said; None for no such habit."""
        return self._scripted.hang_up_after_ms

    @property
    def talks_on(self) -> bool:
        """Whether the callee stays on the line until the call is cut."""
        return self._scripted.talks

    def detected_as(self) -> AmdStatus:
        """What answering-machine detection takes the callee for; scripted callees are always told right."""
        is_mistaken = self._scripted.outcome is None and self._chance.happens(self._behaviour.amd_error)
        return AmdStatus.MACHINE if self.is_machine is not is_mistaken else AmdStatus.PERSON

    def hangs_up_within(self, prompt_ms: int) -> int | None:
        """How far into a prompt the callee hangs up who does not listen for certain; None if they hear its end."""
        if self._chance.happens(self._behaviour.listen):
            return None
        return self._chance.between(0, prompt_ms)

    def presses(self, wanted: str | None = None) -> tuple[str, int]:
        """The keys entered after a prompt that asks ("" for none), and how long after its end, in milliseconds.

        Who has no script presses what is wanted, if that is said.
        """
        if self.is_machine:
            return "", 0
        asked = self._prompts_asked
        self._prompts_asked += 1
        if self._scripted.keys is not None:
            keys = self._scripted_keys(asked)
        else:
            keys = self._draw_keys() if wanted is None else wanted
        return keys, _within(self._scripted.key_delay or self._behaviour.key_delay, self._chance)

    def talks_ms(self, talk: Span | None = None) -> int:
        """How long a conversation with somebody else lasts; of the population's length unless that one's is given."""
        return _FOR_EVER_MS if self.talks_on else _within(talk or self._behaviour.talk, self._chance)

    def waits_ms(self) -> int | None:
        """How long the callee waits for an agent; None for as long as it takes."""
        if self.is_machine or (self._scripted.listens and self._scripted.patience is None):
            return None
        return _within(self._scripted.patience or self._behaviour.patience, self._chance)

    def calls_back_after_ms(self) -> int | None:
        """How long after having missed a call the callee calls back; None if they do not."""
        scripted = self._scripted
        if scripted.call_back_after is not None:
            return _within(scripted.call_back_after, self._chance)
        if scripted.outcome is not None or not self._chance.happens(self._behaviour.call_back):
            return None
        return _within(self._behaviour.call_back_after, self._chance)

    def other(self, number: str, place: int) -> "Callee":
        """Whoever is behind a number that this call is brought to: without a script they answer."""
        return callee_behind(self._behaviour, number, place, self._chance, unscripted=_ANSWERS)

    def _scripted_keys(self, asked: int) -> str:
        keys = self._scripted.keys or ()
        if self._scripted.repeat_keys and keys:
            return keys[min(asked, len(keys) - 1)]
        return keys[asked] if asked < len(keys) else ""

    def _draw_keys(self) -> str:
        draw = self._chance.draw()
        for below, keys in self._behaviour.keys:
            if draw < below:
                return keys
        return ""


def callee_behind(
    behaviour: Behaviour, number: str, attempt: int, chance: Chance, unscripted: Scripted = _UNSCRIPTED
) -> Callee:
    """Whoever is behind a number at an attempt; one without a script does as `unscripted` says."""
    scripted = scripted_for(behaviour, number, attempt) or unscripted
    outcome = scripted.outcome or _draw_outcome(behaviour, chance)
    is_machine = outcome is _MACHINE
    listens = is_machine or scripted.listens or behaviour.listen >= CERTAIN
    after_ms = _within(scripted.post_dial_delay or behaviour.post_dial_delay, chance)
    if outcome in _AFTER_RINGING:
        after_ms += _within(scripted.ring or behaviour.ring, chance)
    return Callee(Fate(after_ms, _CAUSES.get(outcome)), is_machine, listens, behaviour, scripted, chance)


def _draw_outcome(behaviour: Behaviour, chance: Chance) -> CalleeOutcome:
    draw = chance.draw()
    for below, outcome in behaviour.outcomes:
        if draw < below:
            return _MACHINE if outcome is _ANSWER and chance.happens(behaviour.machine) else outcome
    return _NO_ANSWER


def _within(span: Span, chance: Chance) -> int:
    if span.mean_ms:
        return chance.exponential(span.mean_ms)
    if span.least_ms == span.most_ms:
        return span.least_ms
    return chance.between(span.least_ms, span.most_ms)
