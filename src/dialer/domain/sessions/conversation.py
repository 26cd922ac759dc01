"""The talk of a callee with a program: how it ends, and what the callee hears if no program answers."""

from dialer.domain.sessions.leg_protocol import Converse, Order
from dialer.domain.sessions.playing import context_of
from dialer.domain.sessions.session_state import Stage
from dialer.domain.sessions.survey_steps import SurveyStep, speeches_of
from dialer.domain.sessions.survey_walk import SurveyWalk
from dialer.domain.survey.heard import HEARD_MAX, HeardInput, text_of
from dialer.domain.survey.inputs import ANSWER_MAX, SectionInput
from dialer.domain.survey.sections.actions import ProgramTalk
from dialer.domain.survey.survey import BRANCH_INVALID


class ConversationTalk(SurveyWalk, eq=False, gc=False):
    """The part of a session in which a program talks with the callee."""

    def conversed(self, at_ms: int, taken: SectionInput, summary: str = "") -> None:
        """Continue after the conversation with a program: by its branch, with its result.

        If none answered, the callee first hears what there is to hear then.
        """
        step = self.step
        if step is None or self.stage is not Stage.CONVERSING:
            return
        branch = SectionInput(branch=taken.branch or BRANCH_INVALID)
        turn = step.find_turn(branch)  # Turns are kept, and results are as long as programs like.
        if step.position.visited <= HEARD_MAX:
            answer = taken.answer if len(taken.answer) <= ANSWER_MAX else ""
            text = text_of(SectionInput(answer, branch.branch))
            self.heard += (HeardInput(at_ms - (self.answered_ms or at_ms), step.section.id, text),)
        response = taken.answer or turn.response
        if response:
            self._keep(step, response, at_ms, summary=summary)
        if branch.branch != BRANCH_INVALID or not self._fall_back():
            self._walk(at_ms, turn.step)

    def _fall_back(self) -> bool:
        """Play what the callee hears if no program answers. Return False if there is nothing."""
        step = self.step
        speeches = () if step is None else speeches_of((step.section.prompt,), self.call.subscriber)
        if not speeches:
            return False
        self.speeches, self.turn, self.stage = speeches, self.turn + 1, Stage.FALLING_BACK
        return True

    def complete_conversation(self) -> tuple[Order, ...]:
        """Return the order to end a conversation whose program has completed the call; none if that is known."""
        step, order = self.step, self._order
        is_told = isinstance(order, Converse) and order.ends_with != ""
        if self.stage is not Stage.CONVERSING or step is None or is_told or not self._is_completed_talk(step):
            return ()
        talk = step.position.definition.after_prompt(step.section, context_of(self.call))
        if not isinstance(talk, ProgramTalk):
            return ()
        self._converse(step, talk, goes_on=True)
        return () if self._order is None else (self._order,)

    def resume_conversation(self, now_ms: int) -> bool:
        """Go on with a conversation, if its line still has it. Return False if the session is in none."""
        step = self.step
        talk = None if step is None else step.position.definition.after_prompt(step.section, context_of(self.call))
        if self.stage is Stage.CONVERSING and step is not None and isinstance(talk, ProgramTalk):
            self._converse(step, talk, goes_on=True)
        elif self.stage is Stage.CONVERSING:
            self.conversed(now_ms, SectionInput(branch=BRANCH_INVALID))
        elif self.stage is Stage.FALLING_BACK:
            self._fall_back()
        else:
            return False
        return True

    def _after_staying(self, step: SurveyStep) -> SurveyStep | None:
        """Return the next step after a stage that took its time."""
        if self.stage is Stage.FALLING_BACK:
            return step.find_turn(SectionInput(branch=BRANCH_INVALID)).step
        return step.after if step.knows_after else step.find_after()
