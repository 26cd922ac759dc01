"""The desks of agents: what happens on the floor, for the calls that agents take and for those that they place."""

from typing import Final

from dialer.domain.calls import agent_events, call_events, events
from dialer.domain.engine.preview_orders import PreviewOrders
from dialer.domain.engine.previews import Previews
from dialer.domain.engine.transfers import Transfers


class Desks:
    """The transfers to agents and the persons at whom agents look: both hear of the floor, in this order."""

    def __init__(self, transfers: Transfers, previews: Previews, orders: PreviewOrders) -> None:
        self._transfers: Final = transfers
        self._previews: Final = previews
        self._orders: Final = orders

    def open_queue(self, now_ms: int, event: agent_events.QueueOpened) -> None:
        """Add or update a queue."""
        self._transfers.open_queue(now_ms, event)
        self._orders.queue_changed()

    def open_agent(self, now_ms: int, event: agent_events.AgentOpened) -> None:
        """Add or update an agent, and note the orders of the agent."""
        self._transfers.open_agent(now_ms, event)
        self._orders.read(event.plan)

    def close_agent(self, now_ms: int, event: agent_events.AgentClosed) -> None:
        """Remove a deleted agent from queues, orders and previews."""
        self._transfers.close_agent(now_ms, event)
        self._orders.close_agent(now_ms, event.agent_id)

    def reached(self, now_ms: int, event: call_events.TransferReached) -> None:
        """Start the transfer of a call that has reached one, and end the reservation of its previewing agent."""
        self._transfers.reached(now_ms, event)
        self._previews.reached(event.call_id)

    def moved(self, now_ms: int, event: call_events.CallMoved) -> None:
        """Take a call that an agent has transferred. Nobody is dialled for the agent before the call waits again.

        Nobody who talks after it says an outcome if it goes to a number.
        """
        goes_on = event.reached.queue_id is not None
        self._transfers.leg_ended(now_ms, call_events.LegEnded(event.call_id, event.outcome), goes_on=goes_on)
        self.reached(now_ms, event.reached)

    def woken(self, now_ms: int, event: events.DistributorWoken) -> None:
        """Perform orders, and note that the floor is to be looked at. Agents who are consulted look at nobody."""
        if self._transfers.consultations.new:
            self._orders.make_way(now_ms, self._transfers.consultations.about_to_be_asked())
        self._transfers.woken(now_ms, event)
        self._orders.follow(now_ms)
