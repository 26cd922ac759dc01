"""A call through a survey by hand: the call flow of real calls, with a person at the keys."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from dialer.console.state_words import words_of
from dialer.domain.enums import SectionType
from dialer.domain.survey.callflow import CallFlow, Position

INPUTS_MAX: Final = 100
"""Inputs of one trial."""
STEPS_MAX: Final = 500
KEYS_MAX: Final = 64
"""Keys of one input."""


class TrialStep(NamedTuple):
    """A section of the call: what the callee hears, and what they pressed."""

    section_id: int
    type: str
    heard: list[str]
    keys: str | None
    """The keys that were pressed; empty for none. None where nothing is asked, or where the input is still awaited."""
    response: str | None


class SurveyTrial(NamedTuple):
    """A call so far."""

    steps: list[TrialStep]
    is_asking: bool
    """True if the call waits for an input; else it is over."""


def walk(flow: CallFlow, inputs: Sequence[str]) -> SurveyTrial:
    """Return the call after some inputs. Transfers count as connected."""
    steps: list[TrialStep] = []
    left = list(inputs[:INPUTS_MAX])
    position = flow.begin()
    while position is not None and len(steps) < STEPS_MAX:
        if not position.definition.asks:
            steps.append(_step(position, None, None))
            position = flow.done(position)
        elif not left:
            steps.append(_step(position, None, None))
            return SurveyTrial(steps, is_asking=len(inputs) < INPUTS_MAX)
        else:
            keys = left.pop(0)[:KEYS_MAX]
            turn = flow.heard(position, keys)
            steps.append(_step(position, keys, turn.response))
            position = turn.position
    return SurveyTrial(steps, is_asking=False)


def _step(position: Position, keys: str | None, response: str | None) -> TrialStep:
    section = position.section
    words = section.prompt.script or section.question
    heard = ["That was not understood."] if position.was_wrong else []
    return TrialStep(section.id, words_of(SectionType(section.type)), [*heard, words], keys, response)
