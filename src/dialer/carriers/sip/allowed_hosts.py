"""The other ends of dialogs and requests: the hosts beside the trunk whose messages are read."""

from collections import Counter
from collections.abc import Hashable
from typing import Final

from dialer.carriers.sip.outputs import Address, Outputs

PEER_MESSAGES_A_SECOND_MAX: Final = 20
"""Messages of one host within a second that are read, for each call and request of which it is the other end."""
_SECOND_MS: Final = 1_000


class Peers:
    """The host at the other end of each dialog and of each request that waits for a response."""

    def __init__(self, wire: Outputs) -> None:
        self._wire: Final = wire
        self._hosts: Final[dict[Hashable, str]] = {}
        self._counts: Final[Counter[str]] = Counter()
        self._second = 0
        self._messages: Final[Counter[str]] = Counter()
        """The messages of each host within the present second."""

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

    def count(self, now_ms: int, source: Address) -> None:
        """Count a message that is read."""
        if now_ms // _SECOND_MS != self._second:
            self._second = now_ms // _SECOND_MS
            self._messages.clear()
        self._messages[source[0]] += 1

    def may_speak(self, now_ms: int, source: Address) -> bool:
        """Return whether a message of a host is read: it is the other end, and has not sent too many this second."""
        sent = self._messages[source[0]] if now_ms // _SECOND_MS == self._second else 0
        return sent < PEER_MESSAGES_A_SECOND_MAX * self._ends_at(source[0])

    def _ends_at(self, address: str) -> int:
        names = self._wire.names
        return self._counts[address] + sum(
            count for name, count in self._counts.items() if name != address and names.get(name) == address
        )
