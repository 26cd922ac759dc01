"""Limits on requests and on guessing passwords: those of one process, or those that several processes share."""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from math import ceil
from typing import Final, NamedTuple, Protocol

from dialer.api.http.rate_limit import PERIOD_S, SUBJECTS_MAX, RateLimit
from dialer.api.http.throttle import (
    ADDRESS_FAILURES_MAX,
    NAME_FAILURES_MAX,
    NAME_WAIT_S,
    PAIR_FAILURES_MAX,
    WINDOW_S,
    Throttle,
)
from dialer.store.database.database import Database
from dialer.store.rows.limits import count_wrong_password, forget_restored, restored_us, spend, wrong_passwords

PARTS: Final = 50
"""Parts of an allowance of a minute. A process takes one at a time, so it asks the database for few requests."""
SPEND_TRIES: Final = 3
"""Attempts to take a part while other processes take some, too."""
_SECOND_MS: Final = 1_000
_SECOND_US: Final = 1_000_000
_SUBJECT_BYTES: Final = 16


class Limits(Protocol):
    """The limits of a service."""

    @property
    def counts_requests(self) -> bool:
        """Return whether requests are limited, so that `take` is to be asked about each."""

    async def take(self, subject: str) -> int:
        """Take one request of a user or an address. Return 0, or the seconds to wait if none is left."""

    async def guess_after_s(self, username: str, address: str, *, is_known: bool) -> int:
        """Return the seconds until an address may try a password for a user name again; 0 for now.

        An address is known if the user has signed in there.
        """

    async def failed(self, username: str, address: str) -> None:
        """Count a wrong password against the username and against the address that it came from."""


class OwnLimits:
    """The limits of a service with one process, in memory."""

    def __init__(self, requests_a_minute: int | None, now_s: Callable[[], float]) -> None:
        self.counts_requests: Final = bool(requests_a_minute)
        self._rate_limit: Final = RateLimit(requests_a_minute, now_s) if requests_a_minute else None
        self._throttle: Final = Throttle(now_s)

    async def take(self, subject: str) -> int:
        """Take one request of a user or an address. Return 0, or the seconds to wait if none is left."""
        return self._rate_limit.take(subject) if self._rate_limit else 0

    async def guess_after_s(self, username: str, address: str, *, is_known: bool) -> int:
        """Return the seconds until an address may try a password for a user name again; 0 for now."""
        return self._throttle.retry_after_s(username, address, is_known=is_known)

    async def failed(self, username: str, address: str) -> None:
        """Count a wrong password against the username and against the address that it came from."""
        self._throttle.failed(username, address)


class SharedLimits:
    """The limits of a service with several processes, in its database.

    A process takes a part of a subject's allowance at a time. It lets a subject begin before it has taken anything, so
    subjects that are rarely seen cost nothing. For each process, a subject may have two parts more than its allowance.
    """

    def __init__(self, database: Database, requests_a_minute: int | None, clock_ms: Callable[[], int]) -> None:
        self._database: Final = database
        self._clock_ms: Final = clock_ms
        self.counts_requests: Final = bool(requests_a_minute)
        self._shares: Final = _Shares(database, requests_a_minute, clock_ms) if requests_a_minute else None

    async def take(self, subject: str) -> int:
        """Take one request of a user or an address. Return 0, or the seconds to wait if none is left."""
        return await self._shares.take(subject) if self._shares else 0

    async def guess_after_s(self, username: str, address: str, *, is_known: bool) -> int:
        """Return the seconds until an address may try a password for a user name again; 0 for now."""
        pair, name = _hashed(username, address), _hashed("", username)
        waits = {
            pair: _Wait(PAIR_FAILURES_MAX, WINDOW_S),
            _hashed(address): _Wait(ADDRESS_FAILURES_MAX, WINDOW_S),
            **({} if is_known else {name: _Wait(NAME_FAILURES_MAX, NAME_WAIT_S)}),
        }
        wrong = await self._database.read(partial(wrong_passwords, subjects=list(waits)))
        now_s = self._clock_ms() / _SECOND_MS
        ends_s = [
            record.last_ms / _SECOND_MS + waits[subject].wait_s
            for subject, record in wrong.items()
            if record.failures >= waits[subject].failures_max
        ]
        return max(0, ceil(max(ends_s, default=now_s) - now_s))

    async def failed(self, username: str, address: str) -> None:
        """Count a wrong password against the username and against the address that it came from."""
        subjects = [_hashed(username, address), _hashed(address), _hashed("", username)]
        window_ms = round(WINDOW_S * _SECOND_MS)
        await self._database.write_without_lock(
            partial(count_wrong_password, subjects=subjects, now_ms=self._clock_ms(), window_ms=window_ms)
        )


