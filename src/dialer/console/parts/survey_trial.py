"""A call through a survey by hand: the call flow of real calls, with a person at the keys."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from dialer.console.parts.sentences import joined_words
from dialer.console.words.language import gettext
from dialer.console.words.state_words import words_of
from dialer.console.words.survey_keys import key_in_words, keys_of
from dialer.domain.calls.plans import Subscriber
from dialer.domain.messages.templates import fill, placeholders_of, values_of
from dialer.domain.sessions.playing import spoken
from dialer.domain.survey.callflow import CallFlow, Position
from dialer.domain.survey.inputs import BRANCH_MAX, SectionInput, transfer_input
from dialer.domain.survey.sections.actions import CallContext
from dialer.domain.survey.survey import BRANCH_ANY, BRANCH_INVALID, Prompt, section_name
from dialer.domain.words.enums import SectionType

INPUTS_MAX: Final = 100
"""Inputs of one trial."""
STEPS_MAX: Final = 500
KEYS_MAX: Final = 64
"""Keys of one input."""
ANSWERED: Final = "answered"
"""The input at a transfer that somebody answers. Any other input means that nobody does."""
KEYS: Final = "keys"
TRANSFER: Final = "transfer"
PROGRAM: Final = "program"
NOBODY: Final = Subscriber(0, "", "")


class HeardPrompt(NamedTuple):
    """A prompt that the callee hears: a text, or a recording."""

    text: str
    """The text as people read it; empty for a recording."""
    spoken: str
    """The text as the voice says it."""
    file: str = ""
    """The name of the recording's file."""
    missing: tuple[str, ...] = ()
    """The placeholders for which the callee has no value."""


class TrialStep(NamedTuple):
    """A section of the call: what the callee hears, what they pressed, and what came of it."""

    section_id: int
    name: str
    type: str
    heard: list[HeardPrompt]
    happens: str
    """Sentences about everything else that happens; empty if nothing does."""
    keys: str | None
    """The keys that were pressed, or the word of a program; empty for none. None where nothing is asked, or not yet."""
    response: str | None
    remark: str
    """A sentence about an input that is no answer."""
    was_answered: bool | None = None
    """True if somebody answered the transfer; None for no transfer."""


class SurveyTrial(NamedTuple):
    """A call so far."""

    steps: list[TrialStep]
    awaits: str
    """`KEYS`, `TRANSFER` or `PROGRAM` if the call waits for an input; else it is over."""
    ways: tuple[tuple[str, str], ...] = ()
    """The branches among which a program chooses, with their words."""

    @property
    def is_asking(self) -> bool:
        """True if the call waits for an input; else it is over."""
        return bool(self.awaits)


class _Trial:
    def __init__(self, flow: CallFlow, inputs: Sequence[str], callee: Subscriber, queues: Mapping[int, str]) -> None:
        self._flow, self._callee, self._queues = flow, callee, queues
        self._left = list(inputs[:INPUTS_MAX])
        self._awaited_max = len(inputs) < INPUTS_MAX
        self._context = CallContext(callee.number, callee.full_name, callee.additional_vars, "", 0)
        self.steps: list[TrialStep] = []
        self.awaits = ""
        self._ways: tuple[tuple[str, str], ...] = ()

    def run(self) -> SurveyTrial:
        position = self._flow.begin()
        while position is not None and len(self.steps) < STEPS_MAX and not self.awaits:
            if position.definition.asks:
                position = self._ask(position)
            elif position.definition.transfers:
                position = self._transfer(position)
            elif position.definition.converses:
                position = self._converse(position)
            else:
                self._note(position)
                position = self._flow.done(position)
        return SurveyTrial(self.steps, self.awaits, self._ways)

    def _ask(self, position: Position) -> Position | None:
        if not self._left:
            self._await(position, KEYS)
            return None
        keys = self._left.pop(0)[:KEYS_MAX]
        turn = self._flow.take(position, SectionInput(keys))
        asks_again = turn.position is not None and turn.position.section.id == position.section.id
        remark = _remark(keys, asks_again=asks_again) if turn.response is None else ""
        self._note(position, keys, turn.response, remark)
        return turn.position

    def _transfer(self, position: Position) -> Position | None:
        if not self._left:
            self._await(position, TRANSFER)
            return None
        is_connected = self._left.pop(0) == ANSWERED
        self._note(position, was_answered=is_connected)
        return self._flow.take(position, transfer_input(is_connected=is_connected)).position

    def _converse(self, position: Position) -> Position | None:
        """Let the person say how the program ends the talk."""
        section = position.section
        if not self._left:
            keys = dict.fromkeys((*keys_of(section), *position.definition.ways_out(section)))
            self._ways = tuple((key, key_in_words(section, key)) for key in keys if key != BRANCH_ANY)
            self._await(position, PROGRAM)
            return None
        branch = self._left.pop(0)[:BRANCH_MAX] or BRANCH_INVALID
        fallback = (section.prompt,) if branch == BRANCH_INVALID else ()
        self._note(position, key_in_words(section, branch), further=fallback)
        return self._flow.take(position, SectionInput(branch=branch)).position

    def _await(self, position: Position, what: str) -> None:
        self._note(position)
        self.awaits = what if self._awaited_max else ""

    def _note(
        self,
        position: Position,
        keys: str | None = None,
        response: str | None = None,
        remark: str = "",
        *,
        was_answered: bool | None = None,
        further: tuple[Prompt, ...] = (),
    ) -> None:
        section = position.section
        prompts = (*CallFlow.prompts(position), *further)
        heard = [one for prompt in prompts if (one := self._heard(prompt)) is not None]
        sentences = position.definition.sentences(section, self._context, self._queues)
        step = TrialStep(
            section.id,
            section_name(section),
            words_of(SectionType(section.type)),
            heard,
            joined_words(sentences),
            keys,
            response,
            remark,
            was_answered,
        )
        self.steps.append(step)

    def _heard(self, prompt: Prompt) -> HeardPrompt | None:
        if prompt.audio_ms is not None:
            return HeardPrompt("", "", prompt.file) if prompt.audio_ms else None
        text = self._filled(prompt.script)
        if not prompt.script.strip():
            return None
        values = values_of(self._callee.full_name, self._callee.additional_vars, self._callee.number)
        missing = tuple(name for name in placeholders_of(prompt.script) if not values.get(name, "").strip())
        return HeardPrompt(text, spoken(prompt.script, self._callee).strip(), missing=missing)

    def _filled(self, text: str) -> str:
        callee = self._callee
        return fill(text, callee.full_name, callee.additional_vars, callee.number).strip()


def _remark(keys: str, *, asks_again: bool) -> str:
    if keys:
        return (
            gettext("That is not an answer, so the question comes again.")
            if asks_again
            else gettext("That is not an answer, and the question is not asked again.")
        )
    return (
        gettext("The time is up, so the question comes again.")
        if asks_again
        else gettext("The time is up, and the question is not asked again.")
    )


def walk(
    flow: CallFlow, inputs: Sequence[str], callee: Subscriber = NOBODY, queues: Mapping[int, str] | None = None
) -> SurveyTrial:
    """Return the call after some inputs: keys, and whether transfers are answered. `queues` are names by id."""
    return _Trial(flow, inputs, callee, queues or {}).run()
