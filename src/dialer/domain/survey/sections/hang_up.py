"""Hang up: the prompt, and the end of the call."""

from typing import ClassVar

from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.words.enums import SectionType


class HangUpSection(SectionDefinition):
    """A section that ends the call after its prompt."""

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.HANG_UP
    ends: ClassVar[bool] = True
    has_answers: ClassVar[bool] = False
    has_chosen_answers: ClassVar[bool] = True
