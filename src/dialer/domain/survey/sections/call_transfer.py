"""Call transfer: to a queue of agents, or to a number."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from dialer.domain.messages.templates import fill, variable
from dialer.domain.numbers.emergency import spells_emergency
from dialer.domain.numbers.normal_form import NUMBER_INPUT_MAX, is_number
from dialer.domain.survey.findings import FindingCode, FindingLevel, Remark
from dialer.domain.survey.inputs import CONNECTED, MISSED, InputResult, SectionInput
from dialer.domain.survey.sections.actions import CallContext, Diversion
from dialer.domain.survey.sections.appearance import Appearance, Colour
from dialer.domain.survey.sections.definition import SectionDefinition
from dialer.domain.survey.sections.fields import (
    CLOSING_FIELDS,
    PROMPT_FIELDS,
    SCRIPT_MAX,
    TIMEOUT,
    ReferenceField,
    SectionField,
    TextField,
)
from dialer.domain.survey.survey import BRANCH_DONE, BRANCH_TIMEOUT, Section
from dialer.domain.words.enums import SectionType
from dialer.domain.words.sentences import FieldName, Sentence, template

_TELEPHONE_KEYS: Final = frozenset("0123456789*#")


class CallTransfer(SectionDefinition):
    """A section that transfers the call to a queue, or else to a number, and continues when the transfer is over.

    The person who answers at the number may have to press `confirm_key` first.
    """

    __slots__ = ()

    type: ClassVar[SectionType] = SectionType.CALL_TRANSFER
    appearance: ClassVar[Appearance] = Appearance(
        template("Transfer"),
        template("Connects the callee with an agent or another number."),
        "M2 8h11M9.5 4.5 13 8l-3.5 3.5",
        Colour.GOOD,
    )
    fields: ClassVar[tuple[SectionField, ...]] = (
        *PROMPT_FIELDS,
        ReferenceField(
            "queue",
            "queue",
            description="The queue to which the call is transferred (type 6). Null: `phonenumber`.",
            title=template("Queue"),
        ),
        TextField(
            "phonenumber",
            64,
            description="The number to which the call is transferred (type 6), if `queue` is null. Null: none.",
            example="+12025550150",
            title=template("Number"),
        ),
        TIMEOUT,
        TextField(
            "confirm_script",
            SCRIPT_MAX,
            description=(
                "The text that the person at `phonenumber` hears before the transfer, if `confirm_key` is set. Agents"
                " of `queue` hear it over gateways that are not simulated. Null: none."
            ),
            example="A customer waits for you. Press one to take the call.",
            title=template("Text for the person who answers"),
            hint=template("Heard before the two are connected, if a key is needed."),
        ),
        TextField(
            "confirm_key",
            1,
            description=(
                "The key, 0 to 9, `*` or `#`, with which the person who hears `confirm_script` must accept the call."
                " Null: none needed."
            ),
            example="1",
            title=template("Key to take the call"),
            hint=template("Empty: the two are connected at once."),
        ),
        *CLOSING_FIELDS,
    )
    hints: ClassVar[Mapping[str, str]] = {
        "timeout": template("The time to press the key below."),
        "completed": template("The callee has completed the survey once somebody takes the call, and not by waiting."),
    }
    transfers: ClassVar[bool] = True

    def after_prompt(self, section: Section, context: CallContext) -> Diversion:
        """Return the destination of the call: the contact's own variables may name another number."""
        if section.queue_id is not None:
            return Diversion(f"queue: {section.queue_id}", section.queue_id, "")
        number = variable(context.additional_vars, "transfer_phonenumber") or section.phonenumber
        return Diversion(f"phonenumber: {number[:NUMBER_INPUT_MAX]}", None, number)

    def sentences(self, section: Section, context: CallContext, queue_names: Mapping[int, str]) -> tuple[Sentence, ...]:
        """Return sentences that tell to whom the call goes, and how that person takes it."""
        to = self.after_prompt(section, context)
        if to.queue_id is not None:
            name = queue_names.get(to.queue_id) or f"No. {to.queue_id}"
            return (Sentence("The call waits in the queue “%(queue)s” for an agent.", queue=name),)
        connected = Sentence("The call is connected with %(number)s.", number=to.number)
        if not section.confirm_key:
            return (connected,)
        text = fill(section.confirm_script, context.full_name, context.additional_vars, context.number).strip()
        key = section.confirm_key
        confirmed = Sentence("Whoever answers there hears “%(text)s” and must press %(key)s.", text=text, key=key)
        return connected, confirmed

    def takes(self, taken: SectionInput) -> bool:
        """Return whether an input is the outcome of a transfer."""
        return taken.branch in {CONNECTED, MISSED}

    def result_of(self, section: Section, taken: SectionInput) -> InputResult:
        """Return the branches to try: a connected transfer goes on like a section that was played.

        Another one takes `timeout`. Without that branch, a transfer to a number goes on as if it had been connected.
        """
        if taken.branch != MISSED:
            return InputResult(self.branches_when_done(section))
        return InputResult((BRANCH_TIMEOUT, BRANCH_DONE) if section.queue_id is None else (BRANCH_TIMEOUT,))

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
