"""DNC: the callee asks not to be called again."""

from collections.abc import Mapping
from typing import ClassVar

from dialer.domain.survey.sections.actions import CallContext, DncWish
from dialer.domain.survey.sections.appearance import Appearance, Colour
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import Sentence, template


class Dnc(SectionDefinition):
    """A section that puts the callee on the campaign's do-not-call list, and ends the call after its prompt.

    All its answers are counted together, whatever the number.
    """

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.DNC
    appearance: ClassVar[Appearance] = Appearance(
        template("Do not call"),
        template("Never calls this number again, says so, and ends the call."),
        "M8 13.500a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM4.2 4.200l7.6 7.6",
        Colour.BAD,
    )
    keeps_wishes: ClassVar[bool] = True
    ends: ClassVar[bool] = True
    counted_as: ClassVar[str] = "DNC"
    reported_as: ClassVar[str] = "DNC"

    def before_prompt(self, section: Section, context: CallContext) -> DncWish:  # noqa: ARG002 - the same for all
        """Return the do-not-call request, which holds even if the callee hangs up during the prompt."""
        return DncWish(f"DNC: {context.number}")

    def sentences(
        self,
        section: Section,  # noqa: ARG002 - the same for all
        context: CallContext,  # noqa: ARG002
        queue_names: Mapping[int, str],  # noqa: ARG002
    ) -> tuple[Sentence, ...]:
        """Return a sentence that tells what becomes of the number."""
        return (Sentence("The number goes on the do-not-call list."),)
