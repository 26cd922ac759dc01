"""The flows to which next hops lead, as far as the addresses of their hosts are known."""

from collections.abc import Callable
from typing import Final

from dialer.carriers.parameters import is_address
from dialer.carriers.sip.flows import Flow, Target

NOWHERE_MS: Final = 60_000
"""Time for which a name without an address is not looked up again."""
NAMES_KEPT_MAX: Final = 1_000
"""Hosts whose addresses are kept. The oldest are forgotten first."""


class Resolution:
    """Turns the targets of messages into flows, and knows the carrier's flow of each leg.

    It is the only way from the place that a URI names to a flow.
    """

    def __init__(self, may_use: Callable[[Flow], bool]) -> None:
        """Prepare it. `may_use` says whether messages may be sent on a flow."""
        self._may_use: Final = may_use
        self.names: Final[dict[str, str]] = {}
        """The IP addresses of hosts, as far as they were found out."""
        self._nowhere: Final[dict[str, int]] = {}
        """Names without an address, and until when they count as such."""
        self._carriers: Final[dict[str, Flow]] = {}
        """The carrier's flow for each leg."""

    def way(self, target: Target, key: str, now_ms: int) -> Target | None:
        """Return the flow that a message of a leg takes to a target; None if it goes nowhere.

        A hop comes back as it is while the address of its name is not known.
        """
        resolved = self.resolved(target)
        if isinstance(resolved, Flow):
            is_usable = self._may_use(resolved)
        else:
            is_usable = self._nowhere.get(resolved.address[0], 0) <= now_ms
        return resolved if is_usable else self._carriers.get(key)

    def resolved(self, target: Target) -> Target:
        """Return the flow to a target, or the hop itself if the address of its name is not known."""
        if isinstance(target, Flow):
            return target
        name, port = target.address
        host = self.names.get(name, name)
        return Flow((host, port), target.transport) if is_address(host) else target

    def carrier_of(self, key: str) -> Flow | None:
        """Return the carrier's flow for a leg."""
        return self._carriers.get(key)

    def fall_back(self, key: str, carrier: Flow) -> None:
        """Set the carrier's flow for a leg: it takes what can be sent nowhere else."""
        self._carriers[key] = carrier

    def forget(self, key: str) -> None:
        """Discard the addresses of a leg that is over."""
        self._carriers.pop(key, None)

    def find(self, name: str, host: str) -> None:
        """Keep the IP address of a host."""
        if name not in self.names and len(self.names) >= NAMES_KEPT_MAX:
            del self.names[next(iter(self.names))]
        self.names[name] = host

    def lose(self, name: str, now_ms: int) -> None:
        """Note that a host name has no address. It is looked up again after `NOWHERE_MS`."""
        if name not in self._nowhere and len(self._nowhere) >= NAMES_KEPT_MAX:
            del self._nowhere[next(iter(self._nowhere))]
        self._nowhere[name] = now_ms + NOWHERE_MS
