"""Effects that store the changes on the floor since they were asked for last."""

from dialer.domain.calls.agent_effects import KeepAgent, KeepQueue
from dialer.domain.calls.call_effects import KeepTransfer
from dialer.domain.engine.state import EngineState
from dialer.domain.queueing.call_distributor import CallDistributor


def keep_changes(engine_state: EngineState, distributor: CallDistributor) -> None:
    """Store the offers of waiting calls, the agents, and the queues that have changed."""
    changes = distributor.changed()
    for waiting in changes.waiting:
        call = engine_state.calls[waiting.call_id]
        call.transfers[-1].offers = waiting.offers
        engine_state.emit(KeepTransfer(call, call.transfers[-1]))
    for agent_id in changes.agents.keys() | changes.statuses.keys():
        figures = changes.agents.get(agent_id)
        status, cause = changes.statuses.get(agent_id), changes.break_causes.get(agent_id, "")
        changes_owing = agent_id in changes.owing
        engine_state.emit(KeepAgent(agent_id, figures, status, break_cause=cause, changes_owing=changes_owing))
    for queue_id in changes.queues.keys() | changes.no_agent_from_ms.keys():
        last, since_ms = changes.queues.get(queue_id), changes.no_agent_from_ms.get(queue_id)
        engine_state.emit(KeepQueue(queue_id, last, since_ms))
