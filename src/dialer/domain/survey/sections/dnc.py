"""DNC: the callee asks not to be called again."""

from typing import ClassVar

from dialer.domain.survey.sections.actions import CallContext, DncWish
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SectionType


class Dnc(SectionDefinition):
    """A section that puts the callee on the campaign's do-not-call list, and ends the call after its prompt.

    All its answers are counted together, whatever the number.
    """

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.DNC
    keeps_wishes: ClassVar[bool] = True
    ends: ClassVar[bool] = True
    counted_as: ClassVar[str] = "DNC"
    reported_as: ClassVar[str] = "DNC"

    def before_prompt(self, section: Section, context: CallContext) -> DncWish:  # noqa: ARG002 - the same for all
        """Return the do-not-call request, which holds even if the callee hangs up during the prompt."""
        return DncWish(f"DNC: {context.number}")
