"""Names of the programs that talk in calls. A callee waits, so addresses serve the next calls too."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from dialer.webhooks.addresses import AddressGuard, resolved
from dialer.webhooks.names import NameLookups, Resolve, names_of

KEPT_S: Final = 30.0
"""The time for which the addresses of a name are not asked for again."""
KEPT_MAX: Final = 1_000
"""Names of accounts whose addresses are kept; those asked for longest ago are forgotten first."""


class _Kept(NamedTuple):
    addresses: Sequence[str]
    until_s: float


class CallNames:
    """The addresses of programs, which are kept for a moment for each account. A slow name is so for its account."""

    def __init__(self, resolve: Resolve = resolved, now_s: Callable[[], float] = time.monotonic) -> None:
        self._resolve: Final = resolve
        self._now_s: Final = now_s
        self._lookups: Final = NameLookups(now_s, by_account=True)
        self._lock: Final = threading.Lock()
        self._kept: Final[dict[tuple[int, str], _Kept]] = {}

    def addresses(self, host: str, port: int, *, networks: Sequence[str], account_id: int) -> Sequence[str]:
        """Return the addresses of a host that may be connected. Those that were kept are checked again.

        Raises:
            AddressError: the host has no address, or none that may be connected, or its addresses do not come in time.
        """
        guard = AddressGuard(tuple(networks), self._resolve, lookups=self._lookups)
        key = (account_id, host)
        with self._lock:
            kept = self._kept.get(key)
        if kept is not None and self._now_s() < kept.until_s and (allowed := guard.allowed(kept.addresses)):
            return allowed
        with names_of(account_id):
            found = guard.addresses(host, port)
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = _Kept(found, self._now_s() + KEPT_S)
            if len(self._kept) > KEPT_MAX:
                del self._kept[next(iter(self._kept))]
        return found
