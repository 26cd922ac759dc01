"""Counters of dialling, updated as effects are recorded and published once they are committed."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Connection

from dialer.domain.calls import agent_effects, call_effects, campaign_effects, effects, text_effects
from dialer.domain.calls.plans import Call, GatewayKey, Transfer
from dialer.domain.engine.state import EngineState
from dialer.domain.words.enums import TransferStatus
from dialer.domain.words.exhaustive import exhaustive
from dialer.store.journal.rows import CdrRow
from dialer.store.tables import SMS, VOICE

_IGNORED: Final = (
    *(text_effects.KeepText, campaign_effects.CompleteSubscriber, call_effects.FinishLeg, agent_effects.KeepAgent),
    *(agent_effects.KeepQueue, campaign_effects.KeepFigures, call_effects.KeepLine, campaign_effects.ExpectCallBack),
    *(
        call_effects.RefuseInbound,
        campaign_effects.MoveCampaign,
        effects.KeepWish,
        agent_effects.KeepPreview,
        campaign_effects.PutBack,
    ),
)
"""Effects that are not counted."""


class DialCounters(msgspec.Struct):
    """Totals of this process by medium (calls and text messages), and the current load."""

    dialled: Counter[str] = msgspec.field(default_factory=Counter)
    taken_back: Counter[str] = msgspec.field(default_factory=Counter)
    """Calls and messages among `dialled` that were certainly never placed, because the line did not work."""
    answered: Counter[str] = msgspec.field(default_factory=Counter)
    """Answered calls and delivered messages."""
    refused: Counter[str] = msgspec.field(default_factory=Counter)
    """Subscribers who must not be called, by reason."""
    texts_dropped: Counter[str] = msgspec.field(default_factory=Counter)
    """Text messages that sections of surveys asked for and that are not sent, by reason."""
    rests: Counter[GatewayKey] = msgspec.field(default_factory=Counter)
    """Number of times a gateway's circuit breaker opened, by medium and gateway id."""
    in_progress: Counter[str] = msgspec.field(default_factory=Counter)
    held: int = 0
    """Money held for calls and messages in progress, in integers of 1e-5."""
    lines_down: int = 0
    """Number of gateways whose connection to their carrier does not work."""
    reports_ignored: int = 0
    """Reports of a carrier that changed nothing: duplicates, late reports, and reports of unknown calls."""
    reports_set_aside: int = 0
    """Reports that could not be handled, and were set aside with their reason."""
    broken: Counter[str] = msgspec.field(default_factory=Counter)
    """Number of steps discarded because they broke a rule of `dialer.domain.rules.invariants`, by rule."""

    def add(self, step: "DialCounters") -> None:
        """Add the counts of a step, and replace the current load by its own."""
        self.dialled += step.dialled
        self.taken_back += step.taken_back
        self.answered += step.answered
        self.refused += step.refused
        self.texts_dropped += step.texts_dropped
        self.rests += step.rests
        self.in_progress = step.in_progress
        self.held = step.held


class StepCounters:
    """Counter of the effects that a journal records: one of its observers."""

    def __init__(self) -> None:
        self._step = DialCounters()
        self._legs: Final[dict[str, int]] = {}
        """Amount held for each B-leg that is in progress or waits in a queue, by its callid."""
        handlers: dict[type, Callable[[Any, int], None] | None] = {
            **dict.fromkeys(_IGNORED),
            call_effects.Dial: self._dialled,
            text_effects.SendText: self._sent,
            call_effects.AnswerCall: self._answered,
            call_effects.TakeBackCall: self._taken_back,
            call_effects.FinishCall: self._ended,
            call_effects.FinishInbound: self._ended,
            text_effects.FinishText: self._text_ended,
            call_effects.KeepTransfer: lambda effect, _: self._hold_leg(effect.transfer),
            campaign_effects.RefuseSubscriber: self._refused,
            text_effects.DropText: self._dropped,
            campaign_effects.KeepBreaker: self._rested,
        }
        self.handlers: Final = exhaustive(effects.Recorded, handlers)

    def restored(self, call: Call) -> None:
        """Count an attempt that was in progress before the engine was built."""
        self._step.in_progress[_medium(call)] += 1
        self._step.held += call.hold
        for transfer in call.transfers:
            self._hold_leg(transfer)

    def step_begun(self, connection: Connection) -> None:
        """Do nothing: no rows are read."""

    def cdrs_written(self, cdrs: Sequence[CdrRow]) -> None:
        """Do nothing: CDRs are not counted."""

    def step_closed(self, connection: Connection, engine_state: EngineState) -> None:
        """Do nothing: nothing is compared."""

    def committed(self) -> DialCounters:
        """Return the counts since the last call of this method, with the current load."""
        done = self._step
        self._step = DialCounters(in_progress=done.in_progress.copy(), held=done.held)
        return done

    def _dialled(self, effect: call_effects.Dial, _now_ms: int) -> None:
        step, call = self._step, effect.call
        medium = SMS if call.parts else VOICE
        step.dialled[medium] += 1
        step.in_progress[medium] += 1
        step.held += call.hold

    def _sent(self, effect: text_effects.SendText, _now_ms: int) -> None:
        step = self._step
        step.dialled[SMS] += 1
        step.in_progress[SMS] += 1
        step.held += effect.message.hold

    def _answered(self, _effect: call_effects.AnswerCall, _now_ms: int) -> None:
        self._step.in_progress[VOICE] += 1

    def _refused(self, effect: campaign_effects.RefuseSubscriber, _now_ms: int) -> None:
        self._step.refused[effect.reason] += 1

    def _dropped(self, effect: text_effects.DropText, _now_ms: int) -> None:
        self._step.texts_dropped[effect.reason] += 1

    def _rested(self, effect: campaign_effects.KeepBreaker, now_ms: int) -> None:
        if effect.breaker.open_until_ms > now_ms:
            self._step.rests[effect.gateway_id] += 1

    def _taken_back(self, effect: call_effects.TakeBackCall, _now_ms: int) -> None:
        medium = _medium(effect.call)
        self._step.taken_back[medium] += 1
        self._step.in_progress[medium] -= 1
        self._step.held -= effect.call.hold

    def _hold_leg(self, transfer: Transfer) -> None:
        """Count the amount held for a B-leg, from its beginning to its end."""
        before = self._legs.pop(transfer.callid, 0)
        if transfer.status is not TransferStatus.OVER:
            self._legs[transfer.callid] = transfer.hold
        self._step.held += self._legs.get(transfer.callid, 0) - before

    def _ended(self, effect: call_effects.FinishCall | call_effects.FinishInbound, _now_ms: int) -> None:
        step, call, outcome = self._step, effect.call, effect.outcome
        medium = SMS if call.parts else VOICE
        step.in_progress[medium] -= 1
        step.held -= call.hold
        step.answered[medium] += outcome.answered_ms is not None or outcome.delivered_ms is not None

    def _text_ended(self, effect: text_effects.FinishText, _now_ms: int) -> None:
        step, outcome = self._step, effect.outcome
        step.in_progress[SMS] -= 1
        step.held -= effect.message.hold
        step.answered[SMS] += outcome.answered_ms is not None or outcome.delivered_ms is not None


def _medium(call: Call) -> str:
    return SMS if call.parts else VOICE
