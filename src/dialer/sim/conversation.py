"""A simulated call, walked ahead of its time: the call flow on one end, a callee on the other.

As what a callee does is known beforehand, a call is walked in one go up to the next moment that concerns anybody else
(a milestone): it is answered, somebody asks not to be called again, it comes to a transfer, it is over. A call that is
hung up from outside is cut: what it had walked beyond that moment has not happened.
"""

from collections.abc import Generator, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from dialer.domain import events
from dialer.domain.callflow import INPUT_END, Position
from dialer.domain.enums import AmdBehavior, AmdStatus, Cause, SectionType
from dialer.domain.numbers import NUMBER_INPUT_MAX
from dialer.domain.plans import NO_AMD, Call, CallOutcome, LegOutcome, SectionResult, Transfer
from dialer.domain.survey import Prompt
from dialer.domain.text import fill, variable
from dialer.sim.callee import Callee
from dialer.sim.leg import Leg

AMD_MS: Final = 2_000
"""How long detection listens after the answer."""
WORD_MS: Final = 400
SPEECH_MS_MIN: Final = 1_000
RECORDING_MS: Final = 10_000
"""How long a person speaks onto a recording."""
RECORDING_MS_MAX: Final = 120_000
_SENDS: Final = frozenset({SectionType.DNC, SectionType.SMS})
"""What tells others something before its prompt."""
_LASTS: Final = frozenset({SectionType.CONFERENCE, SectionType.RECORD_MESSAGE})
"""What takes a time of its own after its prompt."""
# Every call asks for these, and to look one up in an enumeration takes as long as a call of a function.
_NO_ANSWER: Final = Cause.NO_ANSWER
_CLEARED: Final = Cause.NORMAL_CLEARING
_PERSON: Final = AmdStatus.PERSON
_TRANSFER: Final = SectionType.CALL_TRANSFER


class Milestone(msgspec.Struct, frozen=True, gc=False):
    """A moment of a call that concerns others, and what happens then."""

    at_ms: int
    event: events.Report


class Wait(NamedTuple):
    """The answer to a transfer that leads into a queue: nobody is there yet."""


class Resume(NamedTuple):
    """The answer to a transfer that reached nobody until `at_ms`."""

    at_ms: int


Reply = Wait | Resume | Transfer | None
"""What a conversation is told at a milestone: a transfer is one whose B-leg is dialled, or whose agent has answered."""
_Walk = Generator[Milestone, Reply, int]


class _HungUp(Exception):  # noqa: N818 - what happened, not an error
    """The call ended at `at_ms`."""

    def __init__(self, at_ms: int) -> None:
        super().__init__(at_ms)
        self.at_ms = at_ms


