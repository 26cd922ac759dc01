"""IvrSession: the one player of a call. It takes reports of the call's leg, and gives the next order.

It plays every call: over a real line, whose reports arrive as they happen, and to a simulated callee, whose reports are
known at once (`dialer.sim.callee_line`). It performs nothing and has no clock. Its `SessionState` is stored for calls
over real lines, so that another process can continue them.
"""

from typing import Final

from dialer.domain import events
from dialer.domain.enums import AmdBehavior, AmdStatus, Cause
from dialer.domain.plans import NO_AMD, Call, SectionResult
from dialer.domain.sessions.leg_protocol import (
    Accepted,
    Answered,
    Arrived,
    Ask,
    AwaitBeep,
    Bridge,
    Clear,
    Confer,
    Detect,
    Done,
    Ended,
    Hold,
    LegReport,
    Order,
    Play,
    Receipt,
    Record,
    Ringing,
    TextReceived,
)
from dialer.domain.sessions.playing import UNWANTED, context_of
from dialer.domain.sessions.session_fields import SessionFields, way_back
from dialer.domain.sessions.session_state import Reaction, SessionState, Stage
from dialer.domain.sessions.survey_steps import SurveyStep, first_step, speeches_of, steps_of
from dialer.domain.survey.heard import CONNECTED, HEARD_MAX, MISSED, THE_END, HeardInput, last_keys
from dialer.domain.survey.sections.actions import (
    ConferenceTalk,
    Diversion,
    DncWish,
    MessageToSend,
    VoiceRecording,
)

NOT_NETWORK: Final = frozenset({Cause.NO_ANSWER, Cause.NORMAL_CLEARING})
"""Causes of an unanswered call that this side ended, so that its end is no signal of the network."""


# Every call uses these members. A lookup in an enumeration costs as much as a function call.
_DIALLED: Final = Stage.DIALLED
_DETECTING: Final = Stage.DETECTING
_RECORDING: Final = Stage.RECORDING
_CONFERRING: Final = Stage.CONFERRING
_TRANSFERRED: Final = Stage.TRANSFERRED
_BRIDGED: Final = Stage.BRIDGED
_HELD: Final = Stage.HELD
_PLAYING: Final = Stage.PLAYING
_ASKING: Final = Stage.ASKING
_LEAVING_MESSAGE: Final = Stage.LEAVING_MESSAGE
_CLEARING: Final = Stage.CLEARING
_OVER: Final = Stage.OVER
_MACHINE: Final = AmdStatus.MACHINE
_BEFORE_AND_AFTER: Final = frozenset({_DIALLED, _TRANSFERRED, _BRIDGED, _HELD, _CLEARING, _OVER})
_STAYING: Final = frozenset({Stage.RECORDING, Stage.CONFERRING})
_IN_TRANSFER: Final = frozenset({_TRANSFERRED, _BRIDGED, _HELD})
_KEPT: Final = frozenset(SessionState.__struct_fields__) - {"place"}
"""Fields of a session that are stored as they are."""


