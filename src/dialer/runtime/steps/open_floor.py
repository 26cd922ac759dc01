"""OpenFloor: the queues, agents and inbound numbers of which one engine knows."""

from collections.abc import Set as AbstractSet
from typing import Final

from msgspec import structs

from dialer.domain.calls import agent_events, call_events, events
from dialer.runtime.steps.engine_rows import in_scope
from dialer.runtime.steps.kernel import Kernel
from dialer.store.database.touched import Touched
from dialer.store.queries.load_engine import LoadedRows


class OpenFloor:
    """The call centre of one engine, kept up to date with the rows."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel: Final = kernel
        self._queues: dict[int, frozenset[int]] = {}
        """Agents who serve each queue."""
        self._agents: set[int] = set()
        self._dids: dict[int, int | None] = {}
        """Campaign that answers each inbound number."""

    def scope(self, touched: Touched, accounts: AbstractSet[int]) -> Touched:
        """Return the touched rows and their dependents, of the accounts only those that the engine uses."""
        if touched.everything:
            return touched
        serving = {queue_id for queue_id, agent_ids in self._queues.items() if agent_ids & touched.agents}
        answered = {did_id for did_id, campaign_id in self._dids.items() if campaign_id in touched.campaigns}
        return structs.replace(
            touched,
            accounts=touched.accounts & accounts,
            queues=touched.queues | serving,
            dids=touched.dids | answered,
        )

    def apply(self, world: LoadedRows, scope: Touched) -> None:
        """Apply queues, agents and inbound numbers to the engine."""
        kernel = self._kernel
        queues = {queue.plan.id: frozenset(tier.agent_id for tier in queue.plan.tiers) for queue in world.queues}
        agents = {agent.plan.id for agent in world.agents}
        dids = {did.did_id: None if did.plan is None else did.plan.id for did in world.dids}
        gone_queues = in_scope(self._queues.keys(), scope, scope.queues) - queues.keys()
        gone_agents = in_scope(self._agents, scope, scope.agents) - agents
        gone_dids = in_scope(self._dids.keys(), scope, scope.dids) - dids.keys()
        engine_events: list[events.Event] = [
            *map(agent_events.QueueClosed, sorted(gone_queues)),
            *map(agent_events.AgentClosed, sorted(gone_agents)),
            *map(call_events.DidClosed, sorted(gone_dids)),
            *world.agents,
            *world.queues,
            *world.dids,
        ]
        for event in engine_events:
            kernel.apply(event)
        for queue_id in gone_queues:
            del self._queues[queue_id]
        for did_id in gone_dids:
            del self._dids[did_id]
        self._queues |= queues
        self._agents -= gone_agents
        self._agents |= agents
        self._dids |= dids
