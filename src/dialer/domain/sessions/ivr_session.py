"""IvrSession: the one player of a call. It takes reports of the call's leg, and gives the next order.

It plays every call: over a real line, whose reports arrive as they happen, and to a simulated callee, whose reports are
known at once (`dialer.sim.callee_line`). It performs nothing and has no clock. Its `SessionState` is stored for calls
over real lines, so that another process can continue them.
"""

from typing import Final

from dialer.domain.calls import call_events
from dialer.domain.calls.plans import Call
from dialer.domain.calls.sound_quality import SoundQuality
from dialer.domain.sessions.call_opening import CallOpening
from dialer.domain.sessions.leg_protocol import (
    Accepted,
    Answered,
    Arrived,
    Bridge,
    Confer,
    Done,
    Ended,
    LegReport,
    Receipt,
    Ringing,
    TextReceived,
)
from dialer.domain.sessions.session_fields import hold_where_it_is, room_of
from dialer.domain.sessions.session_state import Reaction, SessionState, Stage
from dialer.domain.sessions.survey_steps import steps_of
from dialer.domain.survey.heard import HEARD_MAX, HeardInput
from dialer.domain.survey.inputs import ANSWER_MAX, BRANCH_MAX, RESULT_MAX, SUMMARY_MAX, SectionInput
from dialer.domain.words.enums import AmdStatus, Cause

NOT_NETWORK: Final = frozenset({Cause.NO_ANSWER, Cause.NORMAL_CLEARING})
"""Causes of an unanswered call that this side ended, so that its end is no signal of the network."""


# Every call uses these members. A lookup in an enumeration costs as much as a function call.
_DIALLED: Final = Stage.DIALLED
_DETECTING: Final = Stage.DETECTING
_TRANSFERRED: Final = Stage.TRANSFERRED
_BRIDGED: Final = Stage.BRIDGED
_HELD: Final = Stage.HELD
_PLAYING: Final = Stage.PLAYING
_ASKING: Final = Stage.ASKING
_LEAVING_MESSAGE: Final = Stage.LEAVING_MESSAGE
_CONVERSING: Final = Stage.CONVERSING
_CLEARING: Final = Stage.CLEARING
_OVER: Final = Stage.OVER
_MACHINE: Final = AmdStatus.MACHINE
_BEFORE_AND_AFTER: Final = frozenset({_DIALLED, _TRANSFERRED, _BRIDGED, _HELD, Stage.JOINED, _CLEARING, _OVER})
_STAYING: Final = frozenset({Stage.RECORDING, Stage.CONFERRING, Stage.FALLING_BACK})
_KEPT: Final = frozenset(SessionState.__struct_fields__) - {"place"}
"""Fields of a session that are stored as they are."""


