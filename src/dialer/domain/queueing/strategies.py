"""The nine queue strategies: the order in which agents are asked, and the number asked at once.

They use the criteria of FreeSWITCH's mod_callcenter: the level first, then the strategy's own criterion, then the
position. Ties are broken by agent id.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from dialer.domain.queueing.plans import AgentFigures, TierPlan, Waiting
from dialer.domain.words.enums import QueueStrategy
from dialer.domain.words.moments import NEVER_MS

PROGRESSIVE_STEP_MS: Final = 10_000
"""The time, in milliseconds, before ring-progressively asks one more agent: mod_callcenter's default."""


Candidate: TypeAlias = tuple[TierPlan, AgentFigures]
"""An agent who can be asked now: the place in the queue, and the figures. It is a plain tuple, as many may be idle."""


class AgentTurn(NamedTuple):
    """A search for the agent of one call, with the inputs for random and round-robin choices."""

    seed: int
    waiting: Waiting
    last: TierPlan | None
    """The place of the agent whom the queue asked last, if they are still in it."""


def rank_candidates(strategy: QueueStrategy, turn: AgentTurn, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates in the order in which they are asked.

    Agents who have missed an offer since this call joined come after all others. Agents who answer are thus reached
    even if the strategy prefers those who do not. Among themselves, the agents who missed an offer are ordered by the
    time of their last offer, oldest first.
    """
    places = _places(strategy, turn, candidates)
    return [candidate for _, candidate in sorted(zip(places, candidates, strict=True))]


def _places(strategy: QueueStrategy, turn: AgentTurn, candidates: Sequence[Candidate]) -> list[tuple[int, ...]]:
    """Return the place of each candidate in the order. As many agents may be idle, it calls few functions."""
    figure_of, criterion = _FIGURES.get(strategy), _CRITERIA.get(strategy)
    joined_ms = turn.waiting.joined_ms
    return [
        (1, figures.last_offered_ms, tier.level, tier.position, tier.agent_id)
        if figures.let_ring_ms > joined_ms
        else (
            0,
            tier.level,
            figure_of(figures) if figure_of else criterion(tier, turn) if criterion else 0,
            tier.position,
            tier.agent_id,
        )
        for tier, figures in candidates
    ]


def next_agents(strategy: QueueStrategy, turn: AgentTurn, candidates: Sequence[Candidate]) -> list[int]:
    """Return the agents whose turn it is: all candidates of a queue that asks them together, else the first one."""
    if strategy is not QueueStrategy.RING_ALL:
        first = min(_places(strategy, turn, candidates), default=None)
        return [] if first is None else [first[-1]]
    return [tier.agent_id for tier, _ in rank_candidates(strategy, turn, candidates)]


def asks_again_at_ms(strategy: QueueStrategy, waiting: Waiting) -> int:
    """Return the time from which one more agent may be asked; `NEVER_MS` while the present offers must suffice."""
    if strategy is QueueStrategy.RING_ALL or not waiting.offers:
        return waiting.joined_ms
    if strategy is QueueStrategy.RING_PROGRESSIVELY:
        return max(waiting.offers.values()) + PROGRESSIVE_STEP_MS
    return NEVER_MS


def _round_robin(tier: TierPlan, turn: AgentTurn) -> int:
    """Rank agents behind the one asked last first. The round does not leave a level that has an agent to ask."""
    last = turn.last
    if last is None or tier.level != last.level:
        return 0
    return int((tier.position, tier.agent_id) <= (last.position, last.agent_id))


def _random(tier: TierPlan, turn: AgentTurn) -> int:
    """Return a draw that depends only on the seed, the call and the agent, on any machine."""
    name = b"%d:%d:%d" % (turn.seed, turn.waiting.call_id, tier.agent_id)
    return int.from_bytes(blake2b(name, digest_size=8, person=b"dialer queue").digest())


_FIGURES: Final[Mapping[QueueStrategy, Callable[[AgentFigures], int]]] = {
    QueueStrategy.LONGEST_IDLE_AGENT: attrgetter("last_bridge_end_ms"),
    QueueStrategy.AGENT_WITH_LEAST_TALK_TIME: attrgetter("talk_ms"),
    QueueStrategy.AGENT_WITH_FEWEST_CALLS: attrgetter("calls_answered"),
    QueueStrategy.SEQUENTIALLY_BY_AGENT_ORDER: attrgetter("last_offered_ms"),
}
"""The figure by which a strategy ranks agents. With those in neither table, only level and position count."""
_CRITERIA: Final[Mapping[QueueStrategy, Callable[[TierPlan, AgentTurn], int]]] = {
    QueueStrategy.ROUND_ROBIN: _round_robin,
    QueueStrategy.RANDOM: _random,
}
