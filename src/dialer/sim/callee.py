"""The simulated callee: what one person, machine or network does with one call."""

from typing import Final

import msgspec

from dialer.domain.enums import AmdStatus, Cause
from dialer.sim.behaviour import Behaviour, Outcome, Scripted, Span, scripted_for
from dialer.sim.chance import CERTAIN, Chance

_CAUSES: Final = {
    Outcome.BUSY: Cause.USER_BUSY,
    Outcome.NO_ANSWER: Cause.NO_ANSWER,
    Outcome.REJECTED: Cause.CALL_REJECTED,
    Outcome.INVALID: Cause.UNALLOCATED_NUMBER,
    Outcome.CONGESTION: Cause.NO_CIRCUIT,
    Outcome.OUT_OF_ORDER: Cause.NETWORK_OUT_OF_ORDER,
    Outcome.FAILURE: Cause.TEMPORARY_FAILURE,
    Outcome.CHANGED: Cause.NUMBER_CHANGED,
}
_ANSWER: Final = Outcome.ANSWER
_MACHINE: Final = Outcome.MACHINE
_AFTER_RINGING: Final = frozenset({Outcome.ANSWER, Outcome.MACHINE, Outcome.REJECTED})
"""Outcomes for which a telephone has to ring first; the others are the network's answer."""
_UNSCRIPTED: Final = Scripted()
_ANSWERS: Final = Scripted(Outcome.ANSWER)
_FOR_EVER_MS: Final = 2**50
"""Longer than any call may last: its limit ends it."""


class Fate(msgspec.Struct, frozen=True, gc=False):
    """What becomes of a dialling, so long after it; without a cause it is answered, with `NO_ANSWER` it rings on."""

    after_ms: int
    cause: Cause | None


class Callee:
    """One callee in one attempt. Ask in the order of the call: what is drawn depends on what was drawn before."""

    __slots__ = ("_behaviour", "_chance", "_prompts_asked", "_scripted", "fate", "is_machine", "listens")

    def __init__(
        self, behaviour: Behaviour, number: str, attempt: int, chance: Chance, *, unscripted: Scripted = _UNSCRIPTED
    ) -> None:
        self._behaviour = behaviour
        self._chance = chance
        self._scripted = scripted_for(behaviour, number, attempt) or unscripted
        self._prompts_asked = 0
        outcome = self._scripted.outcome or self._draw_outcome()
        self.is_machine: Final = outcome is _MACHINE
        self.listens: Final = self.is_machine or self._scripted.listens or behaviour.listen >= CERTAIN
        """Whether every prompt is heard to its end, for certain."""
        self.fate: Final = self._draw_fate(outcome)

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
        is_mistaken = self._scripted.outcome is None and self._is_by_chance(self._behaviour.amd_error)
        return AmdStatus.MACHINE if self.is_machine is not is_mistaken else AmdStatus.PERSON

    def hangs_up_within(self, prompt_ms: int) -> int | None:
        """How far into a prompt the callee hangs up who does not listen for certain; None if they hear its end."""
        if self._is_by_chance(self._behaviour.listen):
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
        return keys, self._within(self._scripted.key_delay or self._behaviour.key_delay)

    def talks_ms(self, talk: Span | None = None) -> int:
        """How long a conversation with somebody else lasts; of the population's length unless that one's is given."""
        return _FOR_EVER_MS if self.talks_on else self._within(talk or self._behaviour.talk)

    def waits_ms(self) -> int | None:
        """How long the callee waits for an agent; None for as long as it takes."""
        if self.is_machine or (self._scripted.listens and self._scripted.patience is None):
            return None
        return self._within(self._scripted.patience or self._behaviour.patience)

    def calls_back_after_ms(self) -> int | None:
        """How long after having missed a call the callee calls back; None if they do not."""
        scripted = self._scripted
        if scripted.call_back_after is not None:
            return self._within(scripted.call_back_after)
        if scripted.outcome is not None or not self._is_by_chance(self._behaviour.call_back):
            return None
        return self._within(self._behaviour.call_back_after)

    def other(self, number: str, place: int) -> "Callee":
        """Whoever is behind a number that this call is brought to: without a script they answer."""
        return Callee(self._behaviour, number, place, self._chance, unscripted=_ANSWERS)

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

    def _draw_outcome(self) -> Outcome:
        draw = self._chance.draw()
        for below, outcome in self._behaviour.outcomes:
            if draw < below:
                is_machine = outcome is _ANSWER and self._is_by_chance(self._behaviour.machine)
                return _MACHINE if is_machine else outcome
        return Outcome.NO_ANSWER

    def _draw_fate(self, outcome: Outcome) -> Fate:
        after_ms = self._within(self._scripted.post_dial_delay or self._behaviour.post_dial_delay)
        if outcome in _AFTER_RINGING:
            after_ms += self._within(self._scripted.ring or self._behaviour.ring)
        return Fate(after_ms, _CAUSES.get(outcome))

    def _is_by_chance(self, below: int) -> bool:
        """Whether something with this threshold happens; what is certain either way draws nothing."""
        return below >= CERTAIN or (below > 0 and self._chance.draw() < below)

    def _within(self, span: Span) -> int:
        if span.mean_ms:
            return self._chance.exponential(span.mean_ms)
        if span.least_ms == span.most_ms:
            return span.least_ms
        return self._chance.between(span.least_ms, span.most_ms)
