"""Simulated call: the call flow on one end, a callee on the other.

The behaviour of a callee is known in advance. So a call is computed in one go up to its next milestone. A milestone is
a moment that others must know of: the answer, a do-not-call request, a transfer, the end. If a call is hung up from
outside, everything computed beyond that moment is discarded.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from dialer.carriers.engine_port import Milestone
from dialer.domain import events
from dialer.domain.enums import AmdBehavior, AmdStatus, Cause
from dialer.domain.plans import NO_AMD, Call, CallOutcome, LegOutcome, SectionResult, Transfer
from dialer.domain.sessions.playing import UNWANTED, context_of, spoken
from dialer.domain.survey.callflow import Position
from dialer.domain.survey.sections.actions import (
    ConferenceTalk,
    Diversion,
    DncWish,
    MessageToSend,
    VoiceRecording,
)
from dialer.domain.survey.survey import INPUT_END, Prompt
from dialer.sim.b_leg import Leg
from dialer.sim.callee import Callee

AMD_MS: Final = 2_000
"""Duration of answering-machine detection after the answer."""
WORD_MS: Final = 400
SPEECH_MS_MIN: Final = 1_000
RECORDING_MS: Final = 10_000
"""Length of a recording that a person makes. A machine speaks until `RECORDING_MS_MAX`."""
RECORDING_MS_MAX: Final = 120_000
# Every call uses these members. A lookup in an enumeration costs as much as a function call.
_NO_ANSWER: Final = Cause.NO_ANSWER
_CLEARED: Final = Cause.NORMAL_CLEARING
_PERSON: Final = AmdStatus.PERSON


class QueueWait(NamedTuple):
    """Reply to a transfer into a queue where no agent is free yet."""


class Resume(NamedTuple):
    """Reply to a transfer that ended at `at_ms` without a connection."""

    at_ms: int


Reply = QueueWait | Resume | Transfer | None
"""Reply to a milestone. A `Transfer` means that its B-leg is dialled or its agent has answered."""


class _HungUp(Exception):  # noqa: N818 - an event, not an error
    """Signal that the call ended at `at_ms`."""

    def __init__(self, at_ms: int) -> None:
        super().__init__(at_ms)
        self.at_ms = at_ms


class Conversation(msgspec.Struct, eq=False, gc=False):
    """Call with one callee."""

    _call: Call
    _callee: Callee
    _then: "_Step | None" = None
    """Step that follows the last milestone; None before the first."""
    _seq: int = 0
    """Number of the last milestone."""
    _at_ms: int = 0
    """Time up to which the call is computed."""
    _answered_ms: int | None = None
    _amd_status: AmdStatus = _PERSON
    _completed_ms: int | None = None
    _results: list[SectionResult] = []
    _cut_ms: int = 0
    _leg: Leg | None = None
    _position: Position | None = None

    def next(self, reply: Reply = None) -> Milestone:
        """Return the next milestone. After a transfer, it depends on the reply to the transfer."""
        self._seq += 1
        try:
            return self._begin() if self._then is None else self._then(self, reply)
        except _HungUp as end:
            return self._end(end.at_ms, _CLEARED)

    def hang_up(self, now_ms: int) -> tuple[LegOutcome | None, CallOutcome]:
        """Return the outcomes of the B-leg, if any, and of the call when both are hung up from outside at `now_ms`.

        A leg or call that was cut before `now_ms` ends when it was cut.
        """
        if self._cut_ms:
            now_ms = min(now_ms, self._cut_ms)
        leg = None if self._leg is None else self._leg.cut(now_ms)
        return leg, self._outcome(now_ms, _CLEARED)

    def _begin(self) -> Milestone:
        """Return the end of an unanswered call, or the first milestone after the answer."""
        call, fate = self._call, self._callee.fate
        answered_ms = call.started_ms
        if not call.is_inbound:
            if fate.cause is _NO_ANSWER or fate.after_ms >= call.ring_limit_ms:
                return self._missed(call.started_ms + call.ring_limit_ms)
            answered_ms += fate.after_ms
            if fate.cause is not None:
                return self._end(answered_ms, fate.cause)
        return self._talk(answered_ms)

    def _missed(self, at_ms: int) -> Milestone:
        after_ms = self._callee.calls_back_after_ms()
        calls_back_ms = None if after_ms is None else at_ms + after_ms
        signalled_ms = self._signalled_ms(at_ms)
        outcome = CallOutcome(at_ms, _NO_ANSWER, calls_back_ms=calls_back_ms, signalled_ms=signalled_ms)
        return Milestone(at_ms, events.CallEnded(self._call.id, outcome, self._seq))

    def _talk(self, answered_ms: int) -> Milestone:
        """Run answering-machine detection if the campaign uses it, and report the answer if the survey has queues."""
        call, habit_ms = self._call, self._callee.hangs_up_after_ms
        limit_ms = call.talk_limit_ms
        self._answered_ms = self._at_ms = answered_ms
        self._cut_ms = answered_ms + (limit_ms if habit_ms is None or habit_ms > limit_ms else habit_ms)
        if call.amd != NO_AMD:
            self._at_ms = self._until(answered_ms + AMD_MS)
            self._amd_status = self._callee.detected_as()
        if not call.plan.flow.queue_ids:
            return self._greet()
        self._then = Conversation._greet
        is_live = self._amd_status is not AmdStatus.MACHINE
        return Milestone(self._at_ms, events.CallAnswered(call.id, answered_ms, is_live, self._seq))

    def _greet(self, _reply: Reply = None) -> Milestone:
        """Play the survey, or the campaign's voicemail message to a detected machine.

        A callee that `amd_behavior` excludes is hung up on.
        """
        call, plan = self._call, self._call.plan
        if call.amd != NO_AMD and UNWANTED.get(AmdBehavior(call.amd)) is self._amd_status:
            return self._end(self._at_ms, _CLEARED, is_refused_machine=call.amd == AmdBehavior.HUMAN_ONLY)
        if plan.voicemail_prompt is None or self._amd_status is not AmdStatus.MACHINE:
            self._position = plan.flow.begin()
            return self._walk()
        self._at_ms = self._play(plan.voicemail_prompt, self._at_ms)
        return self._played()

    def _walk(self) -> Milestone:
        """Walk the survey up to the next milestone."""
        while self._position is not None:
            position = self._position
            if position.section.completed and self._completed_ms is None:
                self._completed_ms = self._at_ms
            told = self._send(position, self._at_ms) if position.definition.acts_before_prompt else None
            if told is not None:
                self._then = Conversation._sent
                return told
            reached = self._go_through(position)
            if reached is not None:
                return reached
        return self._played()

    def _played(self) -> Milestone:
        """Return the end of a call whose survey is over. Some callees stay on the line until the call is cut."""
        return self._end(self._cut_ms if self._callee.talks_on else self._at_ms, _CLEARED)

    def _sent(self, _reply: Reply) -> Milestone:
        """Continue a section whose action before its prompt was reported."""
        position = self._position
        return (None if position is None else self._go_through(position)) or self._walk()

    def _go_through(self, position: Position) -> Milestone | None:
        """Play a section and move to the next one. Return a milestone if the section transfers the call."""
        flow, definition, at_ms = self._call.plan.flow, position.definition, self._at_ms
        for prompt in flow.prompts(position):
            at_ms = self._play(prompt, at_ms)
        if definition.asks:
            at_ms = self._ask(position, at_ms)
        else:
            if definition.acts_after_prompt:
                action = definition.after_prompt(position.section, context_of(self._call))
                if isinstance(action, Diversion):
                    return self._transfer(position, action, at_ms)
                at_ms = self._stay(position, action, at_ms)
            self._position = flow.done(position)
        self._at_ms = at_ms
        return None

    def _send(self, position: Position, at_ms: int) -> Milestone | None:
        """Return the milestone of a section that acts before its prompt, or None if there is nothing to report."""
        call_id = self._call.id
        match position.definition.before_prompt(position.section, context_of(self._call)):
            case DncWish(response):
                self._keep(position, response, at_ms)
                return Milestone(at_ms, events.DncReached(call_id, self._seq))
            case MessageToSend(response, number, text):
                self._keep(position, response, at_ms)
                return Milestone(at_ms, events.TextRequested(call_id, number, text, self._seq))
            case None:
                return None

    def _ask(self, position: Position, at_ms: int) -> int:
        keys, at_ms = self._listen(position, at_ms)
        turn = self._call.plan.flow.heard(position, keys)
        if turn.response is not None:
            self._keep(position, turn.response, at_ms)
        self._position = turn.position
        return at_ms

    def _stay(self, position: Position, action: ConferenceTalk | VoiceRecording | None, at_ms: int) -> int:
        """Return when a conference or recording after a prompt ends."""
        if action is None:
            return at_ms
        if isinstance(action, ConferenceTalk):
            self._keep(position, action.response, at_ms)
            return self._until(at_ms + self._callee.talks_ms())
        wanted_ms = RECORDING_MS_MAX if self._callee.is_machine else RECORDING_MS
        ended_ms = min(at_ms + wanted_ms, self._cut_ms)
        if ended_ms > at_ms:
            self._keep(position, action.response, ended_ms, recording_ms=ended_ms - at_ms)
        return self._until(at_ms + wanted_ms)

    def _transfer(self, position: Position, to: Diversion, at_ms: int) -> Milestone:
        """Return the milestone of a transfer to a queue or a number."""
        call = self._call
        self._keep(position, to.response, at_ms)
        self._at_ms, self._then = at_ms, Conversation._replied
        answered_ms = at_ms if self._answered_ms is None else self._answered_ms
        reached = events.TransferReached(call.id, position.section.id, to.queue_id, to.number, answered_ms, self._seq)
        return Milestone(at_ms, reached)

    def _replied(self, reply: Reply) -> Milestone:
        """Continue after the reply to a transfer. `QueueWait` starts the caller's patience."""
        if not isinstance(reply, QueueWait):
            return self._waited(reply)
        self._then = Conversation._waited
        return self._patience(self._at_ms)

    def _waited(self, reply: Reply) -> Milestone:
        """Continue after a wait: start the B-leg of a connected transfer, or go on without one."""
        if isinstance(reply, Transfer) and self._position is not None:
            leg = self._leg = self._leg_of(reply, self._position)
            self._then = Conversation._leg_over
            return Milestone(leg.outcome.ended_ms, events.LegEnded(self._call.id, leg.outcome, self._seq))
        if isinstance(reply, Resume):
            self._at_ms = reply.at_ms
        return self._transferred(is_connected=False)

    def _leg_over(self, _reply: Reply) -> Milestone:
        is_connected = False
        if self._leg is not None:
            is_connected, self._at_ms = self._leg.outcome.is_connected, self._leg.outcome.ended_ms
        self._leg = None
        return self._transferred(is_connected=is_connected)

    def _transferred(self, *, is_connected: bool) -> Milestone:
        """Continue the survey after a transfer."""
        if self._position is not None:
            self._position = self._call.plan.flow.transferred(self._position, is_connected=is_connected)
        self._until(self._at_ms)
        return self._walk()

    def _patience(self, at_ms: int) -> Milestone:
        """Return the milestone of a wait that no agent ends: the caller leaves, or the call is cut."""
        patience_ms = self._callee.waits_ms()
        if patience_ms is None or at_ms + patience_ms >= self._cut_ms:
            return self._end(self._cut_ms, _CLEARED)
        return Milestone(at_ms + patience_ms, events.CallerLeft(self._call.id, self._seq))

    def _leg_of(self, transfer: Transfer, position: Position) -> Leg:
        if transfer.has_queued:
            return Leg.to_agent(transfer, self._callee, self._cut_ms)
        section = position.section
        text = spoken(section.confirm_script, self._call.subscriber)
        return Leg.to_number(transfer, section, self._callee, speech_ms(text), self._cut_ms)

    def _play(self, prompt: Prompt, at_ms: int) -> int:
        """Return when a prompt has been played to its end.

        Raises:
            _HungUp: the callee hung up, or the call was cut, during the prompt.
        """
        length_ms = prompt.audio_ms
        if length_ms is None:
            length_ms = speech_ms(spoken(prompt.script, self._call.subscriber))
        if length_ms == 0:
            return at_ms
        if not self._callee.listens:
            until_hung_up_ms = self._callee.hangs_up_within(length_ms)
            if until_hung_up_ms is not None:
                raise _HungUp(self._until(at_ms + until_hung_up_ms))
        return self._until(at_ms + length_ms)

    def _listen(self, position: Position, at_ms: int) -> tuple[str, int]:
        """Return the keys that count as input, and when the call stopped waiting for more.

        Input ends with its last possible digit or with `#`. Shorter input ends after a time-out without a further key.
        """
        section = position.section
        keys, after_ms = self._callee.presses()
        if not keys or after_ms > section.timeout_ms:
            return "", self._until(at_ms + section.timeout_ms)
        digits, end, _ = keys.partition(INPUT_END)
        is_ended = bool(end) or len(digits) >= position.definition.digits_max(section)
        return keys, self._until(at_ms + after_ms + (0 if is_ended else section.timeout_ms))

    def _until(self, at_ms: int) -> int:
        """Return `at_ms`.

        Raises:
            _HungUp: the call was cut before then.
        """
        if at_ms >= self._cut_ms:
            raise _HungUp(self._cut_ms)
        return at_ms

    def _keep(self, position: Position, response: str, at_ms: int, recording_ms: int | None = None) -> None:
        section = position.section
        self._results.append(SectionResult(section.id, section.type, section.question, response, at_ms, recording_ms))

    def _end(self, at_ms: int, cause: Cause, *, is_refused_machine: bool = False) -> Milestone:
        outcome = self._outcome(at_ms, cause, is_refused_machine=is_refused_machine)
        return Milestone(at_ms, events.CallEnded(self._call.id, outcome, self._seq))

    def _outcome(self, at_ms: int, cause: Cause, *, is_refused_machine: bool = False) -> CallOutcome:
        """Return the outcome of a call that ends at `at_ms`. Anything computed beyond it is left out."""
        answered_ms = self._answered_ms
        if answered_ms is None or answered_ms > at_ms:
            return CallOutcome(at_ms, cause, signalled_ms=self._signalled_ms(at_ms))
        was_detected = at_ms >= answered_ms + AMD_MS
        return CallOutcome(
            at_ms,
            cause,
            answered_ms,
            self._amd_status if was_detected else _PERSON,
            is_refused_machine,
            self._completed_ms is not None and self._completed_ms <= at_ms,
            _until_ms(self._results, at_ms) if self._results else (),
            signalled_ms=self._signalled_ms(at_ms),
        )

    def _signalled_ms(self, at_ms: int) -> int | None:
        """Return the time of the network's first signal, if an outgoing call had one until `at_ms`."""
        call = self._call
        signalled_ms = call.started_ms + self._callee.fate.signal_ms
        return signalled_ms if call.attempt > 0 and signalled_ms <= at_ms else None


_Step = Callable[[Conversation, Reply], Milestone]


def _until_ms(results: list[SectionResult], at_ms: int) -> tuple[SectionResult, ...]:
    """Return the last answer to each section until a moment. A recording in progress at that moment ends there."""
    last: dict[int, SectionResult] = {}
    for result in results:
        began_ms = result.at_ms - (result.recording_ms or 0)
        if result.at_ms > at_ms > began_ms:
            kept = replace(result, at_ms=at_ms, recording_ms=at_ms - began_ms)
        elif result.at_ms > at_ms:
            continue
        else:
            kept = result
        last.pop(kept.section_id, None)
        last[kept.section_id] = kept
    return tuple(last.values())


@lru_cache(maxsize=4_096)
def speech_ms(text: str) -> int:
    """Return the milliseconds that a text takes to say."""
    words = len(text.split())
    return max(SPEECH_MS_MIN, words * WORD_MS) if words else 0
