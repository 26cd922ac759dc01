"""A simulated call, walked ahead of its time: the call flow on one end, a callee on the other.

As what a callee does is known beforehand, a call is walked in one go up to the next moment that concerns anybody else
(a milestone): it is answered, somebody asks not to be called again, it comes to a transfer, it is over. A call that is
hung up from outside is cut: what it had walked beyond that moment has not happened.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from dialer.carriers.port import Milestone
from dialer.domain import events
from dialer.domain.enums import AmdBehavior, AmdStatus, Cause
from dialer.domain.messages.templates import fill
from dialer.domain.plans import NO_AMD, Call, CallOutcome, LegOutcome, SectionResult, Transfer
from dialer.domain.survey.callflow import Position
from dialer.domain.survey.sections.actions import (
    CallContext,
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
"""How long detection listens after the answer."""
WORD_MS: Final = 400
SPEECH_MS_MIN: Final = 1_000
RECORDING_MS: Final = 10_000
"""How long a person speaks onto a recording."""
RECORDING_MS_MAX: Final = 120_000
# Every call asks for these, and to look one up in an enumeration takes as long as a call of a function.
_NO_ANSWER: Final = Cause.NO_ANSWER
_CLEARED: Final = Cause.NORMAL_CLEARING
_PERSON: Final = AmdStatus.PERSON
_UNWANTED: Final = {AmdBehavior.HUMAN_ONLY: AmdStatus.MACHINE, AmdBehavior.VOICEMAIL_ONLY: AmdStatus.PERSON}
"""Who is not to be played to."""


class Wait(NamedTuple):
    """The answer to a transfer that leads into a queue: nobody is there yet."""


class Resume(NamedTuple):
    """The answer to a transfer that reached nobody until `at_ms`."""

    at_ms: int


Reply = Wait | Resume | Transfer | None
"""What a conversation is told at a milestone: a transfer is one whose B-leg is dialled, or whose agent has answered."""


class _HungUp(Exception):  # noqa: N818 - what happened, not an error
    """The call ended at `at_ms`."""

    def __init__(self, at_ms: int) -> None:
        super().__init__(at_ms)
        self.at_ms = at_ms


class Conversation(msgspec.Struct, eq=False, gc=False):
    """One call with one callee."""

    _call: Call
    _callee: Callee
    _then: "_Step | None" = None
    """How it goes on after the milestone that it has come to; None before the first."""
    _seq: int = 0
    """The number of the last milestone."""
    _at_ms: int = 0
    """How far it was walked."""
    _answered_ms: int | None = None
    _amd_status: AmdStatus = _PERSON
    _completed_ms: int | None = None
    _results: list[SectionResult] = []
    _cut_ms: int = 0
    _leg: Leg | None = None
    _position: Position | None = None

    def next(self, reply: Reply = None) -> Milestone:
        """What happens next that concerns others. After a transfer was reached, that depends on the reply to it."""
        self._seq += 1
        try:
            return self._begin() if self._then is None else self._then(self, reply)
        except _HungUp as end:
            return self._end(end.at_ms, _CLEARED)

    def hang_up(self, now_ms: int) -> tuple[LegOutcome | None, CallOutcome]:
        """How the B-leg and the call come out if both are ended from outside at `now_ms`, or were cut off before."""
        if self._cut_ms:
            now_ms = min(now_ms, self._cut_ms)
        leg = None if self._leg is None else self._leg.cut(now_ms)
        return leg, self._outcome(now_ms, _CLEARED)

    def _begin(self) -> Milestone:
        """What comes of the dialling: its end at once, or the first milestone of a talk."""
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
        outcome = CallOutcome(at_ms, _NO_ANSWER, calls_back_ms=calls_back_ms)
        return Milestone(at_ms, events.CallEnded(self._call.id, outcome, self._seq))

    def _talk(self, answered_ms: int) -> Milestone:
        """Find out who has answered, where that is wanted, and tell those who have to know."""
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
        """Play the survey; a detected machine hears the campaign's own message, if there is one.

        Whoever is not to be played to is hung up on.
        """
        call, plan = self._call, self._call.plan
        if call.amd != NO_AMD and _UNWANTED.get(AmdBehavior(call.amd)) is self._amd_status:
            return self._end(self._at_ms, _CLEARED, is_refused_machine=call.amd == AmdBehavior.HUMAN_ONLY)
        if plan.voicemail_prompt is None or self._amd_status is not AmdStatus.MACHINE:
            self._position = plan.flow.begin()
            return self._walk()
        self._at_ms = self._play(plan.voicemail_prompt, self._at_ms)
        return self._played()

    def _walk(self) -> Milestone:
        """Walk the survey as far as it concerns nobody else."""
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
        """The survey is done: some stay on the line all the same."""
        return self._end(self._cut_ms if self._callee.talks_on else self._at_ms, _CLEARED)

    def _sent(self, _reply: Reply) -> Milestone:
        """Others were told: what the section plays comes after that."""
        position = self._position
        return (None if position is None else self._go_through(position)) or self._walk()

    def _go_through(self, position: Position) -> Milestone | None:
        """Play a section, and go on to the next one; a transfer is the milestone."""
        flow, definition, at_ms = self._call.plan.flow, position.definition, self._at_ms
        for prompt in flow.prompts(position):
            at_ms = self._play(prompt, at_ms)
        if definition.asks:
            at_ms = self._ask(position, at_ms)
        else:
            if definition.acts_after_prompt:
                action = definition.after_prompt(position.section, self._context())
                if isinstance(action, Diversion):
                    return self._transfer(position, action, at_ms)
                at_ms = self._stay(position, action, at_ms)
            self._position = flow.done(position)
        self._at_ms = at_ms
        return None

    def _send(self, position: Position, at_ms: int) -> Milestone | None:
        """What others are told when the call comes to a section; None if there is nothing to tell."""
        call_id = self._call.id
        match position.definition.before_prompt(position.section, self._context()):
            case DncWish(response):
                self._keep(position, response, at_ms)
                return Milestone(at_ms, events.DncReached(call_id, self._seq))
            case MessageToSend(response, number, text):
                self._keep(position, response, at_ms)
                return Milestone(at_ms, events.TextRequested(call_id, number, text, self._seq))
        return None

    def _context(self) -> CallContext:
        """What a section may know of the call."""
        call, callee = self._call, self._call.subscriber
        return CallContext(callee.number, callee.full_name, callee.additional_vars, call.callid, call.plan.id)

    def _ask(self, position: Position, at_ms: int) -> int:
        keys, at_ms = self._listen(position, at_ms)
        turn = self._call.plan.flow.heard(position, keys)
        if turn.response is not None:
            self._keep(position, turn.response, at_ms)
        self._position = turn.position
        return at_ms

    def _stay(self, position: Position, action: ConferenceTalk | VoiceRecording | None, at_ms: int) -> int:
        """When a section is over that takes longer than its prompt."""
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
        """Bring the call to somebody else."""
        call = self._call
        self._keep(position, to.response, at_ms)
        self._at_ms, self._then = at_ms, Conversation._replied
        answered_ms = at_ms if self._answered_ms is None else self._answered_ms
        reached = events.TransferReached(call.id, position.section.id, to.queue_id, to.number, answered_ms, self._seq)
        return Milestone(at_ms, reached)

    def _replied(self, reply: Reply) -> Milestone:
        """The call waits for an agent, or goes on at once."""
        if not isinstance(reply, Wait):
            return self._waited(reply)
        self._then = Conversation._waited
        return self._patience(self._at_ms)

    def _waited(self, reply: Reply) -> Milestone:
        """Somebody was found for the call, or nobody."""
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
        """Go on when a transfer is over."""
        if self._position is not None:
            self._position = self._call.plan.flow.transferred(self._position, is_connected=is_connected)
        self._until(self._at_ms)
        return self._walk()

    def _patience(self, at_ms: int) -> Milestone:
        """What happens in a queue if nothing else does: the caller gives up, or the call is over."""
        patience_ms = self._callee.waits_ms()
        if patience_ms is None or at_ms + patience_ms >= self._cut_ms:
            return self._end(self._cut_ms, _CLEARED)
        return Milestone(at_ms + patience_ms, events.CallerLeft(self._call.id, self._seq))

    def _leg_of(self, transfer: Transfer, position: Position) -> Leg:
        if transfer.has_queued:
            return Leg.to_agent(transfer, self._callee, self._cut_ms)
        section = position.section
        text = self._spoken(section.confirm_script)
        return Leg.to_number(transfer, section, self._callee, speech_ms(text), self._cut_ms)

    def _play(self, prompt: Prompt, at_ms: int) -> int:
        """When a prompt has been heard."""
        length_ms = prompt.audio_ms
        if length_ms is None:
            length_ms = speech_ms(self._spoken(prompt.script))
        if length_ms == 0:
            return at_ms
        if not self._callee.listens:
            until_hung_up_ms = self._callee.hangs_up_within(length_ms)
            if until_hung_up_ms is not None:
                raise _HungUp(self._until(at_ms + until_hung_up_ms))
        return self._until(at_ms + length_ms)

    def _spoken(self, script: str) -> str:
        """A text as it is read out."""
        if "{" not in script:
            return script
        callee = self._call.subscriber
        return fill(script, callee.full_name, callee.additional_vars, callee.number, is_spoken=True)

    def _listen(self, position: Position, at_ms: int) -> tuple[str, int]:
        """The keys that count as entered, and when the waiting for them ended.

        An input ends with its last possible digit or `#`; a shorter one when nothing more comes for a whole time-out.
        """
        section = position.section
        keys, after_ms = self._callee.presses()
        if not keys or after_ms > section.timeout_ms:
            return "", self._until(at_ms + section.timeout_ms)
        digits, end, _ = keys.partition(INPUT_END)
        is_ended = bool(end) or len(digits) >= position.definition.digits_max(section)
        return keys, self._until(at_ms + after_ms + (0 if is_ended else section.timeout_ms))

    def _until(self, at_ms: int) -> int:
        """Time passes, unless the call is cut before."""
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
        """The outcome of a call that ends at `at_ms`: nothing that was walked beyond it."""
        answered_ms = self._answered_ms
        if answered_ms is None or answered_ms > at_ms:
            return CallOutcome(at_ms, cause)
        was_detected = at_ms >= answered_ms + AMD_MS
        return CallOutcome(
            at_ms,
            cause,
            answered_ms,
            self._amd_status if was_detected else _PERSON,
            is_refused_machine,
            self._completed_ms is not None and self._completed_ms <= at_ms,
            _until_ms(self._results, at_ms) if self._results else (),
        )


_Step = Callable[[Conversation, Reply], Milestone]


def _until_ms(results: list[SectionResult], at_ms: int) -> tuple[SectionResult, ...]:
    """Of each section the last answer until a moment; a recording that was being made then ends there."""
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
    """How long a text takes to say."""
    words = len(text.split())
    return max(SPEECH_MS_MIN, words * WORD_MS) if words else 0
