"""Planted bugs of events: small changes that lose, repeat or misplace them, which the fault simulator must find."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import pytest
from sqlalchemy import Connection

from dialer.domain.calls import call_effects, campaign_effects, effects
from dialer.store.database.database import Database, StorageUnavailableError
from dialer.store.journal import account_events as journal
from dialer.store.journal.account_events import AccountEventRows
from dialer.store.rows import account_events as store
from dialer.store.rows.account_events import EventRow
from tests.runtime.broken import Wrapped, wrap
from tests.vopr.database import FaultyDatabase
from tests.vopr.planted import Planted

Patch = pytest.MonkeyPatch


def _changed(change: Callable[[list[EventRow]], Sequence[EventRow]]) -> Callable[[Patch], None]:
    """Return a function that makes steps write other events."""

    def plant(patch: Patch) -> None:
        def around(write_events: Wrapped) -> Wrapped:
            return lambda connection, rows: write_events(connection, change(list(rows)))

        wrap(patch, journal, "write_events", around)

    return plant


def _without(effect: type) -> Callable[[Patch], None]:
    """Return a function that makes the observer deaf to an effect."""

    def plant(patch: Patch) -> None:
        def around(init: Wrapped) -> Wrapped:
            def deaf(self: AccountEventRows) -> None:
                init(self)
                self.handlers[effect] = None

            return deaf

        wrap(patch, AccountEventRows, "__init__", around)

    return plant


def _beside(patch: Patch, flush: Callable[[list[EventRow], Callable[[], None], bool], None]) -> None:
    """Let steps put their events into a queue, which is written in a transaction of its own after theirs."""
    queue: list[EventRow] = []
    patch.setattr(journal, "write_events", lambda _connection, rows: queue.extend(rows))

    def around(with_fault: Wrapped) -> Wrapped:
        def queued(self: FaultyDatabase, *arguments: Any) -> Any:  # noqa: ANN401 - as `_with`
            def write() -> None:
                rows = list(queue)
                queue.clear()
                Database.write_now(self, lambda connection: _insert(connection, rows))

            is_done = False
            try:
                result = with_fault(self, *arguments)
                is_done = True
            finally:
                flush(queue, write, is_done)
            return result

        return queued

    wrap(patch, FaultyDatabase, "_with", around)


def _insert(connection: Connection, rows: Sequence[EventRow]) -> None:
    store.write_events(connection, rows)


def _events_are_written_though_the_step_was_rolled_back(patch: Patch) -> None:
    def flush(queue: list[EventRow], write: Callable[[], None], _is_done: bool) -> None:  # noqa: FBT001 - as it is called
        if queue:
            write()

    _beside(patch, flush)


def _events_are_written_after_the_commit(patch: Patch) -> None:
    def flush(queue: list[EventRow], write: Callable[[], None], is_done: bool) -> None:  # noqa: FBT001 - as it is called
        if queue and is_done:
            write()
        queue.clear()

    _beside(patch, flush)


def _events_are_written_again_after_a_retry(patch: Patch) -> None:
    """Keep the events of a step that failed for the next one, which has them again."""
    last: list[EventRow] = []
    failed: list[EventRow] = []

    def around_write(write_events: Wrapped) -> Wrapped:
        def write(connection: Connection, rows: Sequence[EventRow]) -> None:
            last[:] = rows
            write_events(connection, [*failed, *rows])

        return write

    def around_unit(with_fault: Wrapped) -> Wrapped:
        def unit(self: FaultyDatabase, *arguments: Any) -> Any:  # noqa: ANN401 - as `_with`
            last.clear()
            try:
                result = with_fault(self, *arguments)
            except StorageUnavailableError:
                failed.extend(last)
                raise
            failed.clear()
            return result

        return unit

    wrap(patch, journal, "write_events", around_write)
    wrap(patch, FaultyDatabase, "_with", around_unit)


def _campaigns_end_before_their_calls_begin(patch: Patch) -> None:
    """Write the changes of campaigns before everything else of a step."""
    _changed(lambda rows: sorted(rows, key=lambda row: not row.type.startswith("campaign.")))(patch)


EVENT_PLANTED: Final = (
    Planted("events stay though their step was rolled back", _events_are_written_though_the_step_was_rolled_back, 12),
    Planted("events are lost if the process dies after the commit", _events_are_written_after_the_commit, 8),
    Planted("events are written again after a retry", _events_are_written_again_after_a_retry, 8),
    Planted("calls that came in have no end", _without(call_effects.FinishInbound), 49),
    Planted("those who are refused have no event", _without(campaign_effects.RefuseSubscriber), 0),
    Planted("wishes have no event", _without(effects.KeepWish), 4),
    Planted("the events of a step are turned round", _changed(lambda rows: rows[::-1]), 0),
    Planted("campaigns end before their calls begin", _campaigns_end_before_their_calls_begin, 0),
    Planted("events go to the first account", _changed(lambda rows: [row._replace(user_id=1) for row in rows]), 0),
)
"""Bugs that only worlds with events find."""
