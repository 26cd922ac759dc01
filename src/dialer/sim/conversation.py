"""A simulated call, walked ahead of its time: the call flow on one end, a callee on the other.

As what a callee does is known beforehand, a call is walked in one go up to the next moment that concerns anybody else
(a milestone): somebody asks not to be called again, or the call is over. A call that is hung up from outside is cut:
what it had walked beyond that moment has not happened.
"""

from collections.abc import Generator, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from dialer.domain.callflow import INPUT_END, Position
from dialer.domain.enums import AmdBehavior, AmdStatus, Cause, SectionType
from dialer.domain.plans import NO_AMD, Call, CallOutcome, SectionResult
from dialer.domain.survey import Prompt
from dialer.domain.text import fill
from dialer.sim.callee import Callee

AMD_MS: Final = 2_000
"""How long detection listens after the answer."""
WORD_MS: Final = 400
SPEECH_MS_MIN: Final = 1_000


class Milestone(NamedTuple):
    """A moment of a call that concerns others: its end, or, without an outcome, a wish not to be called again."""

    at_ms: int
    outcome: CallOutcome | None


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
        "_results",
        "milestones",
    )

    def __init__(self, call: Call, callee: Callee) -> None:
        self._call = call
        self._callee = callee
        self._answered_ms: int | None = None
        self._amd_status = AmdStatus.PERSON
        self._completed_ms: int | None = None
        self._results: dict[int, SectionResult] = {}
        self._cut_ms = 0
        self.milestones: Final = self._walk()
        """What concerns others, in order; the last one has the outcome."""

    def hang_up(self, now_ms: int) -> CallOutcome:
        """The outcome if the call is ended from outside at `now_ms`."""
        return self._outcome(now_ms, Cause.NORMAL_CLEARING)

    def _walk(self) -> Iterator[Milestone]:
        call, fate = self._call, self._callee.fate
        is_in_time = fate.after_ms < call.ring_limit_ms
        if fate.cause is Cause.NO_ANSWER or not is_in_time:
            yield self._end(call.started_ms + call.ring_limit_ms, Cause.NO_ANSWER)
        elif fate.cause is not None:
            yield self._end(call.started_ms + fate.after_ms, fate.cause)
        else:
            yield from self._talk(call.started_ms + fate.after_ms)

    def _talk(self, answered_ms: int) -> Iterator[Milestone]:
        self._answered_ms = answered_ms
        habit_ms = self._callee.hangs_up_after_ms
        limit_ms = self._call.talk_limit_ms
        self._cut_ms = answered_ms + (limit_ms if habit_ms is None else min(limit_ms, habit_ms))
        try:
            at_ms = self._detect(answered_ms)
            if at_ms is None:
                refused = self._call.amd == AmdBehavior.HUMAN_ONLY
                at_ms = min(answered_ms + AMD_MS, self._cut_ms)
                yield self._end(at_ms, Cause.NORMAL_CLEARING, is_refused_machine=refused)
                return
            at_ms = yield from self._play_through(at_ms)
            if self._callee.talks_on:
                at_ms = self._cut_ms
        except _HungUp as end:
            at_ms = end.at_ms
        yield self._end(at_ms, Cause.NORMAL_CLEARING)

    def _detect(self, at_ms: int) -> int | None:
        """When the playing begins; None if what was detected is not to be played to."""
        amd = self._call.amd
        if amd == NO_AMD:
            return at_ms
        at_ms = self._until(at_ms + AMD_MS)
        self._amd_status = self._callee.detected_as()
        unwanted = {AmdBehavior.HUMAN_ONLY: AmdStatus.MACHINE, AmdBehavior.VOICEMAIL_ONLY: AmdStatus.PERSON}
        return None if unwanted.get(AmdBehavior(amd)) is self._amd_status else at_ms

    def _play_through(self, at_ms: int) -> Generator[Milestone, None, int]:
        """Walk the survey, until it is done; a detected machine hears the campaign's own message, if there is one."""
        plan = self._call.plan
        if self._amd_status is AmdStatus.MACHINE and plan.voicemail_prompt is not None:
            return self._play(plan.voicemail_prompt, at_ms)
        flow = plan.flow
        position = flow.begin()
        while position is not None:
            section = position.section
            if section.completed and self._completed_ms is None:
                self._completed_ms = at_ms
            if section.type is SectionType.DNC:
                self._keep(position, f"DNC: {self._call.subscriber.number}", at_ms)
                yield Milestone(at_ms, None)
            for prompt in flow.prompts(position):
                at_ms = self._play(prompt, at_ms)
            if section.asks:
                keys, at_ms = self._listen(position, at_ms)
                turn = flow.heard(position, keys)
                if turn.response is not None:
                    self._keep(position, turn.response, at_ms)
                position = turn.position
            else:
                position = flow.done(position)
        return at_ms

    def _play(self, prompt: Prompt, at_ms: int) -> int:
        """When a prompt has been heard."""
        subscriber = self._call.subscriber
        length_ms = prompt.audio_ms
        if length_ms is None:
            length_ms = _speech_ms(fill(prompt.script, subscriber.full_name, subscriber.additional_vars))
        if length_ms == 0:
            return at_ms
        until_hung_up_ms = self._callee.hangs_up_within(length_ms)
        if until_hung_up_ms is not None:
            raise _HungUp(self._until(at_ms + until_hung_up_ms))
        return self._until(at_ms + length_ms)

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

    def _keep(self, position: Position, response: str, at_ms: int) -> None:
        section = position.section
        self._results.pop(section.id, None)
        self._results[section.id] = SectionResult(section.id, section.type, section.question, response, at_ms)

    def _end(self, at_ms: int, cause: Cause, *, is_refused_machine: bool = False) -> Milestone:
        return Milestone(at_ms, self._outcome(at_ms, cause, is_refused_machine=is_refused_machine))

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
            amd_status=self._amd_status if was_detected else AmdStatus.PERSON,
            is_refused_machine=is_refused_machine,
            is_completed=self._completed_ms is not None and self._completed_ms <= at_ms,
            results=tuple(result for result in self._results.values() if result.at_ms <= at_ms),
        )


@lru_cache(maxsize=4_096)
def _speech_ms(text: str) -> int:
    """How long a text takes to say."""
    words = len(text.split())
    return max(SPEECH_MS_MIN, words * WORD_MS) if words else 0
