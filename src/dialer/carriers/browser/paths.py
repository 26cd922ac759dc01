"""Paths to browsers (ICE-lite, RFC 8445 2.5): which addresses are believed to be those of which telephone.

Strangers get no answer, cost a look at their datagram, and leave nothing behind: a request counts only if it names a
telephone that was given a random name, and is signed with its random password.
"""

from collections import OrderedDict
from typing import Final

import msgspec

from dialer.carriers.browser.stun import StunError, read_request, write_success
from dialer.carriers.sip.flows import Address

TRANSACTIONS_KEPT_MAX: Final = 64
"""Requests of a telephone that are remembered, so that nobody sends one again from elsewhere."""


class BrowserPath:
    """The path to one telephone."""

    def __init__(self, ufrag: str, password: str, their_ufrag: str) -> None:
        """Prepare it for the user name and the password of our answer, and for the browser's part of the name."""
        self.ufrag: Final = ufrag
        self.password: Final = password
        self.their_ufrag: Final = their_ufrag
        self.remote: Address | None = None
        """The address of the browser; None before its first request."""
        self.heard_ms = 0
        """The moment of its last request."""
        self._transactions: Final[OrderedDict[bytes, Address]] = OrderedDict()

    def is_repeated_elsewhere(self, transaction: bytes, source: Address) -> bool:
        """Note a request, and return whether it came from another address before."""
        first = self._transactions.setdefault(transaction, source)
        if len(self._transactions) > TRANSACTIONS_KEPT_MAX:
            self._transactions.popitem(last=False)
        return first != source


class PathAnswer(msgspec.Struct, frozen=True):
    """The answer to a request, and the path that it belongs to."""

    path: BrowserPath
    data: bytes


class Paths:
    """The paths to all telephones over one port."""

    def __init__(self) -> None:
        self._by_name: Final[dict[str, BrowserPath]] = {}
        self._by_address: Final[dict[Address, BrowserPath]] = {}

    def add(self, path: BrowserPath) -> None:
        """Answer the requests of a telephone from now on."""
        self._by_name[path.ufrag] = path

    def remove(self, path: BrowserPath) -> None:
        """Answer the requests of a telephone no more."""
        self._by_name.pop(path.ufrag, None)
        self._leave(path)

    def at(self, source: Address) -> BrowserPath | None:
        """Return the path of an address; None for a stranger."""
        return self._by_address.get(source)

    def take(self, now_ms: int, data: bytes, source: Address) -> PathAnswer | None:
        """Return the answer to a request of STUN; None if it gets none.

        The telephone is at the address of its first request. It moves when it nominates another one.
        """
        try:
            request = read_request(data)
        except StunError:
            return None
        path = self._by_name.get(request.ours)
        if path is None or request.theirs != path.their_ufrag or not request.is_signed_with(path.password):
            return None
        if path.is_repeated_elsewhere(request.transaction, source):
            return None
        path.heard_ms = now_ms
        if path.remote is None or request.nominates:
            self._move(path, source)
        return PathAnswer(path, write_success(request, source, path.password))

    def _move(self, path: BrowserPath, source: Address) -> None:
        if path.remote == source:
            return
        other = self._by_address.get(source)
        if other is not None:
            # A page that was loaded anew may get the port of the one before.
            self._leave(other)
        self._leave(path)
        path.remote = source
        self._by_address[source] = path

    def _leave(self, path: BrowserPath) -> None:
        if path.remote is not None and self._by_address.get(path.remote) is path:
            del self._by_address[path.remote]
        path.remote = None

    def __len__(self) -> int:
        return len(self._by_name)
