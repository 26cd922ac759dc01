"""What a simulation came to for its agents and for the callers who waited for them."""

from typing import Final

import msgspec

from dialer.domain.enums import AmdStatus, Cause, LegType
from dialer.sim.simulation import Simulation

_SECOND_MS: Final = 1_000


class CallCentre(msgspec.Struct, frozen=True):
    """The figures of queues and agents; shares from 0 to 1, times in seconds."""

    agents: int
    live_answered: int
    """Calls that persons answered, as far as detection could tell."""
    queued: int
    """Transfers that came into a queue."""
    served: int
    abandoned: int
    """Calls that no agent took within two seconds of their transfer."""
    abandon_rate: float
    """The abandoned share of the calls that persons answered."""
    mean_wait: float
    """From the transfer to the agent, of those who were served."""
    utilisation: float
    """Of the agents' time, from the first dial to the end of the last talk, what they spent on calls and wrap-up."""


def call_centre_of(simulation: Simulation) -> CallCentre | None:
    """The figures of a simulation that is over; None for one without queues."""
    scenario, book = simulation.scenario, simulation.book
    if not scenario.queues:
        return None
    queued = [(call, transfer) for call, transfer in book.transfers.values() if transfer.queue_id is not None]
    served = [one for _, one in queued if one.answered_ms is not None and one.ended_ms is not None]
    live = sum(
        cdr.leg_type == LegType.A_LEG
        and cdr.hangup_cause_q850 == Cause.NORMAL_CLEARING
        and cdr.amd_status is not AmdStatus.MACHINE
        for cdr in book.cdrs
    )
    abandoned = len({call.id for call, transfer in queued if transfer.is_abandoned})
    wrap_up_ms = {
        agent_id: part.wrap_up_time * _SECOND_MS
        for part in scenario.agents
        for agent_id in range(part.id, part.id + part.count)
    }
    busy_ms = sum((one.ended_ms or 0) - (one.answered_ms or 0) + wrap_up_ms.get(one.agent_id or 0, 0) for one in served)
    span_ms = max((one.ended_ms or 0 for one in served), default=0) - min(
        (cdr.starting_ms for cdr in book.cdrs), default=0
    )
    agents = len(wrap_up_ms)
    waits_ms = [(one.answered_ms or 0) - one.joined_ms for one in served]
    return CallCentre(
        agents=agents,
        live_answered=live,
        queued=len(queued),
        served=len(served),
        abandoned=abandoned,
        abandon_rate=abandoned / live if live else 0.0,
        mean_wait=sum(waits_ms) / len(waits_ms) / _SECOND_MS if waits_ms else 0.0,
        utilisation=min(1.0, busy_ms / (agents * span_ms)) if agents and span_ms > 0 else 0.0,
    )


def render_call_centre(figures: CallCentre) -> list[str]:
    """The figures as lines of text."""
    wait = f"{figures.mean_wait:.1f} s"
    share = f"{figures.abandon_rate:.2%}"
    return [
        "",
        "Agents and queues",
        f"  {figures.agents} agents, busy {figures.utilisation:.1%} of the time",
        f"  {figures.queued} calls came into a queue; {figures.served} were served, on average after {wait}",
        f"  {figures.abandoned} of {figures.live_answered} calls that persons answered were abandoned: {share}",
    ]
