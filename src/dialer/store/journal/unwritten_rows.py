"""UnwrittenRows: the rows and changes that a journal has recorded and not written yet, and how they are written."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from dialer.domain.calls.consents import ConsentSpan, good_at
from dialer.domain.calls.plans import Call
from dialer.domain.rules.invariants import BrokenInvariantError
from dialer.store.backends.backend import backend_of
from dialer.store.journal import rows, statements
from dialer.store.journal.begun_recordings import end_untold, write_recordings
from dialer.store.journal.call_counters import CallCounts
from dialer.store.journal.call_recordings import RecordingRow
from dialer.store.journal.campaign_counters import GrowingCampaign
from dialer.store.journal.contact_waits import KEEP_WAITS, WaitRow
from dialer.store.journal.gateways import GatewayRows
from dialer.store.journal.messages import MessageRows
from dialer.store.journal.previews import PreviewRows
from dialer.store.journal.request_rows import RequestEnd
from dialer.store.journal.said_call_backs import SaidCallBackRow
from dialer.store.journal.transfers import CallCentreRows, TransferRows
from dialer.store.journal.waiting_texts import WaitingTextRows
from dialer.store.rows.invariants import Added, added_twice, ended_before, misplaced_subscriber
from dialer.store.rows.ledger import Entry, post_calls


class Recordings(Protocol):
    """A store of recordings: the media folder, or a substitute."""

    def save_silence(self, name: str, length_ms: int) -> None:
        """Store the recording of a simulated callee, who is silent for `length_ms` milliseconds."""


class UnwrittenRows:
    """Rows of one journal that wait for the next flush.

    `check_cdrs` sees the CDRs of each flush before they are written.
    """

    def __init__(
        self, next_cdr_id: int, recordings: Recordings | None, check_cdrs: Callable[[Sequence[rows.CdrRow]], None]
    ) -> None:
        self.next_cdr_id = next_cdr_id
        self._recordings = recordings
        self._check_cdrs = check_cdrs
        self._connection: Connection | None = None
        self.is_writing = False
        """True while effects are written, and after that has failed: they may be of any event of the step."""
        self.has_moved = False
        """True if this step has changed subscribers."""
        self.transfers = TransferRows()
        self.call_centre = CallCentreRows()
        self.previews = PreviewRows()
        self.counts = CallCounts()
        self._clear()

    def begin(self, connection: Connection) -> None:
        """Begin a step, whose effects are written through this connection."""
        self._connection = connection
        self.has_moved = False

    def at_work(self) -> Connection:
        """Return the connection of the current step.

        Raises:
            RuntimeError: there is none.
        """
        if self._connection is None:
            message = "the journal was used outside a step"
            raise RuntimeError(message)
        return self._connection

    # --- what is recorded --------------------------------------------------------------------------------------------

    def reserve(self, user_id: int, amount: int) -> None:
        """Record a change of the amount held from an account."""
        if amount:
            self._reserved[user_id] += amount

    def charge(self, user_id: int, kind: str, cost: int, callid: str, now_ms: int) -> None:
        """Record the charge of a leg, unless it is free."""
        if cost:
            self._entries.append(Entry(user_id, kind, -cost, f"{kind}:{callid}", now_ms))

    def place(self, call: Call, row: rows.SubscriberRow) -> None:
        """Record the change that an attempt makes to its subscriber."""
        self.subscribers[row.subscriber_id] = row
        self.callers[row.subscriber_id] = call

    def add_cdr(self, row: rows.CdrRow) -> None:
        """Record and count a CDR."""
        self.cdrs.append(row)
        self.counts.cdr(row)
        self.next_cdr_id += 1

    def uses_consents(self, consents: Sequence[ConsentSpan], at_ms: int) -> None:
        """Record a dial that those of some consents allow that are good at a moment."""
        self.consents_used |= dict.fromkeys(good_at(consents, at_ms), at_ms)

    # --- how it is written -------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Write all effects that were recorded since the last flush."""
        self.is_writing = True
        connection = self.at_work()
        self._check_cdrs(self.cdrs)
        backend = backend_of(connection)
        try:
            with backend.recoverable(connection):
                self._write(connection)
        except IntegrityError as error:
            broken = self._added_twice(connection, undone=backend.UNDOES_FAILED_ROWS)
            if broken is None:
                raise
            raise broken from error
        self._clear()
        self.is_writing = False

    def _write(self, connection: Connection) -> None:
        statements.INSERT_REQUESTS.put(connection, [rows.dialled(call) for call in self.dialled.values()])
        statements.INSERT_REQUESTS.put(connection, self.requests_over)
        self._end_requests(connection)
        self.messages.write(connection)
        self.waiting_texts.write(connection)
        self.transfers.write(connection)
        self.call_centre.write(connection)
        self.previews.write(connection)
        self.gateways.write(connection)
        statements.EXPECT_CALL_BACKS.put(connection, self.call_backs)
        if self._recordings is not None:
            self._write_recordings(self._recordings)
        statements.INSERT_CDRS.put(connection, self.cdrs)
        if self.call_recordings:
            write_recordings(connection, self.call_recordings)
        if self.untold_recordings:
            end_untold(connection, self.untold_recordings)
        statements.INSERT_RESULTS.put(connection, self.results)
        self._write_subscribers(connection)
        if self.consents_used:
            statements.USE_CONSENTS.put(connection, [(at_ms, key) for key, at_ms in self.consents_used.items()])
        if self.waits:
            KEEP_WAITS.put(connection, self.waits)
        statements.COUNT_CAMPAIGNS.put(connection, [grown.row(key) for key, grown in self.progress.items()])
        if self._entries or self._reserved:
            post_calls(connection, self._entries, self._reserved)

    def _end_requests(self, connection: Connection) -> None:
        """End call requests that have a row. Calls that were over before are told by their CDRs, which come later.

        Raises:
            BrokenInvariantError: a call was not in progress.
        """

        def check(written: int) -> None:
            if written != len(self.requests_ended):
                raise ended_before(connection, self.ended)

        if self.requests_ended:
            statements.FINISH_REQUESTS.put(connection, self.requests_ended, check)
            backend_of(connection).run_postponed(connection)

    def flush_subscribers(self) -> None:
        """Write the changes of subscribers, which is all that a claim reads. Calls may still end before their flush."""
        self.is_writing = True
        connection = self.at_work()
        with backend_of(connection).recoverable(connection):
            self._write_subscribers(connection)
        self.is_writing = False

    def _write_subscribers(self, connection: Connection) -> None:
        """Write the changes of subscribers since the last time.

        Raises:
            BrokenInvariantError: a subscriber's row was not in the state that the engine assumed.
        """
        self.has_moved |= bool(self.subscribers or self.refusals)
        changed, callers, refused = self.subscribers, self.callers, self.refusals
        said, completed = self.said_call_backs, self.completed_before_call_back
        self._clear_subscribers()

        def check_changed(written: int) -> None:
            if written != len(changed):
                placed = [rows.placed(one, callers[one.subscriber_id]) for one in changed.values()]
                raise misplaced_subscriber(connection, placed)

        def check_refused(written: int) -> None:
            if written != len(refused):
                raise misplaced_subscriber(connection, [rows.refused(row) for row in refused])

        statements.UPDATE_SUBSCRIBERS.put(connection, list(changed.values()), check_changed)
        statements.REFUSE_SUBSCRIBERS.put(connection, refused, check_refused)
        statements.PROMISE_CALL_BACKS.put(connection, said)
        statements.NOTE_COMPLETED.put(connection, completed)

    def _added_twice(self, connection: Connection, *, undone: bool) -> BrokenInvariantError | None:
        calls = [*self.dialled.values(), *self.over]
        requests = [
            Added((call.subscriber.id, call.attempt), call.id, call.plan.user_id, call.plan.id, call.id)
            for call in calls
        ]
        cdrs = [Added(row.callid, row.id, row.user_id, row.campaign_id, row.callrequest_id) for row in self.cdrs]
        entries = [Added(entry.reference, None, entry.user_id) for entry in self._entries]
        return added_twice(connection, requests, cdrs, entries, undone=undone)

    def _write_recordings(self, recordings: Recordings) -> None:
        for name, length_ms in self.recorded:
            recordings.save_silence(name, length_ms)

    def _clear(self) -> None:
        self.dialled: dict[int, Call] = {}
        self.messages = MessageRows()
        self.waiting_texts = WaitingTextRows()
        self.gateways = GatewayRows()
        self.requests_over: list[tuple[Any, ...]] = []
        self.requests_ended: list[RequestEnd] = []
        self.over: list[Call] = []
        """Calls that began and ended since the last flush. Calls that began before it are in `_ended`."""
        self.ended: list[tuple[Call, int]] = []
        self.cdrs: list[rows.CdrRow] = []
        self.results: list[rows.ResultRow] = []
        self._clear_subscribers()
        self.progress: defaultdict[int, GrowingCampaign] = defaultdict(GrowingCampaign)
        self.consents_used: dict[int, int] = {}
        """The moment of the newest dial that each consent has allowed, by its id."""
        self.waits: list[WaitRow] = []
        self.call_backs: list[tuple[int, int, int]] = []
        self.call_recordings: list[RecordingRow] = []
        self.untold_recordings: list[str] = []
        """Calls over lines that were given up, whose recordings may have begun."""
        self.recorded: list[tuple[str, int]] = []
        self._entries: list[Entry] = []
        self._reserved: defaultdict[int, int] = defaultdict(int)

    def _clear_subscribers(self) -> None:
        self.subscribers: dict[int, rows.SubscriberRow] = {}
        self.callers: dict[int, Call] = {}
        """Last attempt that changed each subscriber, by the id of the subscriber."""
        self.refusals: list[rows.RefusalRow] = []
        self.said_call_backs: list[SaidCallBackRow] = []
        self.completed_before_call_back: list[tuple[int]] = []
