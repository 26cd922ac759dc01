"""Recovery: a new engine restores what was in progress when the last engine ended.

It restores calls, messages on their way, and expected callbacks. The rows record how far each of them had come, and
`Kernel.restore` lets the carrier compute the rest.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection

from dialer.domain.plans import Call
from dialer.runtime.kernel import Kernel
from dialer.store.journal.journal import JournalStore
from dialer.store.queries.floor import call_backs_of, transfers_of
from dialer.store.queries.loading import Loader
from dialer.store.queries.progress import call_of, rows_in_progress

_KINDS: Final = ("calls", "messages", "call_backs")


def attempts_in_progress(connection: Connection, loader: Loader, seed: int) -> list[Call]:
    """Read the calls and messages in progress, in the order in which they were placed."""
    rows = rows_in_progress(connection)
    plans = {plan.id: plan for plan in loader.plans_of(connection, {row["campaign_id"] for row in rows})}
    transfers = transfers_of(connection, [row["id"] for row in rows], seed)
    found: list[Call] = []
    for row in rows:
        plan = plans.get(row["campaign_id"])
        if plan is not None:
            call = call_of(row, plan)
            call.transfers = transfers.get(call.id, ()) if not call.parts else ()
            found.append(call)
    return found


def take_up(
    connection: Connection, kernel: Kernel, journal: JournalStore, calls: Sequence[Call], done_until_ms: int
) -> Counter[str]:
    """Restore these calls and all expected callbacks, and return their number by kind.

    Events up to `done_until_ms` are on record already.
    """
    taken = Counter(dict.fromkeys(_KINDS, 0))
    for due_ms, arrived in call_backs_of(connection):
        kernel.expect_call_back(due_ms, arrived)
        taken["call_backs"] += 1
    for call in calls:
        journal.restored(call)
        kernel.restore(call, done_until_ms)
        taken["messages" if call.parts else "calls"] += 1
    return taken
