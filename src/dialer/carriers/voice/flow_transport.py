"""The contract of transports, by which the messages of a SIP gateway go and come."""

from collections.abc import Callable
from typing import Protocol

from dialer.carriers.sip.flows import Address, Flow

Take = Callable[[bytes, Flow], None]
"""Gets each message that comes, whole, with the flow by which it came. A response on that flow reaches its sender."""


class FlowTransport(Protocol):
    """Opens flows over one protocol, sends messages on them, and hands over those that come to `Take`."""

    @property
    def port(self) -> int:
        """Our port, at which the other side finds us."""

    async def open(self, address: Address) -> Flow:
        """Open the flow to an IP address and a port.

        Raises:
            OSError: nothing can be sent there.
        """

    def send(self, data: bytes, flow: Flow) -> None:
        """Send a message at once. One that cannot be sent is lost, as on the way: its sender notices by timers."""

    def close(self) -> None:
        """Close all flows. Nothing comes any more, and nothing is sent. It may be called again."""
