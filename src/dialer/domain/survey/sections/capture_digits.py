"""Capture digits: a number with a given count of digits, optionally within bounds."""

from collections.abc import Iterator
from typing import ClassVar, Final

from dialer.domain.figures.scales import STEPS_MAX, whole_marks
from dialer.domain.survey.findings import FindingCode, FindingLevel, Remark
from dialer.domain.survey.sections.appearance import Appearance, Colour
from dialer.domain.survey.sections.asking import AskingDefinition, count_numbers, number_of
from dialer.domain.survey.sections.fields import INPUT_FIELDS, PROMPT_FIELDS, BooleanField, IntegerField, SectionField
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import FieldName, Sentence, template

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
    appearance: ClassVar[Appearance] = Appearance(
        template("Digits"),
        template("Asks for a number, such as an amount or an order."),
        "M6.5 2.5 5 13.5M11 2.5 9.5 13.5M2.8 6h11M2.2 10h11",
        Colour.ACCENT,
    )
    fields: ClassVar[tuple[SectionField, ...]] = (
        *PROMPT_FIELDS,
        IntegerField(
            "number_digits",
            1,
            DIGITS_MAX,
            description="The most digits of an input (type 4). `#` ends a shorter one.",
            example=2,
            title=template("Most digits"),
            hint=template("The callee can end a shorter number with #."),
            is_main=True,
        ),
        BooleanField(
            "validate_number",
            description=(
                "True to accept only numbers from `min_number` to `max_number` (type 4). False: any digits."
                " The default range, 0 to 99, refuses nothing, however many digits are asked for."
            ),
            example=True,
            title=template("Only numbers of a range"),
            hint=template("Other numbers count as wrong input. 0 to 99 stands for any number."),
            is_main=True,
        ),
        IntegerField(
            "min_number",
            0,
            CAPTURED_MAX,
            description="The lowest number that is accepted (type 4), if `validate_number` is true.",
            example=0,
            title=template("Lowest number"),
            is_main=True,
        ),
        IntegerField(
            "max_number",
            0,
            CAPTURED_MAX,
            description=(
                "The highest number that is accepted (type 4), if `validate_number` is true. At least `min_number`."
            ),
            example=99,
            title=template("Highest number"),
            is_main=True,
        ),
        *INPUT_FIELDS,
    )
    pauses_recordings: ClassVar[bool] = True
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

    def ends_of_scale(self, section: Section) -> tuple[str, str] | None:
        """Return the ends of a short range, such as 0 to 10, whose numbers are marks; None for one of orders."""
        lowest, highest = _keyed(section)
        is_short = _has_range(section) and 0 <= highest - lowest < STEPS_MAX
        return (str(lowest), str(highest)) if is_short else None

    def marks(self, section: Section) -> tuple[str, ...]:
        """Return the numbers of a short range."""
        return whole_marks(*_keyed(section)) if self.is_scale(section) else ()

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


def _keyed(section: Section) -> tuple[int, int]:
    """Return the ends of the range, as far as numbers of so few digits reach; the second is less if none do."""
    return max(0, section.min_number), min(section.max_number, 10**section.number_digits - 1)


def _has_range(section: Section) -> bool:
    """Return whether a section refuses numbers outside of a range that its author has set."""
    is_default = (section.min_number, section.max_number) == (MIN_NUMBER, MAX_NUMBER)
    return section.validate_number and not is_default
