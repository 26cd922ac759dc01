"""Capture digits: a number of so many digits, within bounds if that is wanted."""

from typing import ClassVar, Final

from dialer.domain.enums import SectionType
from dialer.domain.survey.sections.asking import AskingDefinition, count_numbers, number_of
from dialer.domain.survey.sections.fields import COMMON_FIELDS, INPUT_FIELDS, BooleanField, IntegerField, SectionField
from dialer.domain.survey.survey import Section

DIGITS_MAX: Final = 15
CAPTURED_MAX: Final = 10**DIGITS_MAX - 1
"""The greatest number that so many keys can enter."""


class CaptureDigits(AskingDefinition):
    """A section that takes up to `number_digits` digits as an answer, and keeps them.

    With `validate_number` they must make a number from `min_number` to `max_number`.
    """

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.CAPTURE_DIGITS
    fields: ClassVar[tuple[SectionField, ...]] = (
        *COMMON_FIELDS,
        *INPUT_FIELDS,
        BooleanField("validate_number", default=True),
        IntegerField("number_digits", 1, DIGITS_MAX, 2),
        IntegerField("min_number", 0, CAPTURED_MAX, 0),
        IntegerField("max_number", 0, CAPTURED_MAX, 99),
    )
    no_answer: ClassVar[str] = "number_digits digits cannot make a number from min_number to max_number"

    def digits_max(self, section: Section) -> int:
        """Return how many digits end an input by themselves."""
        return section.number_digits

    def response_to(self, section: Section, digits: str) -> str | None:
        """Return the digits, if they make a number that is wanted."""
        value = number_of(digits)
        if value is None:
            return None
        is_wanted = not section.validate_number or section.min_number <= value <= section.max_number
        return digits if is_wanted else None

    def count_answers(self, section: Section) -> int:
        """Return how many different inputs are right; 07 and 7 are two."""
        if not section.validate_number:
            return sum(10**length for length in range(1, section.number_digits + 1))
        return count_numbers(max(0, section.min_number), section.max_number, section.number_digits)

    def why_wrong(self, section: Section, digits: str) -> str:
        """Return which inputs are right, for an input that is not."""
        if len(digits) > section.number_digits:
            return f"an answer has at most {section.number_digits} digits"
        return f"an answer is {section.min_number} to {section.max_number}"
