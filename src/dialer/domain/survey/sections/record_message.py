"""Record message: the callee speaks after the prompt."""

from collections.abc import Mapping
from typing import ClassVar

from dialer.domain.survey.sections.actions import CallContext, VoiceRecording
from dialer.domain.survey.sections.appearance import Appearance, Colour
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import Sentence, template


class RecordMessage(SectionDefinition):
    """A section that records the callee's voice; recordings are counted by length."""

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.RECORD_MESSAGE
    appearance: ClassVar[Appearance] = Appearance(
        template("Recording"),
        template("Records what the callee says after the text."),
        "M8 9.5a2 2 0 0 0 2-2v-3a2 2 0 0 0-4 0v3a2 2 0 0 0 2 2zM3.8 7.5a4.2 4.2 0 0 0 8.4 0M8 11.7V14",
        Colour.ACCENT,
    )
    needs_prompt: ClassVar[bool] = True
    records_voices: ClassVar[bool] = True
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

    def sentences(
        self,
        section: Section,  # noqa: ARG002 - the same for all
        context: CallContext,  # noqa: ARG002
        queue_names: Mapping[int, str],  # noqa: ARG002
    ) -> tuple[Sentence, ...]:
        """Return a sentence that tells that the callee is recorded."""
        return (Sentence("What the callee says is recorded."),)
