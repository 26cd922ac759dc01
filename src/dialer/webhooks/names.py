"""Names of receivers, looked up within a limit of time. A slow name costs its own account only."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from queue import Empty, SimpleQueue
from typing import Final, TypeAlias

NAME_S: Final = 5.0
"""The time for a name."""
SLOW_S: Final = 60.0
"""The time for which a name that took too long is not asked for again."""
SLOW_MAX: Final = 1_000
"""Slow names that are remembered."""
LOOKUPS_OF_ACCOUNT_MAX: Final = 8
"""Lookups of an account that have not ended, those included for which nobody waits any more."""
LOOKUPS_MAX: Final = 256

Resolve: TypeAlias = Callable[[str, int], Sequence[str]]
"""Returns the addresses of a name; raises OSError if it has none."""

_ACCOUNT: Final[ContextVar[int]] = ContextVar("account_of_names", default=0)


class SlowNameError(OSError):
    """Raised for a name whose addresses did not come in time."""


@contextmanager
def names_of(account_id: int) -> Iterator[None]:
    """Count the names that are looked up within the context, in its threads too, for an account."""
    token = _ACCOUNT.set(account_id)
    try:
        yield
    finally:
        _ACCOUNT.reset(token)


def account_of_names() -> int:
    """Return the account whose webhooks' names are looked up; 0 without one."""
    return _ACCOUNT.get()


class NameLookups:
    """The lookups of host names of a process. Each has its own thread, because a lookup that hangs cannot be ended."""

    def __init__(self, now_s: Callable[[], float] = time.monotonic, *, by_account: bool = False) -> None:
        """With `by_account`, a slow name is so for its account, and no longer than until its addresses come."""
        self._by_account: Final = by_account
        self._now_s: Final = now_s
        self._lock: Final = threading.Lock()
        self._open: Final[Counter[int]] = Counter()
        self._slow: Final[dict[tuple[int, str], float]] = {}

    def addresses(self, resolve: Resolve, host: str, port: int) -> Sequence[str]:
        """Return the addresses that `resolve` finds for a host, if they come in time.

        Raises:
            SlowNameError: it does not, or did not a moment ago, or the account has too many such names.
            OSError: the name has no address.
        """
        account_id = _ACCOUNT.get()
        name = (account_id if self._by_account else 0, host)
        self._begin(account_id, name)
        answers: SimpleQueue[Sequence[str] | Exception] = SimpleQueue()

        def look_up() -> None:
            try:
                answers.put(resolve(host, port))
                self._came(name)
            except Exception as error:  # noqa: BLE001 - raised where somebody waits for it
                answers.put(error)
            finally:
                self._end(account_id)

        threading.Thread(target=look_up, daemon=True).start()
        try:
            answer = answers.get(timeout=NAME_S)
        except Empty:
            self._remember(name, answers)
            raise SlowNameError from None
        if isinstance(answer, Exception):
            raise answer
        return answer

    def _begin(self, account_id: int, name: tuple[int, str]) -> None:
        with self._lock:
            is_slow = self._slow.get(name, 0.0) > self._now_s()
            is_full = self._open[account_id] >= LOOKUPS_OF_ACCOUNT_MAX or self._open.total() >= LOOKUPS_MAX
            if is_slow or is_full:
                raise SlowNameError
            self._open[account_id] += 1

    def _end(self, account_id: int) -> None:
        with self._lock:
            self._open[account_id] -= 1
            if not self._open[account_id]:
                del self._open[account_id]

    def _came(self, name: tuple[int, str]) -> None:
        """Ask again for a name whose addresses came late, as whoever resolves names has them now."""
        with self._lock:
            if self._by_account:
                self._slow.pop(name, None)

    def _remember(self, name: tuple[int, str], answers: SimpleQueue[Sequence[str] | Exception]) -> None:
        with self._lock:
            if self._by_account and not answers.empty():
                return
            self._slow.pop(name, None)
            self._slow[name] = self._now_s() + SLOW_S
            if len(self._slow) > SLOW_MAX:
                del self._slow[next(iter(self._slow))]
