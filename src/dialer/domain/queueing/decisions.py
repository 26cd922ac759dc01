"""Decisions of the call-centre floor about waiting calls."""

import msgspec

from dialer.domain.words.reasons import TransferReason


class AgentOffer(msgspec.Struct, frozen=True):
    """A decision to ask an agent to take a call."""

    call_id: int
    agent_id: int


class Withdraw(msgspec.Struct, frozen=True):
    """A decision to stop asking an agent: another one took the call, time is up, or the caller left."""

    call_id: int
    agent_id: int


class Unserved(msgspec.Struct, frozen=True):
    """A decision of a queue to give up on a call, which leaves the queue."""

    call_id: int
    reason: TransferReason
    """`max_wait` or `no_agent`."""


Decision = AgentOffer | Withdraw | Unserved
