"""How much was dialled: counted as it is recorded, and known to others once it is committed."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection

from dialer.domain import effects
from dialer.domain.board import Board
from dialer.domain.enums import TransferStatus
from dialer.domain.plans import Call, CallOutcome, Transfer
from dialer.store.journal.rows import CdrRow
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


class StepTally:
    """Counts what a journal records: one of its observers."""

    def __init__(self) -> None:
        self._step = Tally()
        self._legs: Final[dict[int, int]] = {}
        """What the B-leg of each call holds that has one in progress, or waits for it."""
        self.handlers: Final[dict[type, Callable[[Any, int], None]]] = {
            effects.Dial: lambda effect, _: self._placed(effect.call),
            effects.SendText: lambda effect, _: self._placed(effect.message),
            effects.AnswerCall: self._answered,
            effects.FinishCall: lambda effect, _: self._ended(effect.call, effect.outcome),
            effects.FinishInbound: lambda effect, _: self._ended(effect.call, effect.outcome),
            effects.FinishText: lambda effect, _: self._ended(effect.message, effect.outcome),
            effects.KeepTransfer: lambda effect, _: self._hold_leg(effect.call, effect.transfer),
            effects.RefuseSubscriber: self._refused,
            effects.KeepBreaker: self._rested,
        }

    def restored(self, call: Call) -> None:
        """Count an attempt that was in progress before."""
        self._step.in_progress[_medium(call)] += 1
        self._step.held += call.hold
        for transfer in call.transfers:
            self._hold_leg(call, transfer)

    def step_begun(self, connection: Connection) -> None:
        """Nothing is read."""

    def cdrs_written(self, cdrs: Sequence[CdrRow]) -> None:
        """CDRs are not counted."""

    def step_closed(self, connection: Connection, board: Board) -> None:
        """Nothing is compared."""

    def committed(self) -> Tally:
        """Return what was done since the last call of this, and how things stand now."""
        done = self._step
        self._step = Tally(in_progress=done.in_progress.copy(), held=done.held)
        return done

    def _placed(self, call: Call) -> None:
        medium = _medium(call)
        self._step.dialled[medium] += 1
        self._step.in_progress[medium] += 1
        self._step.held += call.hold

    def _answered(self, _effect: effects.AnswerCall, _now_ms: int) -> None:
        self._step.in_progress[VOICE] += 1

    def _refused(self, effect: effects.RefuseSubscriber, _now_ms: int) -> None:
        self._step.refused[effect.reason] += 1

    def _rested(self, effect: effects.KeepBreaker, now_ms: int) -> None:
        if effect.breaker.open_until_ms > now_ms:
            self._step.rests[_gateway(effect.gateway_id)] += 1

    def _hold_leg(self, call: Call, transfer: Transfer) -> None:
        """Count what a B-leg holds from its beginning to its end."""
        before = self._legs.pop(call.id, 0)
        if transfer.status is not TransferStatus.OVER:
            self._legs[call.id] = transfer.hold
        self._step.held += self._legs.get(call.id, 0) - before

    def _ended(self, call: Call, outcome: CallOutcome) -> None:
        medium = _medium(call)
        self._step.in_progress[medium] -= 1
        self._step.held -= call.hold
        self._step.answered[medium] += outcome.answered_ms is not None or outcome.delivered_ms is not None


def _gateway(gateway_id: int) -> tuple[str, int]:
    is_voice = gateway_id < SMS_LINES_FROM
    return (VOICE, gateway_id) if is_voice else (SMS, gateway_id - SMS_LINES_FROM)


def _medium(call: Call) -> str:
    return SMS if call.parts else VOICE
