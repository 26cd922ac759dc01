"""Hang up: the prompt, and the end of the call."""

from typing import ClassVar

from dialer.domain.survey.sections.appearance import Appearance, Colour
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import template


class HangUpSection(SectionDefinition):
    """A section that ends the call after its prompt."""

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.HANG_UP
    appearance: ClassVar[Appearance] = Appearance(
        template("Hang up"),
        template("Says goodbye, and ends the call."),
        "M4 4h8v8H4z",
        Colour.BAD,
    )
    ends: ClassVar[bool] = True
    has_answers: ClassVar[bool] = False
    has_chosen_answers: ClassVar[bool] = True
