"""Rating: a number from 1 to the section's `rating_laps`."""

from typing import ClassVar, Final

from dialer.domain.figures.scales import whole_marks
from dialer.domain.survey.sections.appearance import Appearance, Colour
from dialer.domain.survey.sections.asking import AskingDefinition, count_numbers, number_of
from dialer.domain.survey.sections.fields import INPUT_FIELDS, PROMPT_FIELDS, IntegerField, SectionField
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import FieldName, Sentence, template

LAPS_MAX: Final = 1_000_000


class Rating(AskingDefinition):
    """A section that accepts a number from 1 to `rating_laps` as an answer, and records the number.

    An answer without a branch hangs up at once; the question is not repeated.
    """

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.RATING
    appearance: ClassVar[Appearance] = Appearance(
        template("Rating"),
        template("Asks for a mark, such as 1 to 5."),
        "m8 2 1.8 3.8 4.2.5-3.1 2.8.9 4.1L8 11.1l-3.8 2.1.9-4.1L2 6.3l4.2-.5z",
        Colour.ACCENT,
    )
    fields: ClassVar[tuple[SectionField, ...]] = (
        *PROMPT_FIELDS,
        IntegerField(
            "rating_laps",
            1,
            LAPS_MAX,
            description="The best rating (type 3). The lowest is 1.",
            example=5,
            title=template("Highest mark"),
            hint=template("The lowest mark is 1."),
            is_main=True,
        ),
        *INPUT_FIELDS,
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

    def ends_of_scale(self, section: Section) -> tuple[str, str] | None:
        """Return 1 and the best rating."""
        return "1", str(section.rating_laps)

    def marks(self, section: Section) -> tuple[str, ...]:
        """Return the ratings, if they are no more than `STEPS_MAX`."""
        return whole_marks(1, section.rating_laps)

    def count_answers(self, section: Section) -> int:
        """Return the number of different inputs that are ratings; 07 and 7 are two."""
        return count_numbers(1, section.rating_laps, self.digits_max(section))

    def why_wrong(self, section: Section, digits: str) -> str:  # noqa: ARG002 - the same for all
        """Return a description of the valid inputs, for an invalid one."""
        return Sentence("an answer is %(least)s to %(most)s", least=1, most=section.rating_laps)
