"""Preparation of a process of a storm: a bug, a wrong wall clock, and signals that stop or end it in a transaction.

`dialer` itself knows nothing of this. `tests/forked.py` calls `prepare` in the new process before its command runs.
"""

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, Final

import msgspec
import psycopg

VARIABLE: Final = "DIALER_STORM"
"""Environment variable that holds a `Preparation` as JSON."""
FREEZE_IN_STEP: Final = signal.SIGRTMIN
"""Signal after which a worker stops itself at the end of its next step, before the commit."""
NEVER_MIND: Final = signal.SIGRTMIN + 3
"""Signal that takes `FREEZE_IN_STEP` and `FREEZE_IN_COPY` back, if they have not had their effect yet."""
FREEZE_IN_COPY: Final = signal.SIGRTMIN + 4
"""Signal after which a process stops itself when it has sent the first row of its next COPY."""
DIE_BEFORE_COMMIT: Final = signal.SIGRTMIN + 1
"""Signal after which a process kills itself at the end of its next unit of work that writes, before the commit."""
DIE_AFTER_COMMIT: Final = signal.SIGRTMIN + 2
"""Signal after which a process kills itself right after its next commit."""
LOG: Final = "service.log"


class Preparation(msgspec.Struct, frozen=True):
    """Everything that is odd about a process."""

    bug: str | None = None
    """Name of a bug of `tests.fleet.storm.planted`."""
    ahead_ms: int = 0
    """Time by which the wall clock of its machine is ahead."""
    lease_ms: int | None = None
    """Length of a lease; the product's if None."""

    def environ(self) -> dict[str, str]:
        """Return the environment variable that brings these values to `prepare`."""
        return {VARIABLE: msgspec.json.encode(self).decode()}


def prepare() -> None:
    """Prepare this process as the environment says, and append what it logs to `LOG`."""
    os.dup2(os.open(LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), sys.stderr.fileno())
    given = msgspec.json.decode(os.environ.pop(VARIABLE), type=Preparation)
    _set_wall_clock(given.ahead_ms)
    if given.lease_ms is not None:
        _set_leases(given.lease_ms)
    _set_traps()
    if given.bug is not None:
        from tests.fleet.storm.planted import plant  # noqa: PLC0415 - it imports much that only a bug needs

        plant(given.bug)


def _set_wall_clock(ahead_ms: int) -> None:
    seconds, nanoseconds = time.time, time.time_ns
    time.time = lambda: seconds() + ahead_ms / 1_000
    time.time_ns = lambda: nanoseconds() + ahead_ms * 1_000_000


def _set_leases(lease_ms: int) -> None:
    # The product, after its clock is set.
    from dialer.runtime.fleet import fleet_coordinator, remote_workers  # noqa: PLC0415 - as above
    from dialer.store.fleet import leases  # noqa: PLC0415 - as above
    from dialer.webhooks import deliverer  # noqa: PLC0415 - as above

    for module in (leases, fleet_coordinator, remote_workers, deliverer):
        if hasattr(module, "LEASE_MS"):
            setattr(module, "LEASE_MS", lease_ms)  # noqa: B010 - a constant


def _set_traps() -> None:
    """Install the signals' handlers, and the places in the product where they take effect."""
    from dialer.runtime.fleet.fleet_coordinator import FleetCoordinator  # noqa: PLC0415 - as above
    from dialer.store.database import database  # noqa: PLC0415 - as above

    set_off: set[int] = set()
    for number in (FREEZE_IN_STEP, FREEZE_IN_COPY, DIE_BEFORE_COMMIT, DIE_AFTER_COMMIT):
        signal.signal(number, lambda one, _frame: set_off.add(one))
    signal.signal(NEVER_MIND, lambda *_: set_off.difference_update((FREEZE_IN_STEP, FREEZE_IN_COPY)))

    def then(function: Callable[..., Any], trap: int, sent: signal.Signals) -> Callable[..., Any]:
        def wrapped(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as the function
            result = function(*arguments, **named)
            if trap in set_off:
                set_off.remove(trap)
                os.kill(os.getpid(), sent)
            return result

        return wrapped

    psycopg.Copy.write_row = then(psycopg.Copy.write_row, FREEZE_IN_COPY, signal.SIGSTOP)  # type: ignore[method-assign]
    FleetCoordinator.save = then(FleetCoordinator.save, FREEZE_IN_STEP, signal.SIGSTOP)  # type: ignore[method-assign]
    database._counted = then(database._counted, DIE_BEFORE_COMMIT, signal.SIGKILL)  # noqa: SLF001
    database.Database._write_with = then(  # type: ignore[method-assign] # noqa: SLF001
        database.Database._write_with,  # noqa: SLF001
        DIE_AFTER_COMMIT,
        signal.SIGKILL,
    )
