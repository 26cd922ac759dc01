"""The call flow: survey + position + input → prompts + next position.

The call flow is a state machine without a clock. It does not know whether a simulated callee or a switch is on the
other end. It returns the prompts to play and receives the inputs: keys, and outcomes of transfers.
"""

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Final

import msgspec

from dialer.domain.survey.inputs import AskAgain, SectionInput
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.table import definition_of, queue_ids_of
from dialer.domain.survey.survey import Prompt, Section, Survey

NODES_PER_CALL_MAX: Final = 100
"""Number of consecutive sections that do not wait for the callee; a longer chain, such as a loop, ends the call."""
SECTIONS_PER_CALL_MAX: Final = 10_000
"""Number of sections that one call can visit in total, repeated questions included."""
TURNS_KEPT_MAX: Final = 4_096
"""Number of turns that are cached for each survey. Nearly all calls take the same few ways through a survey."""
_ALWAYS: Final = AskAgain.ALWAYS
_WITHOUT_BRANCH: Final = AskAgain.WITHOUT_BRANCH


class Position(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The position of a call: a section, the number of repeats of its question, and the counters for the limits.

    Positions are compared by identity, not by value, so that the cache of turns can look them up at almost no cost.
    """

    section: Section
    asked_again: int = 0
    was_wrong: bool = False
    without_waiting: int = 1
    visited: int = 1

    @property
    def place(self) -> "StoredPosition":
        """The position as a value."""
        return StoredPosition(self.section.id, self.asked_again, self.was_wrong, self.without_waiting, self.visited)

    @cached_property
    def definition(self) -> SectionDefinition:
        """The type of the section."""
        return definition_of(self.section)


class StoredPosition(msgspec.Struct, frozen=True, omit_defaults=True):
    """A position as a value that can be stored."""

    section_id: int
    asked_again: int = 0
    was_wrong: bool = False
    without_waiting: int = 1
    visited: int = 1


class Turn(msgspec.Struct, frozen=True):
    """The result of an input: an answer to record, if any, and the next position; without one the call hangs up."""

    position: Position | None
    response: str | None = None


class CallFlow:
    """One survey, ready for any number of calls. It has no state of a call.

    All calls begin at the same position. Each combination of a position and an input is computed once and cached.
    """

    def __init__(self, survey: Survey) -> None:
        self._first = Position(survey.sections[0]) if survey.sections else None
        self._sections = {section.id: section for section in survey.sections}
        self.survey: Final = survey
        self.queue_ids: Final = queue_ids_of(survey)
        self.has_completion: Final = survey.has_completion
        self.done: Final[Callable[[Position], Position | None]] = lru_cache(TURNS_KEPT_MAX)(self._done)
        """Return the next position after a section that waits for no input."""
        self.take: Final[Callable[[Position, SectionInput], Turn]] = lru_cache(TURNS_KEPT_MAX)(self._take)
        """Return the turn for the input of a section that waits for one: keys, the outcome of a transfer, or another.

        The type of the section makes an answer and some branches of it. The call takes the first of these that exists,
        and hangs up without one. A question may be repeated instead, while its `retries` last.
        """

    def begin(self) -> Position | None:
        """Return the position at which a call starts; None for a survey without sections."""
        return self._first

    def position_at(self, place: StoredPosition) -> Position | None:
        """Return a stored position; None if the survey has no such section."""
        section = self._sections.get(place.section_id)
        if section is None:
            return None
        return Position(section, place.asked_again, place.was_wrong, place.without_waiting, place.visited)

    def section(self, section_id: int) -> Section:
        """Return a section of the survey.

        Raises:
            KeyError: the survey has no such section.
        """
        return self._sections[section_id]

    @staticmethod
    def prompts(position: Position) -> tuple[Prompt, ...]:
        """Return the prompts to play at a position: after an invalid input, the recording for that comes first."""
        section = position.section
        if position.was_wrong and section.invalid_prompt:
            return (section.invalid_prompt, section.prompt)
        definition = position.definition
        return definition.heard_prompts(section) if definition.converses else (section.prompt,)

    def _done(self, position: Position) -> Position | None:
        keys = position.definition.branches_when_done(position.section)
        key = next((key for key in keys if key in position.section.branches), None)
        return None if key is None else self._follow(position, key)

    def _take(self, position: Position, taken: SectionInput) -> Turn:
        section = position.section
        result = position.definition.result_of(section, taken)
        key = next((key for key in result.branches if key in section.branches), None)
        may_ask_again = position.asked_again < section.retries and position.visited < SECTIONS_PER_CALL_MAX
        if may_ask_again and result.asks_again >= (_ALWAYS if key is not None else _WITHOUT_BRANCH):
            return Turn(_repeat(position, was_wrong=result.was_wrong), result.response)
        return Turn(None if key is None else self._follow(position, key), result.response)

    def _follow(self, position: Position, key: str) -> Position | None:
        target = position.section.branches.get(key)
        section = None if target is None else self._sections.get(target)
        without_waiting = 1 if position.definition.asks else position.without_waiting + 1
        if section is None or without_waiting > NODES_PER_CALL_MAX or position.visited >= SECTIONS_PER_CALL_MAX:
            return None
        return Position(section, without_waiting=without_waiting, visited=position.visited + 1)


def _repeat(position: Position, *, was_wrong: bool) -> Position:
    return Position(
        position.section,
        asked_again=position.asked_again + 1,
        was_wrong=was_wrong,
        visited=position.visited + 1,
    )
