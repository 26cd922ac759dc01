"""The other ends of dialogs and requests: the hosts beside the trunk whose messages are read.

Each datagram of a stranger is looked at here, so it costs the same however many calls there are.
"""

from collections import Counter
from collections.abc import Hashable
from typing import Final

from dialer.carriers.parameters import is_address
from dialer.carriers.sip.flows import Flow, Target
from dialer.carriers.sip.resolution import Resolution

PEER_MESSAGES_A_SECOND_MAX: Final = 20
"""Messages of one host within a second that are read, for each call and request of which it is the other end."""
_SECOND_MS: Final = 1_000


class Peers:
    """The hosts at the other end of each leg, and of each request that waits for a response.

    A leg has one, or one for each telephone that rings.
    """

    def __init__(self, resolution: Resolution) -> None:
        self._resolution: Final = resolution
        self._hosts: Final[dict[Hashable, tuple[str, ...]]] = {}
        self._counts: Final[Counter[str]] = Counter()
        self._names: Final[set[str]] = set()
        """The hosts among them that are names."""
        self._second = 0
        self._messages: Final[Counter[str]] = Counter()
        """The messages of each host within the present second."""

    def note(self, name: Hashable, target: Target, *, is_further: bool = False) -> None:
        """Set the host at the other end of a leg or a request. `is_further` adds a host to the known hosts."""
        known, host = self._hosts.get(name, ()), target.address[0]
        if is_further and host in known:
            return
        if not is_further:
            self.forget(name)
        self._hosts[name] = (*known, host) if is_further else (host,)
        self._counts[host] += 1
        if not is_address(host):
            self._names.add(host)

    def forget(self, name: Hashable) -> None:
        """Remove the hosts of a leg or a request that is over."""
        for host in self._hosts.pop(name, ()):
            self._counts[host] -= 1
            if not self._counts[host]:
                del self._counts[host]
                self._names.discard(host)

    def is_end(self, name: Hashable, flow: Flow) -> bool:
        """Return whether a flow leads to the other end of a leg or a request."""
        names = self._resolution.names
        return any(names.get(host, host) == flow.address[0] for host in self._hosts.get(name, ()))

    def count(self, now_ms: int, flow: Flow) -> None:
        """Count a message that was read, for the limit of its host."""
        if now_ms // _SECOND_MS != self._second:
            self._second = now_ms // _SECOND_MS
            self._messages.clear()
        self._messages[flow.address[0]] += 1

    def may_speak(self, now_ms: int, flow: Flow) -> bool:
        """Return whether messages of a host are read: the host is an end of a call, and below its limit this second."""
        sent = self._messages[flow.address[0]] if now_ms // _SECOND_MS == self._second else 0
        return sent < PEER_MESSAGES_A_SECOND_MAX * self._ends_at(flow.address[0])

    def _ends_at(self, address: str) -> int:
        names = self._resolution.names
        return self._counts[address] + sum(
            self._counts[name] for name in self._names if name != address and names.get(name) == address
        )
