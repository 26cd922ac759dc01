"""Multi choice: one digit, each with the answer that it stands for."""

from typing import ClassVar, Final

from dialer.domain.enums import SectionType
from dialer.domain.survey.sections.asking import AskingDefinition
from dialer.domain.survey.sections.fields import COMMON_FIELDS, INPUT_FIELDS, SectionField, TextField
from dialer.domain.survey.survey import Section

LABEL_MAX: Final = 100
CHOICES: Final = {digit: TextField(f"key_{digit}", LABEL_MAX) for digit in "0123456789"}
"""The field of each digit: the answer that it stands for, or none. Together they become `key_labels`."""


class MultiChoice(AskingDefinition):
    """A section that takes one digit as an answer, and keeps its label."""

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.MULTI_CHOICE
    fields: ClassVar[tuple[SectionField, ...]] = (*COMMON_FIELDS, *INPUT_FIELDS, *CHOICES.values())
    has_chosen_answers: ClassVar[bool] = True
    no_answer: ClassVar[str] = "none of key_0 to key_9 is set"

    def digits_max(self, section: Section) -> int:  # noqa: ARG002 - the same for all
        """Return how many digits end an input by themselves."""
        return 1

    def response_to(self, section: Section, digits: str) -> str | None:
        """Return the label of a digit; None for one without a label."""
        return section.key_labels.get(digits)

    def count_answers(self, section: Section) -> int:
        """Return how many digits have a label."""
        return len(section.key_labels)

    def why_wrong(self, section: Section, digits: str) -> str:  # noqa: ARG002 - the same for all
        """Return which inputs are right, for an input that is not."""
        return "an answer is one digit whose key_n is set"
