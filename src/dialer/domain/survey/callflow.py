"""The call flow: survey + position + input → prompts + next position.

A machine of its own. It does not know whether a simulated callee or a switch is on the other end, nor what time it is:
it says what to play and how long to wait, and is told what was heard.
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
"""Sections in a row that do not wait for the callee; a loop of such ends here."""
SECTIONS_PER_CALL_MAX: Final = 10_000
"""Sections of one call in all, however long the callee answers."""
TURNS_KEPT_MAX: Final = 4_096
"""Of one survey, so many turns are remembered: the calls to it nearly all go the same few ways."""


class Position(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Where a call is: a section, how often it was asked again, and what counts towards the limits.

    A position is known by itself, not by what it holds, so that what follows from it can be remembered at no cost.
    """

    section: Section
    asked_again: int = 0
    was_wrong: bool = False
    without_waiting: int = 1
    visited: int = 1

    @cached_property
    def definition(self) -> SectionDefinition:
        """The type of the section."""
        return definition_of(self.section)


class Turn(msgspec.Struct, frozen=True):
    """What follows from an input: a result to keep, if any, and the next position; without one the call hangs up."""

    position: Position | None
    response: str | None = None


class CallFlow:
    """One survey, ready to be walked by any number of calls: it keeps no state of any of them.

    All begin at the same position; what follows from a position and an input is worked out once.
    """

    def __init__(self, survey: Survey) -> None:
        self._first = Position(survey.sections[0]) if survey.sections else None
        self._sections = {section.id: section for section in survey.sections}
        self.survey: Final = survey
        self.queue_ids: Final = queue_ids_of(survey)
        self.has_completion: Final = survey.has_completion
        self.done: Final[Callable[[Position], Position | None]] = lru_cache(TURNS_KEPT_MAX)(self._done)
        """Where the call goes once a section that does not ask is over, or its transfer was connected."""
        self.heard: Final[Callable[[Position, str], Turn]] = lru_cache(TURNS_KEPT_MAX)(self._heard)
        """What follows from the keys that were pressed in a section that asks; "" for none.

        A wrong input, or none, asks again while `retries` last. Then a wrong input takes `invalid`, none takes
        `timeout`, an input takes exactly its digits, else `any`; what has no branch hangs up. In most types of section
        an input that is right but has no branch also asks again while `retries` last.
        """

    def begin(self) -> Position | None:
        """Where a call starts; None for a survey without sections."""
        return self._first

    @staticmethod
    def prompts(position: Position) -> tuple[Prompt, ...]:
        """What is played on entering a position: after a wrong input, the recording that says so comes first."""
        section = position.section
        if position.was_wrong and section.invalid_prompt:
            return (section.invalid_prompt, section.prompt)
        return (section.prompt,)

    def _done(self, position: Position) -> Position | None:
        return self._go_first(position, position.definition.branches_when_done(position.section))

    def transferred(self, position: Position, *, is_connected: bool) -> Position | None:
        """Where the call goes after a transfer: connected as if it had been played, else as its type says."""
        if is_connected:
            return self.done(position)
        return self._go_first(position, position.definition.branches_when_missed(position.section))

    def _heard(self, position: Position, keys: str) -> Turn:
        section, definition = position.section, position.definition
        digits = keys.partition(INPUT_END)[0][: definition.digits_max(section)]
        response = definition.response_to(section, digits)
        may_ask_again = position.asked_again < section.retries and position.visited < SECTIONS_PER_CALL_MAX
        if response is None:
            if may_ask_again:
                return Turn(_again(position, was_wrong=bool(digits)))
            return Turn(self._go(position, BRANCH_INVALID if digits else BRANCH_TIMEOUT))
        for key in (digits, BRANCH_ANY):
            if key in section.branches:
                return Turn(self._go(position, key), response)
        if may_ask_again and definition.asks_again_without_branch:
            return Turn(_again(position, was_wrong=False), response)
        return Turn(None, response)

    def _go_first(self, position: Position, keys: Iterable[str]) -> Position | None:
        """Take the first of these branches that exists, wherever it leads."""
        key = next((key for key in keys if key in position.section.branches), None)
        return None if key is None else self._go(position, key)

    def _go(self, position: Position, key: str) -> Position | None:
        target = position.section.branches.get(key)
        section = None if target is None else self._sections.get(target)
        in_a_row = 1 if position.definition.asks else position.without_waiting + 1
        if section is None or in_a_row > NODES_PER_CALL_MAX or position.visited >= SECTIONS_PER_CALL_MAX:
            return None
        return Position(section, without_waiting=in_a_row, visited=position.visited + 1)


def _again(position: Position, *, was_wrong: bool) -> Position:
    return Position(
        position.section,
        asked_again=position.asked_again + 1,
        was_wrong=was_wrong,
        visited=position.visited + 1,
    )