class _Wait(NamedTuple):
    """The number of wrong passwords from which a subject waits, and for how long after each."""

    failures_max: int
    wait_s: float


class _Share:
    """The part of a subject's allowance that this process may use."""

    def __init__(self, begins_with: int, now_us: int) -> None:
        self.left = begins_with
        self.owed = begins_with
        """Requests that were allowed before they were taken from the allowance."""
        self.refused_until_us = 0
        self.taken_us = now_us


class _Shares:
    """The shares of all subjects, in a table of bounded size."""

    def __init__(self, database: Database, requests_a_minute: int, clock_ms: Callable[[], int]) -> None:
        self._database: Final = database
        self._clock_ms: Final = clock_ms
        self._part: Final = max(1, requests_a_minute // PARTS)
        self._period_us: Final = round(PERIOD_S * _SECOND_US)
        self._interval_us: Final = max(1, self._period_us // requests_a_minute)
        self._shares: Final[OrderedDict[str, _Share]] = OrderedDict()
        self._forgotten_us = 0

    async def take(self, subject: str) -> int:
        """Take one request of a user or an address. Return 0, or the seconds to wait if none is left."""
        now_us = self._clock_ms() * (_SECOND_US // _SECOND_MS)
        share = self._share_of(subject, now_us)
        if not share.left and now_us >= share.refused_until_us:
            await self._refill(subject, share, now_us)
        if share.left:
            share.left -= 1
            return 0
        return max(1, ceil((share.refused_until_us - now_us) / _SECOND_US))

    def _share_of(self, subject: str, now_us: int) -> _Share:
        share = self._shares.pop(subject, None)
        if share is None or now_us - share.taken_us >= self._period_us:
            share = _Share(self._part, now_us)
        share.taken_us = now_us
        self._shares[subject] = share
        if len(self._shares) > SUBJECTS_MAX:
            self._shares.popitem(last=False)
        return share

    async def _refill(self, subject: str, share: _Share, now_us: int) -> None:
        """Take a part of the subject's allowance, after what is owed for the first one."""
        key, latest_us = _hashed(subject), now_us + self._period_us
        owed, share.owed = share.owed, 0  # No other request of this process pays it again.
        for _ in range(SPEND_TRIES):
            before_us = max(now_us, await self._database.read(partial(restored_us, subject=key)))
            taken = min(self._part + owed, (latest_us - before_us) // self._interval_us)
            if taken <= owed:
                share.owed = owed
                share.refused_until_us = before_us + (owed + 1) * self._interval_us - self._period_us
                return
            cost_us = taken * self._interval_us
            spending = partial(spend, subject=key, cost_us=cost_us, now_us=now_us, latest_us=latest_us)
            if await self._database.write_without_lock(spending):
                share.left += taken - owed
                await self._forget(now_us)
                return
        share.owed, share.refused_until_us = owed, now_us + _SECOND_US

    async def _forget(self, now_us: int) -> None:
        """Delete old rows once a minute."""
        if now_us - self._forgotten_us >= self._period_us:
            self._forgotten_us = now_us
            await self._database.write_without_lock(partial(forget_restored, now_us=now_us))


def _hashed(*parts: str) -> str:
    """Return the name of a subject in the database, which says nothing about a person."""
    text = "\x00".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=_SUBJECT_BYTES).hexdigest()
