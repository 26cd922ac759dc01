"""Conference: the callee talks with other people in a room."""

from collections.abc import Mapping
from typing import ClassVar

from dialer.domain.survey.sections.actions import CallContext, ConferenceTalk
from dialer.domain.survey.sections.appearance import Appearance, Colour
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.fields import CLOSING_FIELDS, PROMPT_FIELDS, SectionField, TextField
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import Sentence, template


class Conference(SectionDefinition):
    """A section that connects the callee to a conference room: the named one, else the campaign's own."""

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.CONFERENCE
    appearance: ClassVar[Appearance] = Appearance(
        template("Conference"),
        template("Lets callees talk with each other in a room."),
        "M5.5 7.5a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4z"
        "M1.5 13c0-2.4 1.6-3.8 4-3.8S9.5 10.6 9.5 13M10.5 3.400a2.1 2.1 0 0 1 0 3.900M11.7 9.500c1.7.4 2.8 1.7 2.8 3.5",
        Colour.GOOD,
    )
    fields: ClassVar[tuple[SectionField, ...]] = (
        *PROMPT_FIELDS,
        TextField(
            "conference",
            50,
            description="The name of the conference room (type 8). Null: a room named after the campaign's id.",
            example="briefing",
            title=template("Name of the room"),
            hint=template("Empty: each campaign has a room of its own."),
            is_main=True,
        ),
        *CLOSING_FIELDS,
    )

    def after_prompt(self, section: Section, context: CallContext) -> ConferenceTalk:
        """Return the conference talk, with the name of its room."""
        room = section.conference or str(context.campaign_id)
        return ConferenceTalk(f"conf: {room}", room)

    def sentences(
        self,
        section: Section,
        context: CallContext,
        queue_names: Mapping[int, str],  # noqa: ARG002 - it has no queue
    ) -> tuple[Sentence, ...]:
        """Return a sentence that tells which conference the call joins."""
        if section.conference.strip():
            room = self.after_prompt(section, context).room
            return (Sentence("The call joins the conference “%(room)s”.", room=room),)
        return (Sentence("The call joins the conference of its campaign."),)