class Conversation:
    """One call with one callee."""

    __slots__ = (
        "_amd_status",
        "_answered_ms",
        "_call",
        "_callee",
        "_completed_ms",
        "_cut_ms",
        "_leg",
        "_place",
        "_position",
        "_results",
        "_walker",
    )

    def __init__(self, call: Call, callee: Callee) -> None:
        self._call = call
        self._callee = callee
        self._answered_ms: int | None = None
        self._amd_status = _PERSON
        self._completed_ms: int | None = None
        self._results: list[SectionResult] = []
        self._cut_ms = 0
        self._leg: Leg | None = None
        self._position: Position | None = None
        self._place = 0
        self._walker: Generator[Milestone, Reply, None] | None = None

    def next(self, reply: Reply = None) -> Milestone:
        """What happens next that concerns others. After a transfer was reached, that depends on the reply to it."""
        milestone = self._begin() if self._walker is None else self._walker.send(reply)
        self._place += 1
        return Milestone(milestone.at_ms, replace(milestone.event, place=self._place))

    def hang_up(self, now_ms: int) -> tuple[LegOutcome | None, CallOutcome]:
        """How the B-leg and the call come out if both are ended from outside at `now_ms`, or were cut off before."""
        if self._cut_ms:
            now_ms = min(now_ms, self._cut_ms)
        leg = None if self._leg is None else self._leg.cut(now_ms)
        return leg, self._outcome(now_ms, Cause.NORMAL_CLEARING)

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
        self._walker = self._talk(answered_ms)
        return next(self._walker)

    def _missed(self, at_ms: int) -> Milestone:
        after_ms = self._callee.calls_back_after_ms()
        calls_back_ms = None if after_ms is None else at_ms + after_ms
        outcome = CallOutcome(at_ms, _NO_ANSWER, calls_back_ms=calls_back_ms)
        return Milestone(at_ms, events.CallEnded(self._call.id, outcome))

    def _talk(self, answered_ms: int) -> Generator[Milestone, Reply, None]:
        self._answered_ms = answered_ms
        habit_ms = self._callee.hangs_up_after_ms
        limit_ms = self._call.talk_limit_ms
        self._cut_ms = answered_ms + (limit_ms if habit_ms is None else min(limit_ms, habit_ms))
        try:
            at_ms = self._detect(answered_ms)
            if self._call.plan.flow.queue_ids:
                is_live = self._amd_status is not AmdStatus.MACHINE
                known_ms = min(answered_ms + AMD_MS, self._cut_ms) if at_ms is None else at_ms
                yield Milestone(known_ms, events.CallAnswered(self._call.id, answered_ms, is_live))
            if at_ms is None:
                refused = self._call.amd == AmdBehavior.HUMAN_ONLY
                at_ms = min(answered_ms + AMD_MS, self._cut_ms)
                self._walker = None
                yield self._end(at_ms, Cause.NORMAL_CLEARING, is_refused_machine=refused)
                return
            at_ms = yield from self._play_through(at_ms)
            if self._callee.talks_on:
                at_ms = self._cut_ms
        except _HungUp as end:
            at_ms = end.at_ms
        self._walker = None  # Nothing comes after this; as a circle, the two would not be freed at once.
        yield self._end(at_ms, _CLEARED)

    def _detect(self, at_ms: int) -> int | None:
        """When the playing begins; None if what was detected is not to be played to."""
        amd = self._call.amd
        if amd == NO_AMD:
            return at_ms
        at_ms = self._until(at_ms + AMD_MS)
        self._amd_status = self._callee.detected_as()
        unwanted = {AmdBehavior.HUMAN_ONLY: AmdStatus.MACHINE, AmdBehavior.VOICEMAIL_ONLY: AmdStatus.PERSON}
        return None if unwanted.get(AmdBehavior(amd)) is self._amd_status else at_ms

    def _play_through(self, at_ms: int) -> _Walk:
        """Walk the survey, until it is done; a detected machine hears the campaign's own message, if there is one."""
        plan = self._call.plan
        if plan.voicemail_prompt is not None and self._amd_status is AmdStatus.MACHINE:
            return self._play(plan.voicemail_prompt, at_ms)
        flow = plan.flow
        self._position = flow.begin()
        while self._position is not None:
            position, section = self._position, self._position.section
            if section.completed and self._completed_ms is None:
                self._completed_ms = at_ms
            if section.type in _SENDS:
                yield from self._send(position, at_ms)
            for prompt in flow.prompts(position):
                at_ms = self._play(prompt, at_ms)
            if section.asks:
                at_ms = self._ask(position, at_ms)
            elif section.type is _TRANSFER:
                at_ms = yield from self._transfer(position, at_ms)
            else:
                if section.type in _LASTS:
                    at_ms = self._stay(position, at_ms)
                self._position = flow.done(position)
        return at_ms

    def _send(self, position: Position, at_ms: int) -> Iterator[Milestone]:
        """A wish not to be called again, or a text message."""
        section = position.section
        if section.type is SectionType.DNC:
            self._keep(position, f"DNC: {self._call.subscriber.number}", at_ms)
            yield Milestone(at_ms, events.DncReached(self._call.id))
        elif section.sms_text:
            yield self._text(position, at_ms)

    def _ask(self, position: Position, at_ms: int) -> int:
        keys, at_ms = self._listen(position, at_ms)
        turn = self._call.plan.flow.heard(position, keys)
        if turn.response is not None:
            self._keep(position, turn.response, at_ms)
        self._position = turn.position
        return at_ms

    def _stay(self, position: Position, at_ms: int) -> int:
        """How long a section takes besides its prompt: a recording, or a conference."""
        section = position.section
        if section.type is SectionType.CONFERENCE:
            name = section.conference or str(self._call.plan.id)
            self._keep(position, f"conf: {name}", at_ms)
            return self._until(at_ms + self._callee.talks_ms())
        wanted_ms = RECORDING_MS_MAX if self._callee.is_machine else RECORDING_MS
        ended_ms = min(at_ms + wanted_ms, self._cut_ms)
        if ended_ms > at_ms:
            name = f"{self._call.callid}-{section.id}.wav"
            self._keep(position, name, ended_ms, recording_ms=ended_ms - at_ms)
        return self._until(at_ms + wanted_ms)

    def _text(self, position: Position, at_ms: int) -> Milestone:
        """A message that a section sends: to the callee, or to where the variables say."""
        subscriber, section = self._call.subscriber, position.section
        number = variable(subscriber.additional_vars, "sms_phonenumber") or subscriber.number
        text = fill(section.sms_text, subscriber.full_name, subscriber.additional_vars, subscriber.number)
        self._keep(position, f"SMS: {number[:NUMBER_INPUT_MAX]}", at_ms)
        return Milestone(at_ms, events.TextRequested(self._call.id, number, text))

    def _transfer(self, position: Position, at_ms: int) -> _Walk:
        """Bring the call to somebody else, and go on when that is over."""
        section, call = position.section, self._call
        number = ""
        if section.queue_id is None:
            number = variable(call.subscriber.additional_vars, "transfer_phonenumber") or section.phonenumber
        named = (
            f"phonenumber: {number[:NUMBER_INPUT_MAX]}" if section.queue_id is None else f"queue: {section.queue_id}"
        )
        self._keep(position, named, at_ms)
        answered_ms = at_ms if self._answered_ms is None else self._answered_ms
        reached = events.TransferReached(call.id, section.id, section.queue_id, number, answered_ms)
        reply = yield Milestone(at_ms, reached)
        if isinstance(reply, Wait):
            reply = yield self._patience(at_ms)
        is_connected = False
        if isinstance(reply, Transfer):
            leg = self._leg = self._leg_of(reply, position)
            is_connected = leg.outcome.is_connected
            at_ms = leg.outcome.ended_ms
            yield Milestone(at_ms, events.LegEnded(call.id, leg.outcome))
            self._leg = None
        elif isinstance(reply, Resume):
            at_ms = reply.at_ms
        self._position = call.plan.flow.transferred(position, is_connected=is_connected)
        return self._until(at_ms)

    def _patience(self, at_ms: int) -> Milestone:
        """What happens in a queue if nothing else does: the caller gives up, or the call is over."""
        patience_ms = self._callee.waits_ms()
        if patience_ms is None or at_ms + patience_ms >= self._cut_ms:
            return self._end(self._cut_ms, Cause.NORMAL_CLEARING)
        return Milestone(at_ms + patience_ms, events.CallerLeft(self._call.id))

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
        is_ended = bool(end) or len(digits) >= section.digits_max
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
        return Milestone(at_ms, events.CallEnded(self._call.id, outcome))

    def _outcome(self, at_ms: int, cause: Cause, *, is_refused_machine: bool = False) -> CallOutcome:
        """The outcome of a call that ends at `at_ms`: nothing that was walked beyond it."""
        answered_ms = self._answered_ms
        if answered_ms is None or answered_ms > at_ms:
            return CallOutcome(at_ms, cause)
        was_detected = at_ms >= answered_ms + AMD_MS
        return CallOutcome(
            ended_ms=at_ms,
            cause=cause,
            answered_ms=answered_ms,
            amd_status=self._amd_status if was_detected else _PERSON,
            is_refused_machine=is_refused_machine,
            is_completed=self._completed_ms is not None and self._completed_ms <= at_ms,
            results=_until_ms(self._results, at_ms) if self._results else (),
        )


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
