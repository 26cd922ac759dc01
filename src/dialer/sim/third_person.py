"""Simulated third persons, whom agents consult during calls."""

from msgspec.structs import replace

from dialer.domain.calls.leg_outcome import LegOutcome
from dialer.domain.calls.plans import Transfer
from dialer.domain.queueing.agents import AGENT_RING_MS_MAX
from dialer.domain.words.enums import Cause
from dialer.sim.agent_profile import read_agent
from dialer.sim.callee import Callee


def third_leg(callee: Callee, transfer: Transfer, *, is_rehearsal: bool) -> LegOutcome:
    """Return the outcome of the leg of a third person, who talks until they hang up, whoever talks with them.

    An agent answers as they take calls of a queue, whatever their telephone is.
    """
    if transfer.for_agent_id is not None:
        return _agents_leg(callee, transfer, is_rehearsal=is_rehearsal)
    started_ms, third = transfer.started_ms or 0, callee.third(transfer.number, transfer.place)
    fate = third.fate
    if fate.cause is Cause.NO_ANSWER or fate.after_ms >= transfer.ring_limit_ms:
        return LegOutcome(started_ms + transfer.ring_limit_ms, Cause.NO_ANSWER)
    answered_ms = started_ms + fate.after_ms
    if fate.cause is not None:
        return LegOutcome(answered_ms, fate.cause)
    talk_ms = third.hangs_up_after_ms or third.talks_ms()
    ended_ms = answered_ms + min(talk_ms, transfer.talk_limit_ms)
    return LegOutcome(ended_ms, Cause.NORMAL_CLEARING, answered_ms, is_connected=True)


def _agents_leg(callee: Callee, transfer: Transfer, *, is_rehearsal: bool) -> LegOutcome:
    started_ms, third = transfer.started_ms or 0, callee.third("", transfer.place)
    agent = read_agent(transfer.parameters)
    is_played = agent.is_person and not is_rehearsal
    after_ms, ring_ms = agent.answers_after_ms(third.chance, is_played=is_played), transfer.ring_limit_ms
    if after_ms > min(ring_ms, AGENT_RING_MS_MAX):
        return LegOutcome(started_ms + min(ring_ms, AGENT_RING_MS_MAX), Cause.NO_ANSWER)
    answered_ms = started_ms + after_ms
    talk_ms = transfer.talk_limit_ms if is_played else min(third.talks_ms(agent.talk), transfer.talk_limit_ms)
    return LegOutcome(answered_ms + talk_ms, Cause.NORMAL_CLEARING, answered_ms, is_connected=True)


def cut_at(leg: LegOutcome, at_ms: int) -> LegOutcome:
    """Return the outcome of a leg that ends at `at_ms`, unless it ended before."""
    if leg.ended_ms <= at_ms:
        return leg
    if leg.answered_ms is None or leg.answered_ms > at_ms:
        return LegOutcome(at_ms, Cause.NORMAL_CLEARING)
    return replace(leg, ended_ms=at_ms, cause=Cause.NORMAL_CLEARING)
