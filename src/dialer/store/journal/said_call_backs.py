"""Rows of call-backs that agents have promised during calls."""

from typing import NamedTuple

from dialer.domain.calls.plan_parts import SaidCallBack
from dialer.domain.calls.plans import Call


class SaidCallBackRow(NamedTuple):
    """The call-back of a subscriber that an agent has promised during the call."""

    promised_agent_id: int | None
    promised_until_ms: int
    said_subscriber_id: int


def said_call_back(call: Call, said: SaidCallBack) -> SaidCallBackRow:
    """Return who takes the call-back that an agent has promised in a call, and until when it waits for them."""
    agent_id, until_ms = said.promise or (None, 0)
    return SaidCallBackRow(agent_id, until_ms, call.subscriber.id)
