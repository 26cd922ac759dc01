"""Conference: the callee talks with other people in a room."""

from typing import ClassVar

from dialer.domain.survey.sections.actions import CallContext, ConferenceTalk
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.fields import COMMON_FIELDS, SectionField, TextField
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SectionType


class Conference(SectionDefinition):
    """A section that connects the callee to a conference room: the named one, else the campaign's own."""

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.CONFERENCE
    fields: ClassVar[tuple[SectionField, ...]] = (*COMMON_FIELDS, TextField("conference", 50))

    def after_prompt(self, section: Section, context: CallContext) -> ConferenceTalk:
        """Return the conference talk, with the name of its room."""
        room = section.conference or str(context.campaign_id)
        return ConferenceTalk(f"conf: {room}", room)
