"""A floor with short methods, for scenarios that are worked out by hand."""

from typing import Any, Final

from dialer.domain.queueing.call_distributor import CallDistributor
from dialer.domain.queueing.decisions import AgentOffer, Decision
from dialer.domain.queueing.plans import AgentFigures, AgentPlan, LeftEarly, QueuePlan, TierPlan
from dialer.domain.words.enums import AgentStatus, QueueStrategy

START_MS: Final = 1_795_168_800_000
"""2026-11-20 10:00:00 UTC. Scenarios count seconds from here."""
QUEUE: Final = 1


def at(seconds: float) -> int:
    """Return the moment `seconds` after the start."""
    return START_MS + round(seconds * 1_000)


def tiers(*places: tuple[int, int, int]) -> tuple[TierPlan, ...]:
    """Return tiers from triples of agent, level and position."""
    return tuple(TierPlan(*place) for place in places)


class Hall:
    """One queue and its agents, who are all available at the start. Times are in seconds."""

    def __init__(
        self,
        strategy: QueueStrategy = QueueStrategy.TOP_DOWN,
        *places: tuple[int, int, int],
        figures: dict[int, AgentFigures] | None = None,
        wrap_up_s: int = 0,
        seed: int = 1,
        last_agent_id: int = 0,
        **settings: Any,  # noqa: ANN401 - any field of a plan
    ) -> None:
        self.distributor: Final = CallDistributor(seed=seed)
        self.distributor.open_queue(QueuePlan(QUEUE, strategy, tiers(*places), **settings), last_agent_id)
        for agent_id, _, _ in places:
            plan = AgentPlan(agent_id, 1, AgentStatus.AVAILABLE, wrap_up_ms=wrap_up_s * 1_000)
            self.distributor.open_agent(plan, (figures or {}).get(agent_id))

    def status(self, agent_id: int, status: AgentStatus) -> None:
        """Set the status of an agent."""
        self.distributor.open_agent(AgentPlan(agent_id, 1, status))

    def join(self, seconds: float, call_id: int, number: str = "") -> list[Decision]:
        """Put a call that was just answered into the queue, and return the floor's decisions."""
        self.distributor.join(at(seconds), call_id, QUEUE, number, at(seconds))
        return self.decide(seconds)

    def decide(self, seconds: float) -> list[Decision]:
        """Return the floor's decisions at a moment, and check that it does not repeat them."""
        decisions = self.distributor.decide(at(seconds))
        assert self.distributor.decide(at(seconds)) == []
        return decisions

    def wakes(self, seconds: float) -> float:
        """Return the seconds after the start at which the floor wants to decide again."""
        return (self.distributor.wakes_at_ms(at(seconds)) - START_MS) / 1_000

    def asked(self, seconds: float) -> list[int]:
        """Return the agents who are offered a call at a moment, in order."""
        return [one.agent_id for one in self.decide(seconds) if isinstance(one, AgentOffer)]

    def rings(self, *seconds: float) -> list[tuple[float, list[int]]]:
        """Return the agents to whom a call is offered at each moment, if nobody takes it."""
        return [(moment, self.asked(moment)) for moment in seconds]

    def serve(self, seconds: float, call_id: int, talk_s: float) -> list[int]:
        """Let the first agent take a call and talk for `talk_s`. Return the agents to whom it was offered."""
        asked = [one.agent_id for one in self.join(seconds, call_id) if isinstance(one, AgentOffer)]
        assert self.distributor.taken(at(seconds), call_id, asked[0]) is not None
        assert self.distributor.released(at(seconds + talk_s), call_id) == asked[0]
        return asked


def left(seconds: float, number: str, score_from: float) -> LeftEarly:
    """Return a callee who left the queue early."""
    return LeftEarly(QUEUE, number, at(score_from), at(seconds))
