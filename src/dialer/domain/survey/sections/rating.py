"""Rating: a number from 1 to the section's `rating_laps`."""

from typing import ClassVar, Final

from dialer.domain.survey.sections.asking import AskingDefinition, count_numbers, number_of
from dialer.domain.survey.sections.fields import COMMON_FIELDS, INPUT_FIELDS, IntegerField, SectionField
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import FieldName, Sentence

LAPS_MAX: Final = 1_000_000


class Rating(AskingDefinition):
    """A section that accepts a number from 1 to `rating_laps` as an answer, and records the number.

    An answer without a branch hangs up at once; the question is not repeated.
    """

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.RATING
    fields: ClassVar[tuple[SectionField, ...]] = (
        *COMMON_FIELDS,
        *INPUT_FIELDS,
        IntegerField("rating_laps", 1, LAPS_MAX),
    )
    asks_again_without_branch: ClassVar[bool] = False
    has_chosen_answers: ClassVar[bool] = True
    no_answer: ClassVar[str] = Sentence("%(field)s is below 1", field=FieldName("rating_laps"))

    def digits_max(self, section: Section) -> int:
        """Return the number of digits of the greatest rating."""
        return len(str(section.rating_laps))

    def response_to(self, section: Section, digits: str) -> str | None:
        """Return the digits of a rating; None for any other input."""
        value = number_of(digits)
        return digits if value is not None and 1 <= value <= section.rating_laps else None

    def count_answers(self, section: Section) -> int:
        """Return the number of different inputs that are ratings; 07 and 7 are two."""
        return count_numbers(1, section.rating_laps, self.digits_max(section))

    def why_wrong(self, section: Section, digits: str) -> str:  # noqa: ARG002 - the same for all
        """Return a description of the valid inputs, for an invalid one."""
        return Sentence("an answer is %(least)s to %(most)s", least=1, most=section.rating_laps)
