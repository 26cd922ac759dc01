"""Capture digits: a number with a given count of digits, optionally within bounds."""

from collections.abc import Iterator
from typing import ClassVar, Final

from dialer.domain.survey.findings import FindingCode, FindingLevel, Remark
from dialer.domain.survey.sections.asking import AskingDefinition, count_numbers, number_of
from dialer.domain.survey.sections.fields import COMMON_FIELDS, INPUT_FIELDS, BooleanField, IntegerField, SectionField
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import FieldName, Sentence

DIGITS_MAX: Final = 15
CAPTURED_MAX: Final = 10**DIGITS_MAX - 1
"""The greatest number that can be entered with `DIGITS_MAX` keys."""
MIN_NUMBER: Final = 0
MAX_NUMBER: Final = 99
"""The default range. Nobody who asks for four digits and leaves it as it is wants to refuse 1234."""


class CaptureDigits(AskingDefinition):
    """A section that accepts up to `number_digits` digits as an answer, and records them.

    With `validate_number`, the digits must make a number from `min_number` to `max_number`. The default range holds
    all numbers of two digits, and is ignored if more digits are asked for.
    """

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.CAPTURE_DIGITS
    fields: ClassVar[tuple[SectionField, ...]] = (
        *COMMON_FIELDS,
        *INPUT_FIELDS,
        BooleanField("validate_number"),
        IntegerField("number_digits", 1, DIGITS_MAX),
        IntegerField("min_number", 0, CAPTURED_MAX),
        IntegerField("max_number", 0, CAPTURED_MAX),
    )
    no_answer: ClassVar[str] = Sentence(
        "%(digits)s digits cannot make a number from %(least)s to %(most)s",
        digits=FieldName("number_digits"),
        least=FieldName("min_number"),
        most=FieldName("max_number"),
    )

    def digits_max(self, section: Section) -> int:
        """Return the number of digits after which an input ends without `#`."""
        return section.number_digits

    def response_to(self, section: Section, digits: str) -> str | None:
        """Return the digits if they make a valid number; else None."""
        value = number_of(digits)
        if value is None:
            return None
        is_wanted = not _has_range(section) or section.min_number <= value <= section.max_number
        return digits if is_wanted else None

    def count_answers(self, section: Section) -> int:
        """Return the number of different valid inputs; 07 and 7 are two."""
        if not _has_range(section):
            return sum(10**length for length in range(1, section.number_digits + 1))
        return count_numbers(max(0, section.min_number), section.max_number, section.number_digits)

    def remarks(self, section: Section) -> Iterator[Remark]:
        """Yield an error if no input is valid, and a warning if none with all digits is."""
        yield from super().remarks(section)
        count = section.number_digits
        if _has_range(section) and self.count_answers(section) > 0 and section.max_number < 10 ** (count - 1):
            message = Sentence(
                "An answer has up to %(digits)s digits, and all that have %(digits)s are refused: %(lowest)s is"
                " %(least)s, and %(highest)s is %(most)s. Set %(highest)s to %(greatest)s, or %(length)s to %(fewer)s,"
                " or switch off %(check)s.",
                lowest=FieldName("min_number"),
                highest=FieldName("max_number"),
                length=FieldName("number_digits"),
                check=FieldName("validate_number"),
                digits=count,
                least=section.min_number,
                most=section.max_number,
                greatest=10**count - 1,
                fewer=len(str(section.max_number)),
            )
            yield Remark(FindingLevel.WARNING, FindingCode.NARROW_RANGE, message)

    def why_wrong(self, section: Section, digits: str) -> str:
        """Return a description of the valid inputs, for an invalid one."""
        if len(digits) > section.number_digits or not _has_range(section):
            return Sentence("an answer has at most %(digits)s digits", digits=section.number_digits)
        return Sentence("an answer is %(least)s to %(most)s", least=section.min_number, most=section.max_number)


def _has_range(section: Section) -> bool:
    """Return whether a section refuses numbers outside of a range that its author has set."""
    is_default = (section.min_number, section.max_number) == (MIN_NUMBER, MAX_NUMBER)
    return section.validate_number and not is_default
