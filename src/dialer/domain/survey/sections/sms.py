"""SMS: a text message to the callee, during the call."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from dialer.domain.messages.sms_parts import MESSAGE_CHARACTERS_MAX
from dialer.domain.messages.templates import fill, variable
from dialer.domain.numbers.normal_form import NUMBER_INPUT_MAX
from dialer.domain.survey.findings import FindingCode, FindingLevel, Remark
from dialer.domain.survey.sections.actions import CallContext, MessageToSend
from dialer.domain.survey.sections.appearance import Appearance, Colour
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.fields import CLOSING_FIELDS, PROMPT_FIELDS, SCRIPT_MAX, SectionField, TextField
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import FieldName, Sentence, template


class Sms(SectionDefinition):
    """A section that sends a text message to the callee, or to the number in the contact's variables."""

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.SMS
    appearance: ClassVar[Appearance] = Appearance(
        template("Text message"),
        template("Sends a text message to the callee, and goes on."),
        "M2 3.500h12v9H2zM2 4l6 5 6-5",
        Colour.FAIR,
    )
    fields: ClassVar[tuple[SectionField, ...]] = (
        *PROMPT_FIELDS,
        TextField(
            "sms_text",
            SCRIPT_MAX,
            description=(
                "The text message that is sent to the callee (type 10), with variables as in `script`. Null: none."
            ),
            example="Thank you, {first_name}. We expect you on Monday.",
            title=template("Text message"),
            hint=template("The campaign needs a carrier for text messages."),
            is_main=True,
        ),
        *CLOSING_FIELDS,
    )
    sends_messages: ClassVar[bool] = True
    counted_as: ClassVar[str] = "SMS"

    def before_prompt(self, section: Section, context: CallContext) -> MessageToSend | None:
        """Return the message with its placeholders filled in; None for a section without a text."""
        if not section.sms_text:
            return None
        number = variable(context.additional_vars, "sms_phonenumber") or context.number
        person = (context.full_name, context.additional_vars, context.number)
        text = fill(section.sms_text, *person, most=MESSAGE_CHARACTERS_MAX)
        return MessageToSend(f"SMS: {number[:NUMBER_INPUT_MAX]}", number, text)

    def sentences(
        self,
        section: Section,
        context: CallContext,
        queue_names: Mapping[int, str],  # noqa: ARG002 - it has no queue
    ) -> tuple[Sentence, ...]:
        """Return a sentence with the message and its number."""
        message = self.before_prompt(section, context)
        if message is None:
            return ()
        to, text = message.number, message.text
        return (Sentence("A text message goes to %(number)s: “%(text)s”", number=to, text=text),)

    def remarks(self, section: Section) -> Iterator[Remark]:
        """Yield a warning if there is no text to send."""
        if not section.sms_text.strip():
            message = Sentence("%(field)s is empty: no message is sent.", field=FieldName("sms_text"))
            yield Remark(FindingLevel.WARNING, FindingCode.MISSING_TEXT, message)
