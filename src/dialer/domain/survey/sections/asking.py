"""The base of the types of section that ask for keys."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from dialer.domain.survey.findings import FindingCode, FindingLevel, Remark
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.fields import COMMON_FIELDS, INPUT_FIELDS, SectionField
from dialer.domain.survey.survey import BRANCH_ANY, BRANCH_INVALID, BRANCH_TIMEOUT, INPUT_END, Section


class AskingDefinition(SectionDefinition, ABC):
    """A type of section that waits for keys, and goes on by the branch of the input."""

    __slots__ = ()

    fields: ClassVar[tuple[SectionField, ...]] = (*COMMON_FIELDS, *INPUT_FIELDS)
    asks: ClassVar[bool] = True
    needs_prompt: ClassVar[bool] = True
    asks_again_without_branch: ClassVar[bool] = True
    no_answer: ClassVar[str]
    """Why no input is right where there are no answers."""

    @abstractmethod
    def digits_max(self, section: Section) -> int:
        """Return how many digits end an input by themselves."""

    @abstractmethod
    def response_to(self, section: Section, digits: str) -> str | None:
        """Return what is kept of an input as the answer; None for a wrong input or none."""

    @abstractmethod
    def count_answers(self, section: Section) -> int:
        """Return how many different inputs are right; 07 and 7 are two."""

    @abstractmethod
    def why_wrong(self, section: Section, digits: str) -> str:
        """Return which inputs are right, for an input that is not."""

    def ways_out(self, section: Section) -> tuple[str, ...]:
        """Return the keys of the branches that a call can take: digits first, in order, then words."""
        branches = section.branches
        pressed = sorted((key for key in branches if self._is_answer(section, key)), key=lambda key: (len(key), key))
        words: list[str] = [key for key in (BRANCH_TIMEOUT, BRANCH_INVALID) if key in branches]
        if BRANCH_ANY in branches and self.count_answers(section) > len(pressed):
            words.insert(0, BRANCH_ANY)
        return (*pressed, *words)

    def remarks(self, section: Section) -> Iterator[Remark]:
        """Yield an error if no input is ever right."""
        if self.count_answers(section) <= 0:
            message = f"No input is ever right: {self.no_answer}."
            yield Remark(FindingLevel.ERROR, FindingCode.NO_ANSWER, message)

    def why_never_taken(self, section: Section, key: str) -> str:
        """Return why no call takes a branch of the section, which is none of its ways out."""
        if key == BRANCH_ANY:
            return "every right input has a branch of its own"
        return self.why_wrong(section, key)

    def _is_answer(self, section: Section, key: str) -> bool:
        """Whether an input can be exactly these keys, and right."""
        return (
            len(key) <= self.digits_max(section) and INPUT_END not in key and self.response_to(section, key) is not None
        )


def number_of(digits: str) -> int | None:
    """Return the number that was entered; None if it is none."""
    return int(digits) if digits.isascii() and digits.isdigit() else None


def count_numbers(least: int, greatest: int, digits_max: int) -> int:
    """Return how many inputs of at most so many digits make a number within bounds; 07 and 7 are two."""
    return sum(max(0, min(greatest, 10**length - 1) - least + 1) for length in range(1, digits_max + 1))
