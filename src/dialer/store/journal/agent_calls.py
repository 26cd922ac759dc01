"""Which calls count towards the share of abandoned ones."""

from typing import Final

from dialer.domain.calls.plans import Call, CallOutcome

NOT_FOR_AGENTS: Final = (0, 0)


def for_agents(call: Call, outcome: CallOutcome) -> tuple[int, int]:
    """Return 1 for a live call, and 1 for an abandoned one, of a campaign whose survey leads to queues; else 0.

    The former is the denominator of the share of abandoned calls. They are integers, because the driver adapts Booleans
    one by one.
    """
    if call.attempt <= 0 or not outcome.is_live:
        return NOT_FOR_AGENTS
    return 1, 1 if any(transfer.is_abandoned for transfer in call.transfers) else 0
