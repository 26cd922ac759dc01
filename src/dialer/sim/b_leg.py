"""Simulated B-leg of a transfer, to a dialled number or to a queue agent."""

from typing import Final

from dialer.domain.enums import Cause
from dialer.domain.plans import LegOutcome, Transfer
from dialer.domain.survey.survey import Section
from dialer.sim.callee import Callee
from dialer.sim.callee_profile import read_agent


class Leg:
    """B-leg whose whole course is computed when it starts.

    The leg ends no later than `cut_ms`, when the call itself is cut.
    """

    __slots__ = ("_answered_ms", "_connected_ms", "outcome")

    def __init__(self, outcome: LegOutcome, connected_ms: int | None) -> None:
        self.outcome: Final = outcome
        self._answered_ms = outcome.answered_ms
        self._connected_ms = connected_ms

    def cut(self, now_ms: int) -> LegOutcome:
        """Return the outcome of a leg that is hung up from outside at `now_ms`, unless it ended before."""
        if now_ms >= self.outcome.ended_ms:
            return self.outcome
        answered_ms = self._answered_ms
        if answered_ms is None or answered_ms > now_ms:
            return LegOutcome(now_ms, Cause.NORMAL_CLEARING)
        is_connected = self._connected_ms is not None and self._connected_ms <= now_ms
        return LegOutcome(now_ms, Cause.NORMAL_CLEARING, answered_ms, is_connected)

    @classmethod
    def to_agent(cls, transfer: Transfer, caller: Callee, cut_ms: int) -> "Leg":
        """Return the leg to an agent, who took the call at the transfer's `answered_ms`."""
        answered_ms = transfer.answered_ms or 0
        talk = read_agent(transfer.parameters).talk
        ended_ms = min(answered_ms + caller.talks_ms(talk), answered_ms + transfer.talk_limit_ms, cut_ms)
        outcome = LegOutcome(ended_ms, Cause.NORMAL_CLEARING, answered_ms, is_connected=True)
        return cls(outcome, answered_ms)

    @classmethod
    def to_number(cls, transfer: Transfer, section: Section, caller: Callee, confirm_ms: int, cut_ms: int) -> "Leg":
        """Return the leg to a dialled number.

        `confirm_ms` is the length of the confirmation prompt, which the callee hears before they can accept the call.
        """
        callee = caller.other(transfer.number, transfer.place)
        started_ms = transfer.started_ms or 0
        fate = callee.fate
        if fate.cause is Cause.NO_ANSWER or fate.after_ms >= transfer.ring_limit_ms:
            return cls._unanswered(started_ms + transfer.ring_limit_ms, Cause.NO_ANSWER, cut_ms)
        if fate.cause is not None:
            return cls._unanswered(started_ms + fate.after_ms, fate.cause, cut_ms)
        answered_ms = started_ms + fate.after_ms
        if answered_ms >= cut_ms:
            return cls._unanswered(cut_ms, Cause.NORMAL_CLEARING, cut_ms)
        limit_ms = min(answered_ms + transfer.talk_limit_ms, cut_ms)
        if callee.hangs_up_after_ms is not None:
            limit_ms = min(limit_ms, answered_ms + callee.hangs_up_after_ms)
        connected_ms = _confirmed_ms(callee, section, answered_ms, confirm_ms)
        if connected_ms is None or connected_ms >= limit_ms:
            ended_ms = min(answered_ms + confirm_ms + section.timeout_ms, limit_ms)
            return cls(LegOutcome(ended_ms, Cause.NORMAL_CLEARING, answered_ms), None)
        ended_ms = limit_ms if callee.talks_on else min(connected_ms + caller.talks_ms(), limit_ms)
        return cls(LegOutcome(ended_ms, Cause.NORMAL_CLEARING, answered_ms, is_connected=True), connected_ms)

    @classmethod
    def _unanswered(cls, ended_ms: int, cause: Cause, cut_ms: int) -> "Leg":
        if ended_ms >= cut_ms:
            return cls(LegOutcome(cut_ms, Cause.NORMAL_CLEARING), None)
        return cls(LegOutcome(ended_ms, cause), None)


def _confirmed_ms(callee: Callee, section: Section, answered_ms: int, confirm_ms: int) -> int | None:
    """Return when caller and callee are connected, or None if the callee does not press the confirm key in time."""
    if not section.confirm_key:
        return answered_ms
    keys, after_ms = callee.presses(section.confirm_key)
    if keys[:1] != section.confirm_key or after_ms > section.timeout_ms:
        return None
    return answered_ms + confirm_ms + after_ms
