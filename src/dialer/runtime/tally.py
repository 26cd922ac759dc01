"""How much was dialled: counted as it is recorded, and known to others once it is committed."""

from collections import Counter
from collections.abc import Callable
from functools import cached_property
from typing import Any

import msgspec

from dialer.domain import effects
from dialer.domain.enums import TransferStatus
from dialer.domain.plans import Call, CallOutcome
from dialer.store.journal.journal import JournalStore, Recordings
from dialer.store.queries.progress import SMS_LINES_FROM
from dialer.store.tables import SMS, VOICE


class Tally(msgspec.Struct):
    """What the dialling of this process has come to, calls and text messages by medium, and what is under way."""

    dialled: Counter[str] = msgspec.field(default_factory=Counter)
    answered: Counter[str] = msgspec.field(default_factory=Counter)
    """Calls that somebody or something answered, and messages that were delivered."""
    refused: Counter[str] = msgspec.field(default_factory=Counter)
    """Subscribers who must not be called, by the reason."""
    rests: Counter[tuple[str, int]] = msgspec.field(default_factory=Counter)
    """How often a gateway was put to rest, by its medium and id."""
    in_progress: Counter[str] = msgspec.field(default_factory=Counter)
    held: int = 0
    """Money held for what is in progress, in integers of 1e-5."""
    reports_ignored: int = 0
    """Reports of a carrier that changed nothing: made twice, late, or of a call that nobody has placed."""
    broken: Counter[str] = msgspec.field(default_factory=Counter)
    """How often a rule was broken by what was then not committed, by the rule (`dialer.domain.invariants`)."""

    def add(self, step: "Tally") -> None:
        """Take in what a step did, and how things stand after it."""
        self.dialled += step.dialled
        self.answered += step.answered
        self.refused += step.refused
        self.rests += step.rests
        self.in_progress = step.in_progress
        self.held = step.held


class TallyingJournal(JournalStore):
    """A journal that counts what it records."""

    def __init__(self, *, next_cdr_id: int, recordings: Recordings | None = None) -> None:
        super().__init__(next_cdr_id=next_cdr_id, recordings=recordings)
        self._step = Tally()

    def restored(self, call: Call) -> None:
        """An attempt was in progress before this journal was opened."""
        super().restored(call)
        self._step.in_progress[_medium(call)] += 1
        legs = (transfer.hold for transfer in call.transfers if transfer.status is not TransferStatus.OVER)
        self._step.held += call.hold + sum(legs)

    def committed(self) -> Tally:
        """What was done since this was asked last, and how things stand now."""
        done = self._step
        self._step = Tally(in_progress=done.in_progress.copy(), held=done.held)
        return done

    def record(self, effect: effects.Effect, now_ms: int) -> None:
        """Keep what an effect says, and count it."""
        super().record(effect, now_ms)
        count = self._counters.get(type(effect))
        if count is not None:
            count(effect, now_ms)

    @cached_property
    def _counters(self) -> dict[type, Callable[[Any, int], None]]:
        return {
            effects.Dial: lambda effect, _: self._placed(effect.call),
            effects.SendText: lambda effect, _: self._placed(effect.message),
            effects.AnswerCall: self._answered,
            effects.FinishCall: lambda effect, _: self._ended(effect.call, effect.outcome),
            effects.FinishInbound: lambda effect, _: self._ended(effect.call, effect.outcome),
            effects.FinishText: lambda effect, _: self._ended(effect.message, effect.outcome),
            effects.RefuseSubscriber: self._refused,
            effects.KeepRest: self._rested,
        }

    def _placed(self, call: Call) -> None:
        medium = _medium(call)
        self._step.dialled[medium] += 1
        self._step.in_progress[medium] += 1

    def _answered(self, _effect: effects.AnswerCall, _now_ms: int) -> None:
        self._step.in_progress[VOICE] += 1

    def _refused(self, effect: effects.RefuseSubscriber, _now_ms: int) -> None:
        self._step.refused[effect.reason] += 1

    def _rested(self, effect: effects.KeepRest, now_ms: int) -> None:
        if effect.rest.rests_until_ms > now_ms:
            self._step.rests[_gateway(effect.gateway_id)] += 1

    def _reserve(self, user_id: int, amount: int) -> None:
        super()._reserve(user_id, amount)
        self._step.held += amount

    def _ended(self, call: Call, outcome: CallOutcome) -> None:
        medium = _medium(call)
        self._step.in_progress[medium] -= 1
        self._step.answered[medium] += outcome.answered_ms is not None or outcome.delivered_ms is not None


def _gateway(line: int) -> tuple[str, int]:
    return (VOICE, line) if line < SMS_LINES_FROM else (SMS, line - SMS_LINES_FROM)


def _medium(call: Call) -> str:
    return SMS if call.parts else VOICE
