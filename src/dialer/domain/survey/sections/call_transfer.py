"""Call transfer: to a queue of agents, or to a number."""

from collections.abc import Iterator
from typing import ClassVar, Final

from dialer.domain.messages.templates import variable
from dialer.domain.numbers.emergency import spells_emergency
from dialer.domain.numbers.normal_form import NUMBER_INPUT_MAX, is_number
from dialer.domain.survey.findings import FindingCode, FindingLevel, Remark
from dialer.domain.survey.sections.actions import CallContext, Diversion
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.fields import (
    COMMON_FIELDS,
    SCRIPT_MAX,
    TIMEOUT,
    ReferenceField,
    SectionField,
    TextField,
)
from dialer.domain.survey.survey import BRANCH_DONE, BRANCH_TIMEOUT, Section
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import FieldName, Sentence

_TELEPHONE_KEYS: Final = frozenset("0123456789*#")


class CallTransfer(SectionDefinition):
    """A section that transfers the call to a queue, or else to a number, and continues when the transfer is over.

    The person who answers at the number may have to press `confirm_key` first.
    """

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.CALL_TRANSFER
    fields: ClassVar[tuple[SectionField, ...]] = (
        *COMMON_FIELDS,
        TIMEOUT,
        TextField("phonenumber", 64),
        TextField("confirm_script", SCRIPT_MAX),
        TextField("confirm_key", 1),
        ReferenceField("queue", "queue"),
    )
    transfers: ClassVar[bool] = True

    def after_prompt(self, section: Section, context: CallContext) -> Diversion:
        """Return the destination of the call: the contact's own variables may name another number."""
        if section.queue_id is not None:
            return Diversion(f"queue: {section.queue_id}", section.queue_id, "")
        number = variable(context.additional_vars, "transfer_phonenumber") or section.phonenumber
        return Diversion(f"phonenumber: {number[:NUMBER_INPUT_MAX]}", None, number)

    def branches_when_missed(self, section: Section) -> tuple[str, ...]:
        """Return `timeout`; without that branch, a transfer to a number continues as if it had been connected."""
        return (BRANCH_TIMEOUT, BRANCH_DONE) if section.queue_id is None else (BRANCH_TIMEOUT,)

    def ways_out(self, section: Section) -> tuple[str, ...]:
        """Return the keys of the branches that a call can take."""
        return tuple(key for key in (BRANCH_DONE, BRANCH_TIMEOUT) if key in section.branches)

    def remarks(self, section: Section) -> Iterator[Remark]:
        """Yield findings about a transfer to a number: no number to call, or no way to confirm the call."""
        if section.queue_id is not None:
            return
        if not section.phonenumber.strip():
            yield _no_destination(
                Sentence("The transfer has neither a %(field)s nor a queue.", field=FieldName("phonenumber"))
            )
        elif not is_number(section.phonenumber):
            yield _no_destination(
                Sentence(
                    "The transfer's %(field)s %(number)r is not a telephone number.",
                    field=FieldName("phonenumber"),
                    number=section.phonenumber,
                )
            )
        elif spells_emergency(section.phonenumber, None):
            yield _no_destination(
                Sentence(
                    "The transfer's %(field)s is an emergency number, which is never dialled.",
                    field=FieldName("phonenumber"),
                )
            )
        if not section.confirm_key:
            return
        if section.confirm_key not in _TELEPHONE_KEYS:
            message = Sentence(
                "Nobody can take the transfer: %(field)s %(key)r is none of 0 to 9, * and #.",
                field=FieldName("confirm_key"),
                key=section.confirm_key,
            )
            yield Remark(FindingLevel.ERROR, FindingCode.NO_ANSWER, message)
        if not section.confirm_script.strip():
            message = Sentence(
                "%(script)s is empty: nobody is told to press %(key)s.",
                script=FieldName("confirm_script"),
                key=FieldName("confirm_key"),
            )
            yield Remark(FindingLevel.WARNING, FindingCode.MISSING_PROMPT, message)


def _no_destination(message: str) -> Remark:
    return Remark(FindingLevel.ERROR, FindingCode.NO_DESTINATION, message)
