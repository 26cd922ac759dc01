"""Record message: the callee speaks after the prompt."""

from typing import ClassVar

from dialer.domain.survey.sections.actions import CallContext, VoiceRecording
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SectionType


class RecordMessage(SectionDefinition):
    """A section that records the callee's voice; recordings are counted by length."""

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.RECORD_MESSAGE
    needs_prompt: ClassVar[bool] = True
    counted_as: ClassVar[str] = "> 90 seconds"
    counted_lengths: ClassVar[tuple[tuple[int, str], ...]] = (
        (20, "0 - 20 seconds"),
        (40, "21 - 40 seconds"),
        (60, "41 - 60 seconds"),
        (90, "61 - 90 seconds"),
    )

    def after_prompt(self, section: Section, context: CallContext) -> VoiceRecording:
        """Return the recording, named after the call and the section."""
        return VoiceRecording(f"{context.callid}-{section.id}.wav")
