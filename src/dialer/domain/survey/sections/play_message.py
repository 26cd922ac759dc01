"""Play message: a prompt without further action."""

from typing import ClassVar

from dialer.domain.survey.sections.appearance import Appearance
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import template


class PlayMessage(SectionDefinition):
    """A section that plays its prompt and continues."""

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.PLAY_MESSAGE
    appearance: ClassVar[Appearance] = Appearance(
        template("Message"),
        template("Says something, and goes on."),
        "M2.5 3h11v7.5h-6L4.5 13v-2.5h-2z",
    )
    needs_prompt: ClassVar[bool] = True
    has_answers: ClassVar[bool] = False
    has_chosen_answers: ClassVar[bool] = True
