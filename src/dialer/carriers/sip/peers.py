"""The other ends of dialogs and requests: the hosts beside the trunk whose messages are read."""

from collections import Counter
from collections.abc import Hashable
from typing import Final

from dialer.carriers.sip.wire import Address, Wire


class Peers:
    """The host at the other end of each dialog and of each request that waits for a response."""

    def __init__(self, wire: Wire) -> None:
        self._wire: Final = wire
        self._hosts: Final[dict[Hashable, str]] = {}
        self._counts: Final[Counter[str]] = Counter()

    def note(self, name: Hashable, address: Address) -> None:
        """Note the other end of a dialog or a request."""
        self.forget(name)
        self._hosts[name] = address[0]
        self._counts[address[0]] += 1

    def forget(self, name: Hashable) -> None:
        """Forget a dialog or a request that is over."""
        host = self._hosts.pop(name, None)
        if host is not None:
            self._counts[host] -= 1
            if not self._counts[host]:
                del self._counts[host]

    def is_end(self, name: Hashable, source: Address) -> bool:
        """Return whether an address is at the other end of a dialog or a request."""
        host = self._hosts.get(name)
        return host is not None and self._wire.names.get(host, host) == source[0]

    def __contains__(self, source: Address) -> bool:
        if source[0] in self._counts:
            return True
        return any(name in self._counts for name, host in self._wire.names.items() if host == source[0])
