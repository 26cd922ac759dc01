"""The base class of the section types that ask for keys."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar

from dialer.domain.survey.findings import FindingCode, FindingLevel, Remark
from dialer.domain.survey.inputs import AskAgain, InputResult, SectionInput
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.fields import INPUT_FIELDS, PROMPT_FIELDS, SectionField
from dialer.domain.survey.survey import BRANCH_ANY, BRANCH_INVALID, BRANCH_TIMEOUT, INPUT_END, Section
from dialer.domain.words.sentences import Sentence


class AskingDefinition(SectionDefinition, ABC):
    """A section type that waits for keys and takes the branch of the input."""

    __slots__ = ()

    fields: ClassVar[tuple[SectionField, ...]] = (*PROMPT_FIELDS, *INPUT_FIELDS)
    asks: ClassVar[bool] = True
    needs_prompt: ClassVar[bool] = True
    asks_again_without_branch: ClassVar[bool] = True
    """True for a type that repeats the question, while `retries` last, after a valid input without a branch."""
    no_answer: ClassVar[str]
    """The reason why no input is valid in a section without answers."""

    @abstractmethod
    def digits_max(self, section: Section) -> int:
        """Return the number of digits after which an input ends without `#`."""

    @abstractmethod
    def response_to(self, section: Section, digits: str) -> str | None:
        """Return the answer to record for an input; None for an invalid input or none."""

    @abstractmethod
    def count_answers(self, section: Section) -> int:
        """Return the number of different valid inputs; 07 and 7 are two."""

    @abstractmethod
    def why_wrong(self, section: Section, digits: str) -> str:
        """Return a description of the valid inputs, for an invalid one."""

    def takes(self, taken: SectionInput) -> bool:
        """Return whether an input is one of keys, or of none."""
        return not taken.branch

    def result_of(self, section: Section, taken: SectionInput) -> InputResult:
        """Return the answer to record for keys, and the branches to try: that of exactly the digits, else `any`.

        An invalid input, or none, repeats the question while `retries` last. After that, an invalid input takes the
        branch `invalid`, and no input takes `timeout`.
        """
        digits = taken.answer.partition(INPUT_END)[0][: self.digits_max(section)]
        response = self.response_to(section, digits)
        if response is None:
            branch = BRANCH_INVALID if digits else BRANCH_TIMEOUT
            return InputResult((branch,), asks_again=AskAgain.ALWAYS, was_wrong=bool(digits))
        asks_again = AskAgain.WITHOUT_BRANCH if self.asks_again_without_branch else AskAgain.NEVER
        return InputResult((digits, BRANCH_ANY), response, asks_again)

    def ways_out(self, section: Section) -> tuple[str, ...]:
        """Return the keys of the branches that a call can take: digits first, in order, then words."""
        branches = section.branches
        pressed = sorted((key for key in branches if self._is_answer(section, key)), key=lambda key: (len(key), key))
        words: list[str] = [key for key in (BRANCH_TIMEOUT, BRANCH_INVALID) if key in branches]
        if BRANCH_ANY in branches and self.count_answers(section) > len(pressed):
            words.insert(0, BRANCH_ANY)
        return (*pressed, *words)

    def remarks(self, section: Section) -> Iterator[Remark]:
        """Yield an error if no input is valid."""
        if self.count_answers(section) <= 0:
            message = Sentence("No input is valid: %(reason)s.", reason=self.no_answer)
            yield Remark(FindingLevel.ERROR, FindingCode.NO_ANSWER, message)

    def why_never_taken(self, section: Section, key: str) -> str:
        """Return the reason why no call takes a branch that is not among the section's ways out."""
        if key == BRANCH_ANY:
            return Sentence("every valid input has a branch of its own")
        return self.why_wrong(section, key)

    def _is_answer(self, section: Section, key: str) -> bool:
        """Return whether these keys are a complete and valid input."""
        return (
            len(key) <= self.digits_max(section) and INPUT_END not in key and self.response_to(section, key) is not None
        )


def number_of(digits: str) -> int | None:
    """Return the digits as an integer; None if the text is not made of ASCII digits."""
    return int(digits) if digits.isascii() and digits.isdigit() else None


def count_numbers(least: int, greatest: int, digits_max: int) -> int:
    """Return the number of inputs of at most `digits_max` digits that make a number within bounds; 07 and 7 are two."""
    return sum(max(0, min(greatest, 10**length - 1) - least + 1) for length in range(1, digits_max + 1))
