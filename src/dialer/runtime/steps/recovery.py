"""Recovery: a new engine restores what was in progress when the last engine ended.

It restores calls, messages on their way, messages that wait for their gateway, and expected callbacks. The rows record
how far each of them had come, and `Kernel.restore` lets the carrier compute the rest.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

from sqlalchemy import Connection, RowMapping

from dialer.domain.calls.plans import Call
from dialer.domain.calls.text_events import TextRestored
from dialer.runtime.steps.kernel import Kernel
from dialer.store.journal.journal import JournalStore
from dialer.store.queries.calls_in_progress import call_of, rows_in_progress, waiting_rows, waiting_text_of
from dialer.store.queries.load_engine import Loader
from dialer.store.queries.queues import call_backs_of, transfers_of
from dialer.store.queries.readable_rows import Unreadable, readable
from dialer.store.queries.selection import Shards
from dialer.store.tables import CallRequest, SmsMessage, WaitingText

_KINDS: Final = ("calls", "messages", "waiting_texts", "call_backs")


def attempts_in_progress(connection: Connection, loader: Loader, seed: int, unreadable: Unreadable) -> list[Call]:
    """Read the calls and messages in progress, in the order in which they were placed, without those that are odd."""
    rows = rows_in_progress(connection, loader.shards)
    plans = {plan.id: plan for plan in loader.plans_of(connection, {row["campaign_id"] for row in rows})}
    transfers = transfers_of(connection, [row["id"] for row in rows], seed, unreadable)

    def read(row: RowMapping) -> Call:
        call = call_of(row, plans[row["campaign_id"]])
        call.transfers = (transfers.get(call.id, ()) or ()) if not call.parts else ()
        return call

    attempts = []
    for row in rows:
        is_message = "message_id" in row
        if row["campaign_id"] in plans and (is_message or transfers.get(row["id"], ()) is not None):
            attempts += readable([row], (SmsMessage if is_message else CallRequest).__table__, read, unreadable)
    return attempts


def waiting_texts(connection: Connection, loader: Loader, unreadable: Unreadable) -> list[Call]:
    """Read the text messages that wait for room on a gateway, oldest first, without those that are odd."""
    rows = waiting_rows(connection, loader.shards)
    plans = {plan.id: plan for plan in loader.plans_of(connection, {row["campaign_id"] for row in rows})}
    of_open_campaigns = [row for row in rows if row["campaign_id"] in plans]
    return readable(
        of_open_campaigns,
        WaitingText.__table__,
        lambda row: waiting_text_of(row, plans[row["campaign_id"]]),
        unreadable,
    )


def take_up(
    connection: Connection,
    kernel: Kernel,
    journal: JournalStore,
    calls: Sequence[Call],
    waiting: Sequence[Call],
    *,
    shards: Shards,
    done_until_ms: Callable[[int], int],
) -> Counter[str]:
    """Restore these calls, the messages that wait, and the expected callbacks of the accounts in `shards`.

    Return their number by kind.

    `done_until_ms` returns the time up to which the events of an account are on record already.
    """
    taken = Counter(dict.fromkeys(_KINDS, 0))
    for due_ms, arrived in call_backs_of(connection, shards):
        kernel.expect_call_back(due_ms, arrived)
        taken["call_backs"] += 1
    for call in calls:
        journal.restored(call)
        kernel.restore(call, done_until_ms(call.plan.user_id))
        taken["messages" if call.parts else "calls"] += 1
    for message in waiting:
        kernel.apply(TextRestored(message))
        taken["waiting_texts"] += 1
    return taken