class IvrSession(SessionFields, eq=False, gc=False):
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
            case Done() if heard.turn == turn:
                at_ms = self._moment(now_ms, heard.age_ms)
                self.done(at_ms, heard.keys, heard.recording_ms, heard.status)
            case Ended():
                at_ms = self._moment(now_ms, heard.age_ms)
                retry_after_ms, is_cut_off = heard.retry_after_ms, heard.is_cut_off
                self.end(at_ms, heard.cause, heard.recording_ms, is_cut_off=is_cut_off, retry_after_ms=retry_after_ms)
            case Done() | Arrived() | Accepted() | Receipt() | TextReceived():
                pass
        return self._reaction(turn)

    def resume(self, now_ms: int) -> Reaction:
        """Begin the present section again, because it is not known how far the leg has come with the last order.

        Wishes, messages and transfers of the section that were reported are not reported again.
        """
        turn = self.turn
        match self.stage:
            case Stage.DETECTING:
                self._detect()
            case Stage.AWAITING_BEEP | Stage.LEAVING_MESSAGE:
                self._await_beep()
            case Stage.PLAYING | Stage.ASKING | Stage.RECORDING | Stage.CONFERRING:
                self._walk(now_ms, self.step, is_again=True)
            case Stage.TRANSFERRED | Stage.HELD:
                self._give(Hold(turn + 1), self.stage)
            case Stage.BRIDGED:
                self._give(Bridge(turn + 1, self.other), _BRIDGED)
            case Stage.CLEARING:
                self._clear()
            case Stage.DIALLED | Stage.OVER:
                pass
        return self._reaction(turn)

    def bridge(self, other: str) -> Reaction:
        """Connect the call, which waits in a transfer, with another leg."""
        turn = self.turn
        if self.stage is _TRANSFERRED:
            self.other = other
            if self.step is not None and self.step.completes_when_taken:
                self.is_completed = True
            self._give(Bridge(turn + 1, other), _BRIDGED)
        return self._reaction(turn)

    def hold(self, *, is_held: bool) -> Reaction:
        """Separate the call from the second leg for a hold, or connect both legs again."""
        turn = self.turn
        if is_held and self.stage is _BRIDGED:
            self._give(Hold(turn + 1), _HELD)
        elif not is_held and self.stage is _HELD:
            self._give(Bridge(turn + 1, self.other), _BRIDGED)
        return self._reaction(turn)

    def part(self) -> Reaction:
        """Part the call from its agent, who has transferred it: it waits for the next leg."""
        turn = self.turn
        if self.stage in {_BRIDGED, _HELD}:
            self.other, self.transfers = "", self.transfers + 1
            self._give(Hold(turn + 1), _TRANSFERRED)
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

    def _reaction(self, turn: int) -> Reaction:
        """Return what has followed since the last order had this number."""
        order = None if self.turn == turn else self.order
        orders = () if order is None else (order,)
        reaction = Reaction(orders, self.engine_events)
        self.engine_events = ()
        return reaction

    def _moment(self, now_ms: int, age_ms: int) -> int:
        """Return the time of a report, which is neither in the future nor before the call and its answer."""
        earliest_ms = self.answered_ms or self.call.started_ms
        return max(earliest_ms, min(now_ms, now_ms - age_ms))

    @property
    def order(self) -> Order | None:
        """The last order. Those that every call has are made when a line needs them: a simulated callee does not."""
        stage, step = self.stage, self.step
        if stage is _ASKING and step is not None:
            return Ask(self.turn, self.speeches, step.digits_max, step.timeout_ms)
        if stage is _PLAYING or stage is _LEAVING_MESSAGE:
            return Play(self.turn, self.speeches)
        return Clear(self.turn) if stage is _CLEARING else self._order

    def _give(self, order: Order, stage: Stage) -> None:
        self._order, self.turn, self.stage = order, order.turn, stage

    # --- before the survey --------------------------------------------------------------------------------------

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
        self._walk(at_ms, first_step(plan.flow))

    def _report_answer(self, at_ms: int) -> None:
        self.seq += 1
        is_live = self.amd_status is not _MACHINE
        self.engine_events += (events.CallAnswered(self.call.id, self.answered_ms or at_ms, is_live, self.seq),)

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

    # --- the survey ---------------------------------------------------------------------------------------------

    def done(
        self, at_ms: int, digits: str = "", recording_ms: int | None = None, status: AmdStatus | None = None
    ) -> None:
        """Continue after the last order, with the digits, the length of the recording, or the detection's status."""
        stage, step = self.stage, self.step
        if step is None:
            self._before_survey(stage, at_ms, status)
        elif stage is _ASKING:
            if digits and self.amd_status is _MACHINE:
                self._hear_person(at_ms)
            turn = step.turns.get(digits) or step.find_turn(digits)
            if step.position.visited <= HEARD_MAX:
                self.heard += (HeardInput(at_ms - (self.answered_ms or at_ms), step.section.id, digits),)
            if turn.response is not None:
                self._keep(step, turn.response, at_ms)
            self._walk(at_ms, turn.step)
        elif stage is _PLAYING:
            if not (step.acts_after and self._act(step, at_ms)):
                self._walk(at_ms, step.after if step.knows_after else step.find_after())
        elif stage in _STAYING:
            if recording_ms:
                self._keep_recording(at_ms, recording_ms)
            self._walk(at_ms, step.after if step.knows_after else step.find_after())

    def _before_survey(self, stage: Stage, at_ms: int, status: AmdStatus | None) -> None:
        if stage is _DETECTING:
            self.amd_status = AmdStatus.UNSURE if status is None else status
            self._greet(at_ms)
        elif stage is Stage.AWAITING_BEEP:
            self._leave_message()
        elif stage not in _BEFORE_AND_AFTER:
            prompt = self.call.plan.voicemail_prompt
            self.is_message_left = stage is _LEAVING_MESSAGE and prompt is not None and prompt.audio_ms != 0
            self._clear()  # The message was left, or the section was deleted.

    def _walk(self, at_ms: int, step: SurveyStep | None, *, is_again: bool = False) -> None:
        """Enter sections until one of them waits for something. After the last one, hang up.

        A section that begins again does not act again before its prompt.
        """
        while step is not None:
            self.step = step
            if step.completes:
                self.is_completed = True
            if step.acts_before and not is_again:
                self._act_before(step, at_ms)
            is_again = False
            speeches = step.speeches
            if speeches is None:
                speeches = step.speeches_for(self.call.subscriber)
            if step.asks:
                self.speeches = speeches
                self.turn += 1
                self.stage = _ASKING
                return
            if speeches:
                self.speeches = speeches
                self.turn += 1
                self.stage = _PLAYING
                return
            if step.acts_after and self._act(step, at_ms):
                return
            step = step.after if step.knows_after else step.find_after()
        self.step, self.heard = None, (*self.heard, THE_END)
        self.is_message_left = self.amd_status is _MACHINE
        self._clear()

    def _act_before(self, step: SurveyStep, at_ms: int) -> None:
        call_id = self.call.id
        match step.position.definition.before_prompt(step.section, context_of(self.call)):
            case DncWish(response):
                self._keep(step, response, at_ms)
                self.seq += 1
                said, section_id = last_keys(self.heard, step.section.id)
                self.engine_events += (events.DncReached(call_id, self.seq, said, section_id),)
            case MessageToSend(response, number, text):
                self._keep(step, response, at_ms)
                self.seq += 1
                self.engine_events += (events.TextRequested(call_id, number, text, self.seq),)
            case None:
                pass

    def _act(self, step: SurveyStep, at_ms: int) -> bool:
        """Perform the section's action after its prompt, and return whether the call has to wait."""
        turn = self.turn + 1
        match step.position.definition.after_prompt(step.section, context_of(self.call)):
            case Diversion() as diversion:
                self._transfer(step, diversion, at_ms)
            case ConferenceTalk(response, room):
                self._keep(step, response, at_ms)
                self._give(Confer(turn, f"{self.call.plan.user_id}-{room}"), _CONFERRING)
            case VoiceRecording(response):
                self._give(Record(turn, response), _RECORDING)
            case None:
                return False
        return True

    def _transfer(self, step: SurveyStep, to: Diversion, at_ms: int) -> None:
        self._keep(step, to.response, at_ms)
        self._give(Hold(self.turn + 1), _TRANSFERRED)
        answered_ms = self.answered_ms or at_ms
        self.seq += 1
        self.transfers += 1
        reached = events.TransferReached(self.call.id, step.section.id, to.queue_id, to.number, answered_ms, self.seq)
        self.engine_events += (reached,)

    def leave_transfer(self, at_ms: int, *, is_connected: bool) -> None:
        """Continue the survey after a transfer, unless the call is in none.

        A callee whom an agent has transferred, and who has reached nobody, comes back to the agent's queue first.
        """
        if self.stage in _IN_TRANSFER and self.step is not None:
            self.other = ""
            if not is_connected and self._come_back(self.step, at_ms):
                return
            self.heard = self._with(self.step, CONNECTED if is_connected else MISSED, at_ms)
            self._walk(at_ms, self.step.transferred(is_connected=is_connected))

    def _come_back(self, step: SurveyStep, at_ms: int) -> bool:
        back = way_back(self, step.section.id, at_ms)
        if back is None:
            return False
        if self.stage is not _TRANSFERRED:
            self._give(Hold(self.turn + 1), _TRANSFERRED)
        self.seq, self.transfers = back.seq, self.transfers + 1
        self.engine_events += (back,)
        return True

    def _keep_recording(self, at_ms: int, recording_ms: int) -> None:
        """Keep the recording of the present section, if the line has made one."""
        step, order = self.step, self._order
        if step is None or recording_ms < 0:
            return
        if self.stage is _RECORDING and isinstance(order, Record):
            self._keep(step, order.name, at_ms, recording_ms)
            return
        recording = step.position.definition.after_prompt(step.section, context_of(self.call))
        if isinstance(recording, VoiceRecording):
            self._keep(step, recording.response, at_ms, recording_ms)

    def _keep(self, step: SurveyStep, response: str, at_ms: int, recording_ms: int | None = None) -> None:
        """Keep the answer to a section. The last answer to a section counts."""
        section, results = step.section, self.results
        if results:
            results = tuple([result for result in results if result.section_id != section.id])
        result = SectionResult(section.id, section.type, section.question, response, at_ms, recording_ms)
        self.results = (*results, result)

    # --- the end ------------------------------------------------------------------------------------------------

    def _clear(self) -> None:
        self.turn += 1
        self.stage = _CLEARING

    def end(
        self,
        at_ms: int,
        cause: Cause,
        recording_ms: int | None = None,
        *,
        is_cut_off: bool = False,
        retry_after_ms: int = 0,
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
        outcome = self.outcome(at_ms, cause, is_cut_off=is_cut_off, retry_after_ms=retry_after_ms)
        self.engine_events += (events.CallEnded(self.call.id, outcome, seq),)
