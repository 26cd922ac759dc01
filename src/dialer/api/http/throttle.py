"""Limits on guessing passwords: wrong passwords are counted for each user name at each address, and at all of them."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from math import ceil
from typing import Final, NamedTuple

from dialer.settings_values import USERNAME_MAX

PAIR_FAILURES_MAX: Final = 10
"""Wrong passwords for one user name from one address."""
ADDRESS_FAILURES_MAX: Final = 200
"""Wrong passwords from one address, for all user names together. Many users may share an address."""
NAME_FAILURES_MAX: Final = 100
"""Wrong passwords for one user name from all addresses together."""
NAME_WAIT_S: Final = 10.0
"""The time between two further attempts for such a user name, from addresses where nobody has signed in with it."""
WINDOW_S: Final = 300.0
"""The time in which the failures must fall, and the time for which a subject is blocked after its last failure."""
SUBJECTS_MAX: Final = 10_000
"""Pairs, and addresses, that are remembered; the subject that failed longest ago is forgotten first."""
ADDRESSES_KEPT_MAX: Final = 1_024
"""Addresses of clients that are kept as they are counted, because each request asks for its own several times."""
_ADDRESS_LENGTH_MAX: Final = 45
"""The longest IP address as text."""
_IPV6_HOST_BITS: Final = 64


class Throttle:
    """Wrong passwords of the last minutes by (user name, address), address and user name, in tables of bounded size.

    Only clients at the same address can block a user name there. Strangers elsewhere can slow it down, but not at
    addresses that are known for it. So nobody is locked out by a stranger.
    """

    def __init__(self, now_s: Callable[[], float] = time.monotonic) -> None:
        self._pairs: Final = _Failures(PAIR_FAILURES_MAX, now_s)
        self._addresses: Final = _Failures(ADDRESS_FAILURES_MAX, now_s)
        self._names: Final = _Failures(NAME_FAILURES_MAX, now_s, NAME_WAIT_S)

    def retry_after_s(self, username: str, address: str, *, is_known: bool = False) -> int:
        """Return the seconds until this address may try a password for this user name again; 0 for now."""
        own_s = max(self._pairs.blocked_s(_pair(username, address)), self._addresses.blocked_s(address))
        return own_s if is_known else max(own_s, self._names.blocked_s(username[:USERNAME_MAX]))

    def failed(self, username: str, address: str) -> None:
        """Count a wrong password of a user name at an address."""
        self._pairs.add(_pair(username, address))
        self._addresses.add(address)
        self._names.add(username[:USERNAME_MAX])


def _pair(username: str, address: str) -> tuple[str, str]:
    """Return the pair to count, cut to a length that bounds the table; a normalised name may be longer."""
    return username[:USERNAME_MAX], address


class _Record(NamedTuple):
    """The failures of one subject in the window that began with the first of them."""

    failures: int
    first_s: float
    last_s: float


class _Failures:
    """Failures by subject. A subject with `failures_max` of them waits for `wait_s` after each."""

    def __init__(self, failures_max: int, now_s: Callable[[], float], wait_s: float = WINDOW_S) -> None:
        self._failures_max: Final = failures_max
        self._wait_s: Final = wait_s
        self._now_s: Final = now_s
        self._records: Final[OrderedDict[Hashable, _Record]] = OrderedDict()

    def add(self, subject: Hashable) -> None:
        """Count one failure of a user name, an address or both."""
        now_s = self._now_s()
        record = self._records.pop(subject, None)
        if record is None or now_s - record.first_s >= WINDOW_S:
            record = _Record(0, now_s, now_s)
        self._records[subject] = _Record(record.failures + 1, record.first_s, now_s)
        if len(self._records) > SUBJECTS_MAX:
            self._records.popitem(last=False)

    def blocked_s(self, subject: Hashable) -> int:
        """Return the seconds for which a subject is still blocked."""
        record = self._records.get(subject)
        if record is None or record.failures < self._failures_max:
            return 0
        return max(0, ceil(record.last_s + self._wait_s - self._now_s()))


@lru_cache(maxsize=ADDRESSES_KEPT_MAX)
def client_address(host: str) -> str:
    """Return the address by which a client is counted.

    Of an IPv6 address it is the /64 network: every client has a whole one, so single addresses say nothing.
    """
    try:
        address = ip_address(host)
    except ValueError:
        return host[:_ADDRESS_LENGTH_MAX]
    if not isinstance(address, IPv6Address):
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(IPv6Address(int(address) >> _IPV6_HOST_BITS << _IPV6_HOST_BITS))
