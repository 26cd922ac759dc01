"""The walk of a call through the sections of its survey, and the orders that its leg is given."""

from typing import Final

from dialer.domain.calls import call_events, text_events
from dialer.domain.calls.call_recording import with_silence
from dialer.domain.calls.plan_parts import SectionResult
from dialer.domain.sessions.leg_protocol import (
    Ask,
    Clear,
    Confer,
    Converse,
    Hold,
    Order,
    Play,
    Record,
)
from dialer.domain.sessions.playing import context_of, told_of
from dialer.domain.sessions.session_fields import SessionFields, hold_in
from dialer.domain.sessions.session_state import Reaction, Stage
from dialer.domain.sessions.survey_steps import SurveyStep
from dialer.domain.survey.heard import THE_END, last_keys
from dialer.domain.survey.sections.actions import (
    ConferenceTalk,
    Diversion,
    DncWish,
    MessageToSend,
    ProgramTalk,
    VoiceRecording,
)
from dialer.domain.survey.sections.agent_fields import HANGUP
from dialer.domain.survey.survey import BRANCH_DONE
from dialer.domain.words.enums import AmdStatus

# Every call uses these members. A lookup in an enumeration costs as much as a function call.
_RECORDING: Final = Stage.RECORDING
_CONFERRING: Final = Stage.CONFERRING
_TRANSFERRED: Final = Stage.TRANSFERRED
_PLAYING: Final = Stage.PLAYING
_ASKING: Final = Stage.ASKING
_LEAVING_MESSAGE: Final = Stage.LEAVING_MESSAGE
_FALLING_BACK: Final = Stage.FALLING_BACK
_CLEARING: Final = Stage.CLEARING
_MACHINE: Final = AmdStatus.MACHINE


class SurveyWalk(SessionFields, eq=False, gc=False):
    """The part of a session that enters sections, acts for them and keeps their answers."""

    @property
    def order(self) -> Order | None:
        """The last order. Those that every call has are made when a line needs them: a simulated callee does not."""
        stage, step = self.stage, self.step
        if stage is _ASKING and step is not None:
            return Ask(self.turn, self.speeches, step.digits_max, step.timeout_ms)
        if stage is _PLAYING or stage is _LEAVING_MESSAGE or stage is _FALLING_BACK:
            return Play(self.turn, self.speeches)
        return Clear(self.turn) if stage is _CLEARING else self._order

    def _give(self, order: Order, stage: Stage) -> None:
        self._order, self.turn, self.stage = order, order.turn, stage

    def _reaction(self, turn: int) -> Reaction:
        """Return what has followed since the last order had this number."""
        order = None if self.turn == turn else self.order
        orders = () if order is None else (order,)
        reaction = Reaction(orders, self.engine_events)
        self.engine_events = ()
        return reaction

    def _walk(self, at_ms: int, step: SurveyStep | None, *, is_again: bool = False) -> None:
        """Enter sections until one of them waits for something. After the last one, hang up.

        A section that begins again does not act again before its prompt.
        """
        while step is not None:
            self.step = step
            if step.records_silence or self.silences:
                self.silences = with_silence(
                    self.silences, at_ms - self.call.started_ms, is_silent=step.records_silence
                )
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
            if speeches and not step.converses:
                self.speeches = speeches
                self.turn += 1
                self.stage = _PLAYING
                return
            if step.acts_after and self._act(step, at_ms):
                return
            step = step.after if step.knows_after else step.find_after()
        self.step, self.heard = None, (*self.heard, THE_END)
        self.is_message_left = self.amd_status is _MACHINE
        self.turn, self.stage = self.turn + 1, _CLEARING  # As `_clear`, without a call for each callee who hears all.

    def _act_before(self, step: SurveyStep, at_ms: int) -> None:
        call_id = self.call.id
        match step.position.definition.before_prompt(step.section, context_of(self.call)):
            case DncWish(response):
                self._keep(step, response, at_ms)
                self.seq += 1
                said, section_id = last_keys(self.heard, step.section.id)
                self.engine_events += (call_events.DncReached(call_id, self.seq, said, section_id),)
            case MessageToSend(response, number, text):
                self._keep(step, response, at_ms)
                self.seq += 1
                self.engine_events += (text_events.TextRequested(call_id, number, text, self.seq),)
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
            case ProgramTalk() as talk:
                self._converse(step, talk)
            case VoiceRecording(response):
                self._give(Record(turn, response), _RECORDING)
            case None:
                return False
        return True

    def _converse(self, step: SurveyStep, talk: ProgramTalk, *, goes_on: bool = False) -> None:
        """Let a program talk with the callee, after the disclosure. One that `goes_on` has been heard before."""
        call, agents = self.call, self.call.plan.agents
        speeches = () if goes_on else step.speeches_for(call.subscriber)
        parameters = told_of(call, self.amd_status, talk.parameters)
        order = Converse(
            self.turn + 1,
            speeches,
            talk.url,
            talk.patience_ms,
            talk.limit_ms,
            call.callid,
            parameters,
            agents.account_sid,
            agents.secrets.get(step.section.id, ""),
            goes_on=goes_on,
            ends_with=_branch_of(step) if goes_on and self._is_completed_talk(step) else "",
            account_id=call.plan.user_id,
        )
        self._give(order, Stage.CONVERSING)

    def _is_completed_talk(self, step: SurveyStep) -> bool:
        """Return whether the program of the present conversation has completed the call."""
        return self.call.recording_orders.talk_completed == step.position.visited

    def _transfer(self, step: SurveyStep, to: Diversion, at_ms: int) -> None:
        self._keep(step, to.response, at_ms)
        turn = self.turn + 1
        self._give(hold_in(self.call, to.queue_id, turn) if self.call.plan.hold_sounds else Hold(turn), _TRANSFERRED)
        answered_ms = self.answered_ms or at_ms
        self.seq += 1
        self.transfers += 1
        reached = call_events.TransferReached(
            self.call.id, step.section.id, to.queue_id, to.number, answered_ms, self.seq
        )
        self.engine_events += (reached,)

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

    def _keep(
        self, step: SurveyStep, response: str, at_ms: int, recording_ms: int | None = None, summary: str = ""
    ) -> None:
        """Keep the answer to a section. The last answer to a section counts."""
        section, results = step.section, self.results
        for earlier in results:
            if earlier.section_id == section.id:
                results = tuple([other for other in results if other is not earlier])
        result = SectionResult(section.id, section.type, section.question, response, at_ms, recording_ms, summary)
        self.results = (*results, result)

    def _clear(self) -> None:
        self.turn += 1
        self.stage = _CLEARING


def _branch_of(step: SurveyStep) -> str:
    """Return the branch of a conversation whose program completes the call."""
    section = step.section
    return section.on_completed or (BRANCH_DONE if BRANCH_DONE in section.branches else HANGUP)
