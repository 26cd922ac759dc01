"""The calls of the other side, and to which of them a request belongs."""

from typing import Final

from dialer.carriers.sip.inbound_leg import InboundLeg
from dialer.carriers.sip.messages import Received
from dialer.carriers.sip.transactions import INVITE


class InboundCalls:
    """The calls that came in, by their Call-ID and the tag of their From.

    One that is tried again after a refusal has the same ones (RFC 3261 8.1.3.5), so there may be several.
    """

    def __init__(self) -> None:
        self._legs: Final[dict[tuple[str, str], list[InboundLeg]]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, leg: InboundLeg) -> None:
        """Add an incoming call, so that later requests reach its leg."""
        self._legs.setdefault(_name(leg.invite), []).append(leg)
        self._count += 1

    def remove(self, leg: InboundLeg) -> None:
        """Remove an incoming call that is over."""
        legs = self._legs.get(_name(leg.invite), [])
        if leg in legs:
            legs.remove(leg)
            self._count -= 1
        if not legs:
            self._legs.pop(_name(leg.invite), None)

    def of(self, request: Received) -> InboundLeg | None:
        """Return the call of a request; None for the INVITE of another call.

        A request that names no call is one for the latest, which refuses it.
        """
        legs = self._legs.get(_name(request), [])
        found = next((leg for leg in reversed(legs) if leg.has(request)), None)
        is_new = request.method == INVITE and not request.to_tag
        return found if found is not None or is_new or not legs else legs[-1]


def _name(request: Received) -> tuple[str, str]:
    return request.call_id, request.from_tag
