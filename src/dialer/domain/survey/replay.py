"""Replay: a call that is over is played again from its inputs, through its own survey and through another one.

The first step at which the two differ shows the effect that the other survey would have had on the call.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from dialer.domain.survey.callflow import CallFlow, Position
from dialer.domain.survey.heard import HEARD_MAX, LEFT, PLAYED, HeardInput
from dialer.domain.survey.sections.table import definition_of
from dialer.domain.survey.survey import BRANCH_INVALID, Prompt, Section, section_name
from dialer.domain.words.enums import SectionType

STEPS_MAX: Final = 100 * (HEARD_MAX + 1)
"""Sections of one replay: at most `NODES_PER_CALL_MAX` of them follow one input."""
HANGS_UP: Final = (-1, "the call ends")
WAITS: Final = (-2, "the call waits for another input")
_HAPPENS: Final = ("phonenumber", "queue_id", "confirm_script", "confirm_key", "conference", "sms_text", "agent_url")
"""Settings that a callee notices, beside the prompt."""


class ReplayStep(msgspec.Struct, frozen=True):
    """A section that a call visited, with the input there, the answer to it, and the section that follows."""

    section: Section
    prompts: tuple[Prompt, ...]
    heard: HeardInput | None = None
    """The input; None where none was needed, or none came."""
    response: str | None = None
    follows: Section | None = None
    """The next section. None for the end of the call."""
    is_last: bool = False
    """True if the call ended in this section, so that nothing follows it."""


class ReplayDifference(msgspec.Struct, frozen=True):
    """The first place at which a replay differs from the call."""

    step: int
    """The number of the step, from 1; 0 for the beginning of the call."""
    section: str
    field: str
    """`section`, `next` or `response`, or a setting of the section."""
    was: str
    is_now: str


def replay(flow: CallFlow, heard: Sequence[HeardInput]) -> list[ReplayStep]:
    """Return the steps of a call with these inputs, up to the first input that is missing or of another kind."""
    steps: list[ReplayStep] = []
    position, left = flow.begin(), [one for one in reversed(heard) if one.text != PLAYED]
    while position is not None and len(steps) < STEPS_MAX:
        step, position = _step(flow, position, left)
        steps.append(step)
    return steps


def is_its_own(steps: Sequence[ReplayStep], heard: Sequence[HeardInput]) -> bool:
    """Tell whether a replay meets each input in the section in which the call heard it, and no other input."""
    met = [(one.heard, one.section.id) for one in steps if one.heard is not None]
    inputs = [one for one in heard if one.text != PLAYED]
    if inputs and inputs[-1].text == LEFT:
        last = inputs.pop()
        if not steps or not steps[-1].is_last or steps[-1].section.id != last.section_id:
            return False
    return met == [(one, one.section_id) for one in inputs]


def first_difference(was: Sequence[ReplayStep], is_now: Sequence[ReplayStep]) -> ReplayDifference | None:
    """Return the first place at which a replay differs from the call, up to the end of the call; None for none."""
    if not was or not is_now or was[0].section.id != is_now[0].section.id:
        before, after = _first(was), _first(is_now)
        return None if before == after else ReplayDifference(0, "", "section", before[1], after[1])
    for number, (before_step, after_step) in enumerate(zip(was, is_now, strict=False), 1):
        for field, old, new in _compared(before_step, after_step):
            if old != new:
                return ReplayDifference(number, section_name(before_step.section), field, _shown(old), _shown(new))
    return None


def _step(flow: CallFlow, position: Position, left: list[HeardInput]) -> tuple[ReplayStep, Position | None]:
    """Return the step at a position, and the next position. Take its input from the end of `left`."""
    section, prompts, definition = position.section, CallFlow.prompts(position), position.definition
    stays = ReplayStep(section, prompts, is_last=True)
    if not definition.waits:
        if len(left) == 1 and left[0].text == LEFT and left[0].section_id == section.id:
            return stays, None
        after, heard, response = flow.done(position), None, None
    elif not left or left[-1].text == LEFT or not definition.takes(left[-1].taken):
        return stays, None
    else:
        heard = left.pop()
        turn = flow.take(position, heard.taken)
        after, response = turn.position, turn.response
    follows = None if after is None else after.section
    return ReplayStep(section, prompts, heard, response, follows), after


def _compared(was: ReplayStep, is_now: ReplayStep) -> Iterator[tuple[str, object, object]]:
    """Yield what a callee notices of a step, in the order in which they do."""
    old, new = was.section, is_now.section
    yield "type", SectionType(old.type).name, SectionType(new.type).name
    if definition_of(old).converses:
        yield from _compared_talk(was, is_now)
    else:
        for one, other in zip(was.prompts, is_now.prompts, strict=False):
            yield "audiofile", one.file, other.file
            yield "script", _text(one), _text(other)
        yield "invalid_audiofile", len(was.prompts), len(is_now.prompts)
    used = {field.column for field in definition_of(old).fields}
    for name in _HAPPENS:
        if name in used:
            yield name, getattr(old, name), getattr(new, name)
    yield "completed", old.completed, new.completed
    if not was.is_last:
        yield "response", was.response, is_now.response
        (old_id, old_name), (new_id, new_name) = _next(was), _next(is_now)
        if old_id != new_id:
            yield "next", old_name, new_name if new_name != old_name else f"{new_name} (No. {new_id})"


def _compared_talk(was: ReplayStep, is_now: ReplayStep) -> Iterator[tuple[str, object, object]]:
    """Yield what a callee hears of a talk with a program: the disclosure, and the prompt if no program answered."""
    old, new = (one.section.disclosure_prompt or Prompt() for one in (was, is_now))
    yield "disclosure_audiofile", old.file, new.file
    yield "disclosure", _text(old), _text(new)
    if was.heard is not None and was.heard.taken.branch == BRANCH_INVALID:
        yield "audiofile", was.section.prompt.file, is_now.section.prompt.file
        yield "script", _text(was.section.prompt), _text(is_now.section.prompt)


def _text(prompt: Prompt) -> str:
    """Return the text that is spoken; a recording takes its place."""
    return prompt.script if prompt.audio_ms is None else ""


def _next(step: ReplayStep) -> tuple[int, str]:
    """Return the section that follows a step, by id and name. Sections are told apart by id."""
    if step.is_last:
        return WAITS
    return HANGS_UP if step.follows is None else (step.follows.id, section_name(step.follows))


def _first(steps: Sequence[ReplayStep]) -> tuple[int, str]:
    return (steps[0].section.id, section_name(steps[0].section)) if steps else HANGS_UP


def _shown(value: object) -> str:
    return "nothing" if value is None or value == "" else str(value)
