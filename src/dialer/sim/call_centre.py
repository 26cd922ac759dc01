"""Figures of a simulation about agents and the callers who waited for them."""

from collections.abc import Sequence
from statistics import fmean
from typing import Final

import msgspec

from dialer.domain.calls.plans import Transfer
from dialer.domain.queueing.agents import TAKES_CALLS
from dialer.domain.words.enums import AmdStatus, Cause, LegType
from dialer.sim.simulation import Simulation

_SECOND_MS: Final = 1_000


class CallCentre(msgspec.Struct, frozen=True):
    """Figures of queues and agents. Rates are from 0 to 1, times are in seconds."""

    agents: int
    """Number of agents who took calls when the simulation began."""
    live_answered: int
    """Outbound calls that persons answered. Calls detected as a machine do not count."""
    queued: int
    """Transfers that entered a queue, from outbound and inbound calls."""
    served: int
    """Queued transfers that an agent took."""
    abandoned: int
    """Calls of `live_answered` that no agent took within two seconds of their transfer."""
    abandon_rate: float
    """Abandoned share of `live_answered`."""
    mean_wait: float
    """Mean time from the transfer to the agent, over all served transfers."""
    utilisation: float
    """Share of agents' time spent on calls and wrap-up, from the first dial to the end of the last talk."""


def call_centre_of(simulation: Simulation) -> CallCentre | None:
    """Return the figures of a finished simulation, or None if its scenario has no queues."""
    if not simulation.scenario.queues:
        return None
    queued = [(call.id, one) for call, one in simulation.store.transfers.values() if one.queue_id is not None]
    served = [one for _, one in queued if one.answered_ms is not None]
    live_ids = _live_ids(simulation)
    abandoned_ids = live_ids & {call_id for call_id, one in queued if one.is_abandoned}
    wrap_up_ms = _wrap_up_ms(simulation)
    return CallCentre(
        agents=len(wrap_up_ms),
        live_answered=len(live_ids),
        queued=len(queued),
        served=len(served),
        abandoned=len(abandoned_ids),
        abandon_rate=len(abandoned_ids) / len(live_ids) if live_ids else 0.0,
        mean_wait=fmean(_answered_ms(one) - one.joined_ms for one in served) / _SECOND_MS if served else 0.0,
        utilisation=_utilisation(simulation, served, wrap_up_ms) if served else 0.0,
    )


def render_call_centre(figures: CallCentre) -> list[str]:
    """Return the figures as lines of text."""
    wait = f"{figures.mean_wait:.1f} s"
    share = f"{figures.abandon_rate:.2%}"
    return [
        "",
        "Agents and queues",
        f"  {figures.agents} agents, busy {figures.utilisation:.1%} of the time",
        f"  {figures.queued} calls entered a queue; {figures.served} were served, on average after {wait}",
        f"  {figures.abandoned} of {figures.live_answered} calls that persons answered were abandoned: {share}",
    ]


def _live_ids(simulation: Simulation) -> set[int | None]:
    """Return the ids of outbound calls that persons answered.

    The campaign answers inbound calls, so they do not count.
    """
    dids = set(simulation.scenario.dids)
    return {
        cdr.callrequest_id
        for cdr in simulation.store.cdrs
        if cdr.leg_type == LegType.A_LEG
        and cdr.hangup_cause_q850 == Cause.NORMAL_CLEARING
        and cdr.amd_status is not AmdStatus.MACHINE
        and cdr.phone_number not in dids
    }


def _wrap_up_ms(simulation: Simulation) -> dict[int, int]:
    """Return the wrap-up time of each agent who takes calls, by agent id."""
    return {
        agent_id: part.wrap_up_time * _SECOND_MS
        for part in simulation.scenario.agents
        if part.status in TAKES_CALLS
        for agent_id in range(part.id, part.id + part.count)
    }


def _utilisation(simulation: Simulation, served: Sequence[Transfer], wrap_up_ms: dict[int, int]) -> float:
    """Return the share of agents' time that was busy.

    The part of a wrap-up time after the end of the last talk does not count.
    """
    first_ms = min(cdr.starting_ms for cdr in simulation.store.cdrs)
    last_ms = max(_ended_ms(one) for one in served)
    busy_ms = sum(min(_ended_ms(one) + wrap_up_ms[one.agent_id or 0], last_ms) - _answered_ms(one) for one in served)
    return busy_ms / (len(wrap_up_ms) * (last_ms - first_ms)) if last_ms > first_ms else 0.0


def _answered_ms(transfer: Transfer) -> int:
    return transfer.answered_ms or 0


def _ended_ms(transfer: Transfer) -> int:
    return transfer.ended_ms or 0
