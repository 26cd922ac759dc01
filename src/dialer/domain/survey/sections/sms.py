"""SMS: a text message to the callee, during the call."""

from collections.abc import Iterator
from typing import ClassVar

from dialer.domain.messages.templates import fill, variable
from dialer.domain.numbers.normal_form import NUMBER_INPUT_MAX
from dialer.domain.survey.findings import FindingCode, FindingLevel, Remark
from dialer.domain.survey.sections.actions import CallContext, MessageToSend
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.fields import COMMON_FIELDS, SCRIPT_MAX, SectionField, TextField
from dialer.domain.survey.survey import Section
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import FieldName, Sentence


class Sms(SectionDefinition):
    """A section that sends a text message to the callee, or to the number in the contact's variables."""

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.SMS
    fields: ClassVar[tuple[SectionField, ...]] = (*COMMON_FIELDS, TextField("sms_text", SCRIPT_MAX))
    sends_messages: ClassVar[bool] = True
    counted_as: ClassVar[str] = "SMS"

    def before_prompt(self, section: Section, context: CallContext) -> MessageToSend | None:
        """Return the message with its placeholders filled in; None for a section without a text."""
        if not section.sms_text:
            return None
        number = variable(context.additional_vars, "sms_phonenumber") or context.number
        text = fill(section.sms_text, context.full_name, context.additional_vars, context.number)
        return MessageToSend(f"SMS: {number[:NUMBER_INPUT_MAX]}", number, text)

    def remarks(self, section: Section) -> Iterator[Remark]:
        """Yield a warning if there is no text to send."""
        if not section.sms_text.strip():
            message = Sentence("%(field)s is empty: no message is sent.", field=FieldName("sms_text"))
            yield Remark(FindingLevel.WARNING, FindingCode.MISSING_TEXT, message)
