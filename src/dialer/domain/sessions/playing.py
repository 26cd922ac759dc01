"""Facts about a call that both players of a survey need: the simulator, and a talk over a line."""

from typing import Final

from dialer.domain.calls.plans import Call, Subscriber
from dialer.domain.messages.templates import fill
from dialer.domain.survey.sections.actions import CallContext
from dialer.domain.words.enums import AmdBehavior, AmdStatus

UNWANTED: Final = {AmdBehavior.HUMAN_ONLY: AmdStatus.MACHINE, AmdBehavior.VOICEMAIL_ONLY: AmdStatus.PERSON}
"""Detection result that ends the call without playing the survey, by `amd_behavior`."""


def context_of(call: Call) -> CallContext:
    """Return the details of a call that a section may use."""
    callee = call.subscriber
    return CallContext(callee.number, callee.full_name, callee.additional_vars, call.callid, call.plan.id)


def spoken(script: str, callee: Subscriber) -> str:
    """Return a script as it is spoken to a callee, with its variables filled in."""
    if "{" not in script:
        return script
    return fill(script, callee.full_name, callee.additional_vars, callee.number, is_spoken=True)
