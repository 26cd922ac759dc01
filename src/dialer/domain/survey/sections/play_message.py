"""Play message: a prompt without further action."""

from typing import ClassVar

from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.words.enums import SectionType


class PlayMessage(SectionDefinition):
    """A section that plays its prompt and continues."""

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.PLAY_MESSAGE
    needs_prompt: ClassVar[bool] = True
    has_answers: ClassVar[bool] = False
    has_chosen_answers: ClassVar[bool] = True
