"""The call flow: survey + position + input → prompts + next position.

The call flow is a state machine without a clock. It does not know whether a simulated callee or a switch is on the
other end. It returns the prompts to play and receives the keys that were pressed.
"""

from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from typing import Final

import msgspec

from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.table import definition_of, queue_ids_of
from dialer.domain.survey.survey import (
    BRANCH_ANY,
    BRANCH_INVALID,
    BRANCH_TIMEOUT,
    INPUT_END,
    Prompt,
    Section,
    Survey,
)

NODES_PER_CALL_MAX: Final = 100
"""Number of consecutive sections that do not wait for the callee; a longer chain, such as a loop, ends the call."""
SECTIONS_PER_CALL_MAX: Final = 10_000
"""Number of sections that one call can visit in total, repeated questions included."""
TURNS_KEPT_MAX: Final = 4_096
"""Number of turns that are cached for each survey. Nearly all calls take the same few ways through a survey."""


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
        """Return the next position after a section that does not ask for input, or after a connected transfer."""
        self.heard: Final[Callable[[Position, str], Turn]] = lru_cache(TURNS_KEPT_MAX)(self._heard)
        """Return the turn for the keys that were pressed in a section that asks for input; "" stands for no input.

        An invalid input, or none, repeats the question while `retries` last. After that, an invalid input takes the
        branch `invalid`, and no input takes `timeout`. A valid input takes the branch of exactly its digits, else
        `any`. An input without a branch hangs up. In most types of section, a valid input without a branch also repeats
        the question while `retries` last.
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
        return (section.prompt,)

    def _done(self, position: Position) -> Position | None:
        return self._follow_first(position, position.definition.branches_when_done(position.section))

    def transferred(self, position: Position, *, is_connected: bool) -> Position | None:
        """Return the next position after a transfer: a connected one counts as played; otherwise the type decides."""
        if is_connected:
            return self.done(position)
        return self._follow_first(position, position.definition.branches_when_missed(position.section))

    def _heard(self, position: Position, keys: str) -> Turn:
        section, definition = position.section, position.definition
        digits = keys.partition(INPUT_END)[0][: definition.digits_max(section)]
        response = definition.response_to(section, digits)
        may_ask_again = position.asked_again < section.retries and position.visited < SECTIONS_PER_CALL_MAX
        if response is None:
            if may_ask_again:
                return Turn(_repeat(position, was_wrong=bool(digits)))
            return Turn(self._follow(position, BRANCH_INVALID if digits else BRANCH_TIMEOUT))
        for key in (digits, BRANCH_ANY):
            if key in section.branches:
                return Turn(self._follow(position, key), response)
        if may_ask_again and definition.asks_again_without_branch:
            return Turn(_repeat(position, was_wrong=False), response)
        return Turn(None, response)

    def _follow_first(self, position: Position, keys: Iterable[str]) -> Position | None:
        """Follow the first of these branches that exists; None if there is none, or if the branch hangs up."""
        key = next((key for key in keys if key in position.section.branches), None)
        return None if key is None else self._follow(position, key)

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
