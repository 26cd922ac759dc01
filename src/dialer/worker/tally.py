"""How much was dialled: counted as it is recorded, and known to others once it is committed."""

from collections import Counter

import msgspec

from dialer.domain import effects
from dialer.domain.plans import Call
from dialer.store.journal import Journal
from dialer.store.models import SMS, VOICE


class Figures(msgspec.Struct):
    """What the dialling of this process has come to, calls and text messages by medium, and what is under way."""

    dialled: Counter[str] = msgspec.field(default_factory=Counter)
    answered: Counter[str] = msgspec.field(default_factory=Counter)
    """Calls that somebody or something answered, and messages that were delivered."""
    refused: Counter[str] = msgspec.field(default_factory=Counter)
    """Subscribers who must not be called, by the reason."""
    in_progress: Counter[str] = msgspec.field(default_factory=Counter)
    held: int = 0
    """Money held for what is in progress, in integers of 1e-5."""

    def add(self, step: "Figures") -> None:
        """Take in what a step did, and how things stand after it."""
        self.dialled += step.dialled
        self.answered += step.answered
        self.refused += step.refused
        self.in_progress = step.in_progress
        self.held = step.held


class TallyingJournal(Journal):
    """A journal that counts what it records."""

    def __init__(self, *, next_cdr_id: int) -> None:
        super().__init__(next_cdr_id=next_cdr_id)
        self._step = Figures()

    def restored(self, call: Call) -> None:
        """An attempt was in progress before this journal was opened."""
        self._begun(call)

    def committed(self) -> Figures:
        """What was done since this was asked last, and how things stand now."""
        done = self._step
        self._step = Figures(in_progress=done.in_progress.copy(), held=done.held)
        return done

    def record(self, effect: effects.Effect, now_ms: int) -> None:
        """Keep what an effect says, and count it."""
        super().record(effect, now_ms)
        if isinstance(effect, effects.Dial):
            self._step.dialled[_medium(effect.call)] += 1
            self._begun(effect.call)
        elif isinstance(effect, effects.FinishCall):
            self._ended(effect)
        elif isinstance(effect, effects.RefuseSubscriber):
            self._step.refused[effect.reason] += 1

    def _begun(self, call: Call) -> None:
        self._step.in_progress[_medium(call)] += 1
        self._step.held += call.hold

    def _ended(self, effect: effects.FinishCall) -> None:
        medium, outcome = _medium(effect.call), effect.outcome
        self._step.in_progress[medium] -= 1
        self._step.held -= effect.call.hold
        self._step.answered[medium] += outcome.answered_ms is not None or outcome.delivered_ms is not None


def _medium(call: Call) -> str:
    return SMS if call.parts else VOICE
