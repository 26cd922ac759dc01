"""Multi choice: one digit, and an answer for each digit."""

from typing import ClassVar, Final

from dialer.domain.figures.scales import as_mark, in_order, mark_of
from dialer.domain.survey.sections.appearance import Appearance, Colour
from dialer.domain.survey.sections.asking import AskingDefinition
from dialer.domain.survey.sections.fields import INPUT_FIELDS, PROMPT_FIELDS, SectionField, TextField
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import Sentence, template

LABEL_MAX: Final = 100
_EXAMPLES: Final = ("operator", "yes", "no", "maybe", "later", "repeat", "in German", "in French", "in Spanish", "stop")
CHOICES: Final = {
    str(digit): TextField(
        f"key_{digit}",
        LABEL_MAX,
        description=(
            f"The answer that the key {digit} stands for in a choice (type 2). Results show it."
            " Null or empty: the key is not offered."
        ),
        example=example,
    )
    for digit, example in enumerate(_EXAMPLES)
}
"""The field for each digit, with the answer that it stands for, or none. Together they become `key_labels`."""


class MultiChoice(AskingDefinition):
    """A section that accepts one digit as an answer, and records its label."""

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.MULTI_CHOICE
    appearance: ClassVar[Appearance] = Appearance(
        template("Choice"),
        template("Asks for a key. Each key leads where you want."),
        "M3.5 3.5h.1M8 3.5h.1M12.5 3.5h.1M3.5 8h.1M8 8h.1M12.5 8h.1M3.5 12.5h.1M8 12.5h.1M12.5 12.5h.1",
        Colour.ACCENT,
        stroke_width=2.6,
    )
    fields: ClassVar[tuple[SectionField, ...]] = (*PROMPT_FIELDS, *INPUT_FIELDS, *CHOICES.values())
    has_chosen_answers: ClassVar[bool] = True
    names_answers: ClassVar[bool] = True
    no_answer: ClassVar[str] = Sentence("none of key_0 to key_9 is set")

    def digits_max(self, section: Section) -> int:  # noqa: ARG002 - the same for all
        """Return the number of digits after which an input ends without `#`."""
        return 1

    def response_to(self, section: Section, digits: str) -> str | None:
        """Return the label of a digit; None for a digit without a label."""
        return section.key_labels.get(digits)

    def ends_of_scale(self, section: Section) -> tuple[str, str] | None:
        """Return the lowest and the highest label if all are numbers, such as 0 to 9."""
        marks = self.marks(section)
        return (marks[0], marks[-1]) if marks else None

    def marks(self, section: Section) -> tuple[str, ...]:
        """Return the labels in order if all are numbers; else none."""
        labels = section.key_labels.values()
        return tuple(in_order({*map(as_mark, labels)})) if all(mark_of(label) is not None for label in labels) else ()

    def count_answers(self, section: Section) -> int:
        """Return the number of digits with a label."""
        return len(section.key_labels)

    def why_wrong(self, section: Section, digits: str) -> str:  # noqa: ARG002 - the same for all
        """Return a description of the valid inputs, for an invalid one."""
        return Sentence("an answer is one digit whose key_n is set")
