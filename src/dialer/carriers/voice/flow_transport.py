"""The contract of transports, by which the messages of a SIP gateway go and come."""

from collections.abc import Callable
from typing import Protocol

from dialer.carriers.sip.flows import Address, Flow

Take = Callable[[bytes, Flow], None]
"""Gets each message that comes, whole, with the flow by which it came. A response on that flow reaches its sender."""


class OpenTransport(Protocol):
    """The flows of one gateway, open: sends messages on them."""

    @property
    def port(self) -> int:
        """Our port for SIP messages."""

    def send(self, data: bytes, flow: Flow) -> None:
        """Send a message at once. A message that cannot be sent is lost, and the sender's timers notice."""

    def close(self) -> None:
        """Close all flows. Further messages are neither received nor sent. A second call does nothing."""


class FlowTransport(OpenTransport, Protocol):
    """Opens flows over one protocol, sends messages on them, and hands over those that come to `Take`."""

    async def open(self, address: Address) -> Flow:
        """Open the flow to an IP address and a port.

        Raises:
            OSError: nothing can be sent there.
        """
