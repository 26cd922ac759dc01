"""Orders about calls in which agents talk."""

from collections.abc import Callable

from dialer.api.crud import records
from dialer.api.crud.resource import Unit
from dialer.api.records.calls import CALLREQUESTS
from dialer.api.records.queues import AGENTS
from dialer.app.call_centre.live_calls import agent_in_call


def order_for_seen_call(unit: Unit, callrequest_id: int, order: Callable[[Unit, int], None]) -> None:
    """Give an order about a call that the caller sees. Agents give one only about a call in which they talk themselves.

    Raises:
        RecordNotFoundError: there is no such call, or the caller may not see it or its agent.
        RefusedError: no agent talks in the call.
    """
    records.require_seen(unit, CALLREQUESTS, callrequest_id)
    records.require_seen(unit, AGENTS, agent_in_call(unit.connection, callrequest_id))
    order(unit, callrequest_id)
