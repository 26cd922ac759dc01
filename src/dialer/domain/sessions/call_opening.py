"""The opening of a call: the answer, the detection of machines, and the message that is left on one."""

from typing import Final

from dialer.domain.calls import call_events
from dialer.domain.calls.call_recording import NOTICE_WAIT_MS, NOTICES_MAX, RecordingPlan
from dialer.domain.calls.plans import NO_AMD
from dialer.domain.sessions.leg_protocol import (
    Ask,
    AwaitBeep,
    Detect,
    Play,
)
from dialer.domain.sessions.playing import UNWANTED
from dialer.domain.sessions.session_state import Stage
from dialer.domain.sessions.survey_steps import first_step, speeches_of
from dialer.domain.sessions.transfer_talk import TransferTalk
from dialer.domain.words.enums import AmdBehavior, AmdStatus

# Every call uses these members. A lookup in an enumeration costs as much as a function call.
_DIALLED: Final = Stage.DIALLED
_DETECTING: Final = Stage.DETECTING
_LEAVING_MESSAGE: Final = Stage.LEAVING_MESSAGE
_MACHINE: Final = AmdStatus.MACHINE


class CallOpening(TransferTalk, eq=False, gc=False):
    """The part of a session before the survey."""

    def ring(self, at_ms: int) -> None:
        """Take the network's first sign."""
        if self.signalled_ms is None and self.stage is _DIALLED:
            self.signalled_ms = at_ms

    def answer(self, at_ms: int) -> None:
        """Begin the survey, or the detection of a machine, as the callee has answered."""
        if self.stage is not _DIALLED:
            return
        if self.signalled_ms is None:
            self.signalled_ms = at_ms
        self.answered_ms = at_ms
        if self.call.amd == NO_AMD:
            self._greet(at_ms)
        else:
            self._detect()

    def _detect(self) -> None:
        self._give(Detect(self.turn + 1, self.call.plan.amd_sensitivity), _DETECTING)

    @property
    def is_unwanted(self) -> bool:
        """True if `amd_behavior` excludes the person or machine that was detected."""
        amd = self.call.amd
        return amd != NO_AMD and UNWANTED.get(AmdBehavior(amd)) is self.amd_status

    def _greet(self, at_ms: int) -> None:
        """Report the answer if the survey has queues, and begin the survey or the message for a machine.

        A callee that `amd_behavior` excludes is hung up on.
        """
        call, plan = self.call, self.call.plan
        if plan.flow.queue_ids:
            self._report_answer(at_ms)
        if call.amd != NO_AMD:
            if self.is_unwanted:
                self.is_refused_machine = call.amd == AmdBehavior.HUMAN_ONLY
                self._clear()
                return
            if plan.voicemail_prompt is not None and self.amd_status is _MACHINE:
                self._await_beep()
                return
        if plan.recording.notice is None or not self._give_notice(plan.recording):
            self._walk(at_ms, first_step(plan.flow))

    def _give_notice(self, recording: RecordingPlan) -> bool:
        """Tell the callee that the call is, or may be, recorded. Return False if there is nothing to tell.

        A notice that is empty for this callee tells nothing, so nothing is kept.
        """
        notice = recording.notice
        if notice is None or self.call.tape_at_dial is None:
            return False
        speeches = speeches_of((notice,), self.call.subscriber)
        if speeches:
            turn, self.speeches = self.turn + 1, speeches
            self.notices += 1
            asks = recording.refuse_key != ""
            order = Ask(turn, speeches, 1, NOTICE_WAIT_MS) if asks else Play(turn, speeches)
            self._give(order, Stage.NOTICE)
        else:
            self.is_recording_refused = True
        return bool(speeches)

    def _miss_notice(self) -> None:
        """Keep nothing of a call whose callee could not be told of the recording, as if the callee had refused."""
        if self.stage is Stage.NOTICE:
            self.is_recording_refused = True

    def _open_again(self, at_ms: int) -> None:
        """Detect or tell once more, after nobody knows how far that has come."""
        plan = self.call.plan
        if self.stage is _DETECTING:
            self._detect()
        elif not self._give_notice(plan.recording):
            self._walk(at_ms, first_step(plan.flow))

    def _after_notice(self, at_ms: int, key: str) -> None:
        """Begin the survey. A key that is not the one to refuse with begins the notice again: it was not heard."""
        plan = self.call.plan
        if key and self.amd_status is _MACHINE:
            self._hear_person(at_ms)
        if key and key == plan.recording.refuse_key:
            self.is_recording_refused = True
        is_cut = key != "" and not self.is_recording_refused and self.notices < NOTICES_MAX
        if not (is_cut and self._give_notice(plan.recording)):
            self._walk(at_ms, first_step(plan.flow))

    def _report_answer(self, at_ms: int) -> None:
        self.seq += 1
        is_live = self.amd_status is not _MACHINE
        self.engine_events += (call_events.CallAnswered(self.call.id, self.answered_ms or at_ms, is_live, self.seq),)

    def _hear_person(self, at_ms: int) -> None:
        """Take a callee who presses keys for a person: detection was wrong, as machines press none."""
        self.amd_status = AmdStatus.PERSON
        if self.call.plan.flow.queue_ids:
            self._report_answer(at_ms)

    def _await_beep(self) -> None:
        self._give(AwaitBeep(self.turn + 1), Stage.AWAITING_BEEP)

    def _leave_message(self) -> None:
        prompt = self.call.plan.voicemail_prompt
        speeches = () if prompt is None else speeches_of((prompt,), self.call.subscriber)
        if speeches:
            self.speeches, self.turn, self.stage = speeches, self.turn + 1, _LEAVING_MESSAGE
        else:
            self._clear()