class IvrSession(CallOpening, eq=False, gc=False):
    """One call that plays a survey.

    Times are milliseconds since the epoch. A real line is heard through `hear`, which returns a `Reaction`. A simulated
    callee calls `answer`, `done` and `end` itself, and reads the order from the fields.

    A `Done` that does not answer the last order changes nothing, nor does a report after the end.
    """

    @classmethod
    def continued(cls, call: Call, state: SessionState) -> "IvrSession":
        """Return the session of a call from its stored state."""
        flow = call.plan.flow
        step = None if state.place is None else steps_of(flow).step(flow.position_at(state.place))
        return cls(call, step=step, **{name: getattr(state, name) for name in _KEPT})

    @property
    def state(self) -> SessionState:
        """The state of the session, as it is stored."""
        place = None if self.step is None else self.step.position.place
        return SessionState(place=place, **{name: getattr(self, name) for name in _KEPT})

    # --- over a real line -------------------------------------------------------------------------------------------

    def hear(self, now_ms: int, heard: LegReport) -> Reaction:
        """Return the reaction to a report of the leg."""
        turn = self.turn
        match heard:
            case Ringing(age_ms):
                self.ring(self._moment(now_ms, age_ms))
            case Answered(age_ms):
                self.answer(self._moment(now_ms, age_ms))
            case Done() if heard.turn == turn and self.stage is _CONVERSING:
                taken = SectionInput(heard.answer[:RESULT_MAX], heard.branch.strip().lower()[:BRANCH_MAX])
                self.conversed(self._moment(now_ms, heard.age_ms), taken, heard.summary[:SUMMARY_MAX])
            case Done() if heard.turn == turn:
                at_ms = self._moment(now_ms, heard.age_ms)
                if heard.is_unheard:
                    self._miss_notice()
                self.done(at_ms, heard.answer[:ANSWER_MAX], heard.recording_ms, heard.status)
            case Ended():
                at_ms = self._moment(now_ms, heard.age_ms)
                self.end(
                    at_ms,
                    heard.cause,
                    heard.recording_ms,
                    is_cut_off=heard.is_cut_off,
                    retry_after_ms=heard.retry_after_ms,
                    sound=heard.sound,
                )
            case Done() | Arrived() | Accepted() | Receipt() | TextReceived():
                pass
        return self._reaction(turn)

    def resume(self, now_ms: int) -> Reaction:
        """Begin the present section again, because it is not known how far the leg has come with the last order.

        Wishes, messages and transfers of the section that were reported are not reported again.
        """
        turn = self.turn
        if self.resume_conversation(now_ms):
            return self._reaction(turn)
        match self.stage:
            case Stage.DETECTING | Stage.NOTICE:
                self._open_again(now_ms)
            case Stage.AWAITING_BEEP | Stage.LEAVING_MESSAGE:
                self._await_beep()
            case Stage.PLAYING | Stage.ASKING | Stage.RECORDING | Stage.CONFERRING:
                self._walk(now_ms, self.step, is_again=True)
            case Stage.TRANSFERRED | Stage.HELD:
                self._give(hold_where_it_is(self.call, turn + 1), self.stage)
            case Stage.JOINED:
                self._give(Confer(turn + 1, room_of(self.call)), Stage.JOINED)
            case Stage.BRIDGED:
                self._give(Bridge(turn + 1, self.other), _BRIDGED)
            case Stage.CLEARING:
                self._clear()
            case Stage.DIALLED | Stage.OVER | Stage.CONVERSING | Stage.FALLING_BACK:
                pass
        return self._reaction(turn)

    def transfer_over(self, now_ms: int, *, is_connected: bool) -> Reaction:
        """Continue the survey after a transfer that ended or reached nobody."""
        turn = self.turn
        self.leave_transfer(now_ms, is_connected=is_connected)
        return self._reaction(turn)

    def hang_up(self) -> Reaction:
        """End the call from this side. The call is over when the line reports its end."""
        turn = self.turn
        if self.stage is not _OVER:
            self._clear()
        return self._reaction(turn)

    def _moment(self, now_ms: int, age_ms: int) -> int:
        """Return the time of a report, which is neither in the future nor before the call and its answer."""
        earliest_ms = self.answered_ms or self.call.started_ms
        return max(earliest_ms, min(now_ms, now_ms - age_ms))

    # --- the survey ---------------------------------------------------------------------------------------------

    def done(
        self, at_ms: int, answer: str = "", recording_ms: int | None = None, status: AmdStatus | None = None
    ) -> None:
        """Continue after the last order, with the answer, the length of the recording, or the detection's status."""
        stage, step = self.stage, self.step
        if step is None:
            self._before_survey(stage, at_ms, answer, status)
        elif stage is _ASKING:
            if answer and self.amd_status is _MACHINE:
                self._hear_person(at_ms)
            turn = step.turns.get(answer) or step.find_turn(SectionInput(answer))
            if step.position.visited <= HEARD_MAX:
                self.heard += (HeardInput(at_ms - (self.answered_ms or at_ms), step.section.id, turn.text),)
            if turn.response is not None:
                self._keep(step, turn.response, at_ms)
            self._walk(at_ms, turn.step)
        elif stage is _PLAYING:
            if not (step.acts_after and self._act(step, at_ms)):
                self._walk(at_ms, step.after if step.knows_after else step.find_after())
        elif stage in _STAYING:
            if recording_ms:
                self._keep_recording(at_ms, recording_ms)
            self._walk(at_ms, self._after_staying(step))

    def _before_survey(self, stage: Stage, at_ms: int, answer: str, status: AmdStatus | None) -> None:
        if stage is _DETECTING:
            self.amd_status = AmdStatus.UNSURE if status is None else status
            self._greet(at_ms)
        elif stage is Stage.NOTICE:
            self._after_notice(at_ms, answer)
        elif stage is Stage.AWAITING_BEEP:
            self._leave_message()
        elif stage not in _BEFORE_AND_AFTER:
            prompt = self.call.plan.voicemail_prompt
            self.is_message_left = stage is _LEAVING_MESSAGE and prompt is not None and prompt.audio_ms != 0
            self._clear()  # The message was left, or the section was deleted.

    # --- the end ------------------------------------------------------------------------------------------------

    def end(
        self,
        at_ms: int,
        cause: Cause,
        recording_ms: int | None = None,
        *,
        is_cut_off: bool = False,
        retry_after_ms: int = 0,
        sound: SoundQuality | None = None,
    ) -> None:
        """Take the end. An answered call lasts no longer than it may, however late its end was heard."""
        if self.stage is _OVER:
            return
        if self.answered_ms is not None:
            at_ms = min(at_ms, self.answered_ms + self.call.talk_limit_ms)
        elif self.signalled_ms is None and cause not in NOT_NETWORK:
            self.ring(at_ms)
        if recording_ms:
            self._keep_recording(at_ms, recording_ms)
        seq = self.seq = self.seq + 1
        self.stage = _OVER
        outcome = self.outcome(at_ms, cause, is_cut_off=is_cut_off, retry_after_ms=retry_after_ms, sound=sound)
        self.engine_events += (call_events.CallEnded(self.call.id, outcome, seq),)
