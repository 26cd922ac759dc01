"""Facts about a call that both players of a survey need: the simulator, and a talk over a line."""

from collections.abc import Collection
from typing import Final

from dialer.domain.calls.plans import NO_AMD, Call, Subscriber
from dialer.domain.messages.templates import fill, values_of
from dialer.domain.survey.sections.actions import CallContext
from dialer.domain.words.enums import AmdBehavior, AmdStatus

UNWANTED: Final = {AmdBehavior.HUMAN_ONLY: AmdStatus.MACHINE, AmdBehavior.VOICEMAIL_ONLY: AmdStatus.PERSON}
"""Detection result that ends the call without playing the survey, by `amd_behavior`."""


def told_of(call: Call, amd_status: AmdStatus, names: Collection[str]) -> dict[str, str]:
    """Return what a program is told of a call: its numbers, how it came about, and the wanted values of the contact.

    All are texts, and empty ones are left out, as programs end the connection at any other value.
    """
    callee, plan = call.subscriber, call.plan
    is_inbound = call.is_inbound
    values = values_of(callee.full_name, callee.additional_vars, callee.number)
    told = {
        **{name: values.get(name, "") for name in names},
        "from_number": callee.number if is_inbound else call.callerid,
        "to_number": call.did_number if is_inbound else callee.number,
        "campaign": str(plan.id),
        "attempt": str(max(0, call.attempt)),
        "direction": "inbound" if is_inbound else "outbound",
        "amd": "" if call.amd == NO_AMD else amd_status.name.lower(),
    }
    return {name: value for name, value in told.items() if value}


def context_of(call: Call) -> CallContext:
    """Return the details of a call that a section may use."""
    callee = call.subscriber
    return CallContext(callee.number, callee.full_name, callee.additional_vars, call.callid, call.plan.id)


def spoken(script: str, callee: Subscriber) -> str:
    """Return a script as it is spoken to a callee, with its variables filled in."""
    if "{" not in script:
        return script
    return fill(script, callee.full_name, callee.additional_vars, callee.number, is_spoken=True)
