"""Steps: the positions of a call flow as sessions play them, each worked out once and not once a call."""

from functools import lru_cache
from typing import Final

import msgspec

from dialer.domain.calls.plans import Subscriber
from dialer.domain.sessions.leg_protocol import Speech
from dialer.domain.sessions.playing import spoken
from dialer.domain.survey.callflow import CallFlow, Position
from dialer.domain.survey.heard import text_of
from dialer.domain.survey.inputs import SectionInput
from dialer.domain.survey.survey import Prompt, Section

STEPS_KEPT_MAX: Final = 4_096
"""Number of steps that are kept for each survey. Nearly all calls take the same few ways through a survey."""
FLOWS_KEPT_MAX: Final = 1_024
_NOBODY: Final = Subscriber(0, "", "")


class SurveySteps:
    """The steps of one call flow that are kept."""

    def __init__(self, flow: CallFlow) -> None:
        self.flow: Final = flow
        self._has_kept = 0

    def step(self, position: Position | None) -> "SurveyStep | None":
        """Return the step at a position."""
        return None if position is None else SurveyStep(self, position)

    def has_room(self) -> bool:
        """Count another step, and return whether the cache may keep it."""
        self._has_kept += 1
        return self._has_kept <= STEPS_KEPT_MAX


class InputTurn(msgspec.Struct, frozen=True):
    """The result of an input: the next step, and an answer to record, if any."""

    step: "SurveyStep | None"
    response: str | None
    text: str
    """The input as it is kept."""


class SurveyStep:
    """One position of a survey, with all that can be computed before a call is there."""

    __slots__ = (
        "_steps",
        "acts_after",
        "acts_before",
        "after",
        "asks",
        "completes",
        "completes_when_taken",
        "converses",
        "digits_max",
        "knows_after",
        "position",
        "records_silence",
        "section",
        "speeches",
        "timeout_ms",
        "turns",
    )

    def __init__(self, steps: SurveySteps, position: Position) -> None:
        section, definition = position.section, position.definition
        self._steps: Final = steps
        self.position: Final = position
        self.section: Final[Section] = section
        self.asks: Final = definition.asks
        self.converses: Final = definition.converses
        self.acts_before: Final = definition.acts_before_prompt
        self.acts_after: Final = definition.acts_after_prompt
        self.completes: Final = section.completed and not definition.transfers
        self.completes_when_taken: Final = section.completed and definition.transfers
        """True for a transfer marked `completed`: it is not reached before somebody takes the call."""
        self.digits_max: Final = definition.digits_max(section)
        self.timeout_ms: Final = section.timeout_ms
        self.records_silence: Final = section.record_pause
        prompts = CallFlow.prompts(position)
        differs = any(prompt.audio_ms is None and "{" in prompt.script for prompt in prompts)
        self.speeches: Final = None if differs else speeches_of(prompts, _NOBODY)
        """The prompts that can be heard; None if a text has variables, so that each callee hears another one."""
        self.after: SurveyStep | None = None
        """The next step if this one asks for no input, once `knows_after` is set."""
        self.knows_after = False
        self.turns: Final[dict[str | SectionInput, InputTurn]] = {}
        """The turns for inputs that were taken before, by the answer alone if they have no branch."""

    def find_after(self) -> "SurveyStep | None":
        """Return the next step after a section that waits for no input."""
        steps = self._steps
        after = steps.step(steps.flow.done(self.position))
        if steps.has_room():
            self.after, self.knows_after = after, True
        return after

    def find_turn(self, taken: SectionInput) -> InputTurn:
        """Return the turn for an input."""
        steps = self._steps
        turn = steps.flow.take(self.position, taken)
        found = InputTurn(steps.step(turn.position), turn.response, text_of(taken))
        if steps.has_room():
            self.turns[taken if taken.branch else taken.answer] = found
        return found

    def speeches_for(self, callee: Subscriber) -> tuple[Speech, ...]:
        """Return the prompts that a callee can hear."""
        return speeches_of(CallFlow.prompts(self.position), callee) if self.speeches is None else self.speeches


@lru_cache(FLOWS_KEPT_MAX)
def steps_of(flow: CallFlow) -> SurveySteps:
    """Return the steps of a call flow."""
    return SurveySteps(flow)


@lru_cache(FLOWS_KEPT_MAX)
def first_step(flow: CallFlow) -> SurveyStep | None:
    """Return the step at which a call starts; None for a survey without sections."""
    return steps_of(flow).step(flow.begin())


def speeches_of(prompts: tuple[Prompt, ...], callee: Subscriber) -> tuple[Speech, ...]:
    """Return the prompts that can be heard: a recording, else a text."""
    speeches = []
    for prompt in prompts:
        if prompt.audio_ms is None:
            text = spoken(prompt.script, callee).strip()
            if text:
                speeches.append(Speech(text=text, voice=prompt.voice))
        elif prompt.file or prompt.audio_ms:
            speeches.append(Speech(file=prompt.file, length_ms=prompt.audio_ms))
    return tuple(speeches)
