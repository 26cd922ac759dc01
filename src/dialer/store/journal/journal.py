"""The journal: it writes effects as rows, many at a time, in the transaction of the step that decided them.

A call that begins and ends within one step is written once, in its final state. The rows of a step are committed
together or not at all.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final, Protocol, get_args

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from dialer.domain.calls import effects, events
from dialer.domain.calls.plans import Call
from dialer.domain.engine.state import EngineState
from dialer.domain.rules.invariants import BrokenInvariantError
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.exhaustive import exhaustive
from dialer.store.backends.backend import backend_of
from dialer.store.journal import claims, rows, statements
from dialer.store.journal.agent_hours import AgentHours
from dialer.store.journal.call_counters import CallCounts
from dialer.store.journal.campaign_counters import GrowingCampaign
from dialer.store.journal.campaign_moves import keep_wish, move_campaign
from dialer.store.journal.completions import complete
from dialer.store.journal.gateways import GatewayRows
from dialer.store.journal.messages import MessageRows
from dialer.store.journal.observers import JournalObserver
from dialer.store.journal.previews import PreviewRows, put_back
from dialer.store.journal.queue_hours import QueueHours
from dialer.store.journal.transfers import CallCentreRows, TransferRows
from dialer.store.journal.unmade_attempts import delete_attempt
from dialer.store.journal.waiting_texts import WaitingTextRows
from dialer.store.queries.do_not_call import listed_for
from dialer.store.queries.inbound_callers import find_caller
from dialer.store.queries.queues import take_call_back
from dialer.store.queries.selection import Shards
from dialer.store.rows.invariants import Added, added_twice, ended_before, misplaced_subscriber
from dialer.store.rows.ledger import Entry, post_calls
from dialer.store.rows.subscriber_counts import count_moves

_PENDING: Final = int(SubscriberStatus.PENDING)
_IN_PROCESS: Final = int(SubscriberStatus.IN_PROCESS)


class Recordings(Protocol):
    """A store of recordings: the media folder, or a substitute."""

    def save_silence(self, name: str, length_ms: int) -> None:
        """Store the recording of a simulated callee, who is silent for `length_ms` milliseconds."""


class JournalStore:
    """The `CampaignStore` of the live engine: begin a step, record and claim, close it.

    Its observers handle each effect in their order, before the journal records it.
    """

    def __init__(
        self,
        *,
        next_cdr_id: int,
        recordings: Recordings | None = None,
        observers: Sequence[JournalObserver] = (),
        shards: Shards = None,
    ) -> None:
        self.next_cdr_id = next_cdr_id
        self._shards: Final = shards
        self._observers = tuple(observers)
        self._recordings = recordings
        self._connection: Connection | None = None
        self.is_writing = False
        """True while effects are written, and after that has failed: they may be of any event of the step."""
        self._transfers = TransferRows()
        self._distributor = CallCentreRows()
        self._previews = PreviewRows()
        self._counts = CallCounts()
        self._queue_hours = QueueHours()
        self._agent_hours = AgentHours()
        self._clear()

    def observe(self, observer: JournalObserver) -> None:
        """Add an observer of all effects from now on."""
        self._observers += (observer,)
        self.__dict__.pop("_handlers", None)

    def begin(self, connection: Connection) -> None:
        """Begin a step, whose effects are written through this connection."""
        self._connection = connection
        for observer in self._observers:
            observer.step_begun(connection)

    def restored(self, call: Call) -> None:
        """Note an attempt that was in progress before this journal was opened."""
        for observer in self._observers:
            observer.restored(call)
        self._transfers.restored(call)
        self._agent_hours.restored(call)

    def close_step(self, engine_state: EngineState) -> None:
        """Write the rest of a step, and let the observers check the whole step."""
        self.flush()
        has_ended = self._counts.has_any
        for counts in (self._counts, self._queue_hours, self._agent_hours):
            counts.write(self._at_work())
        count_moves(self._at_work(), self._shards, has_moves=has_ended)
        for observer in self._observers:
            observer.step_closed(self._at_work(), engine_state)

    def flush(self) -> None:
        """Write all effects that were recorded since the last flush."""
        self.is_writing = True
        connection = self._at_work()
        for observer in self._observers:
            observer.cdrs_written(self._cdrs)
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
        statements.INSERT_REQUESTS.run(connection, [rows.dialled(call) for call in self._dialled.values()])
        statements.INSERT_REQUESTS.run(connection, self._requests_over)
        ended = statements.FINISH_REQUESTS.run(connection, self._requests_ended)
        if ended != len(self._requests_ended):
            raise ended_before(connection, self._ended)
        self._messages.write(connection)
        self._waiting_texts.write(connection)
        self._transfers.write(connection)
        self._distributor.write(connection)
        self._previews.write(connection)
        self._gateways.write(connection)
        statements.EXPECT_CALL_BACKS.run(connection, self._call_backs)
        self._write_recordings()
        statements.INSERT_CDRS.run(connection, self._cdrs)
        statements.INSERT_RESULTS.run(connection, self._results)
        self._write_subscribers(connection)
        statements.COUNT_CAMPAIGNS.run(connection, [grown.row(key) for key, grown in self._progress.items()])
        if self._entries or self._reserved:
            post_calls(connection, self._entries, self._reserved)

    def _flush_subscribers(self) -> None:
        """Write the changes of subscribers, which is all that a claim reads. Calls may still end before their flush."""
        self.is_writing = True
        self._write_subscribers(self._at_work())
        self.is_writing = False

    def _write_subscribers(self, connection: Connection) -> None:
        """Write the changes of subscribers since the last time.

        Raises:
            BrokenInvariantError: a subscriber's row was not in the state that the engine assumed.
        """
        placed = list(self._subscribers.values())
        if statements.UPDATE_SUBSCRIBERS.run(connection, placed) != len(placed):
            raise misplaced_subscriber(
                connection, [rows.placed(one, self._callers[one.subscriber_id]) for one in placed]
            )
        if statements.REFUSE_SUBSCRIBERS.run(connection, self._refusals) != len(self._refusals):
            raise misplaced_subscriber(connection, [rows.refused(row) for row in self._refusals])
        self._subscribers.clear()
        self._callers.clear()
        self._refusals.clear()

    def _added_twice(self, connection: Connection, *, undone: bool) -> BrokenInvariantError | None:
        calls = [*self._dialled.values(), *self._over]
        requests = [
            Added((call.subscriber.id, call.attempt), call.id, call.plan.user_id, call.plan.id, call.id)
            for call in calls
        ]
        cdrs = [Added(row.callid, row.id, row.user_id, row.campaign_id, row.callrequest_id) for row in self._cdrs]
        entries = [Added(entry.reference, None, entry.user_id) for entry in self._entries]
        return added_twice(connection, requests, cdrs, entries, undone=undone)

    def claim_fresh(self, claim: effects.ClaimFresh) -> events.FreshClaimed:
        """Return subscribers without a call so far, lowest id first."""
        found = claims.fresh(self._at_work(), claim)
        unwritten = self._subscribers.keys() | {refusal.subscriber_id for refusal in self._refusals}
        if not unwritten.isdisjoint([callee.id for callee in found]):
            self._flush_subscribers()
            found = claims.fresh(self._at_work(), claim)
        return events.FreshClaimed(claim.campaign_id, claim.zone, found, is_last=len(found) < claim.limit)

    def claim_retries(self, claim: effects.ClaimRetries) -> events.RetriesClaimed:
        """Return subscribers who wait for a retry, in the order in which they are due."""
        self._flush_subscribers()
        found = claims.retries(self._at_work(), claim)
        return events.RetriesClaimed(claim.campaign_id, claim.zone, found, is_last=len(found) < claim.limit)

    def claim_again(self, claim: effects.ClaimAgain) -> events.SubscriberClaimedAgain:
        """Return a subscriber who waits for a retry, as stored now; None if the subscriber is no longer PENDING."""
        self._flush_subscribers()
        found = claims.again(self._at_work(), claim)
        return events.SubscriberClaimedAgain(claim.campaign_id, found[0] if found else None)

    def claim_offered(self, claim: effects.ClaimOffered) -> events.OfferedClaimed:
        """Return a subscriber whom an agent sees, as stored now; None if the subscriber is no longer PENDING."""
        self._flush_subscribers()
        found = claims.again(self._at_work(), claim)
        return events.OfferedClaimed(claim.campaign_id, claim.agent_id, found[0] if found else None)

    def count_subscribers(self, request: effects.CountSubscribers) -> events.SubscribersCounted:
        """Return whether a campaign has subscribers, and whether any of them is not final."""
        self._flush_subscribers()
        return claims.count(self._at_work(), request)

    def check_number(self, check: effects.CheckNumber) -> events.NumberChecked:
        """Return whether a number is on a do-not-call list of a campaign."""
        is_on_dnc = bool(listed_for(self._at_work(), check.campaign_id, [check.number]))
        return events.NumberChecked(check.call_id, check.number, check.text, is_on_dnc)

    def check_text(self, check: effects.CheckText) -> events.TextChecked:
        """Tell whether a text message still waits, and whether its number is on a do-not-call list of its campaign."""
        connection = self._at_work()
        is_recorded = self._waiting_texts.is_recorded(connection, check.message_id)
        is_on_dnc = bool(listed_for(connection, check.campaign_id, [check.number]))
        return events.TextChecked(check.gateway_id, check.message_id, is_recorded=is_recorded, is_on_dnc=is_on_dnc)

    def find_caller(self, request: effects.FindCaller) -> events.CallerFound:
        """Return the subscriber who is calling in over a line, or a caller whom the campaign does not know."""
        self.flush()
        return find_caller(self._at_work(), request)

    def take_call_back(self, arrived: events.CallArrived) -> events.CallArrived | None:
        """Delete an expected call back, and return it with its caller as stored now. Return None if there is none."""
        self.flush()
        return take_call_back(self._at_work(), arrived.missed_call_id)

    def record(self, effect: effects.Recorded, now_ms: int) -> None:
        """Record an effect, which the next flush writes."""
        for handle in self._handlers[type(effect)]:
            handle(effect, now_ms)

    @cached_property
    def _handlers(self) -> dict[type, tuple[Callable[[Any, int], None], ...]]:
        """Return handlers by the type of an effect: those of the observers, then the journal's own."""
        everybodys = [*(observer.handlers for observer in self._observers), self._recorders()]
        return {
            kind: tuple(handle for handlers in everybodys if (handle := handlers[kind]) is not None)
            for kind in get_args(effects.Recorded)
        }

    def _recorders(self) -> dict[type, Callable[[Any, int], None]]:
        recorders: dict[type, Callable[[Any, int], None]] = {
            effects.Dial: self._record_dial,
            effects.AnswerCall: lambda effect, _: self._dialled.update({effect.call.id: effect.call}),
            effects.SendText: self._record_text,
            effects.KeepText: lambda effect, _: self._waiting_texts.waits(effect.message),
            effects.DropText: lambda effect, _: self._waiting_texts.dropped(effect),
            effects.TakeBackCall: self._take_back,
            effects.FinishCall: self._record_finish,
            effects.FinishInbound: self._record_inbound,
            effects.CompleteSubscriber: self._complete_subscriber,
            effects.FinishText: self._record_text_finish,
            effects.FinishLeg: self._record_leg,
            effects.KeepTransfer: self._keep_transfer,
            effects.KeepAgent: self._keep_agent,
            effects.KeepPreview: lambda effect, _: self._previews.keep(effect),
            effects.PutBack: self._put_back,
            effects.KeepQueue: lambda effect, _: self._distributor.keep_queue(effect),
            effects.KeepFigures: lambda effect, _: self._distributor.keep_figures(effect),
            effects.KeepBreaker: lambda effect, _: self._gateways.keep_breaker(effect),
            effects.KeepLine: lambda effect, now_ms: self._gateways.keep_line(now_ms, effect),
            effects.ExpectCallBack: lambda effect, _: self._call_backs.append(rows.call_back(effect)),
            effects.RefuseInbound: self._refuse_inbound,
            effects.RefuseSubscriber: self._record_refusal,
            effects.MoveCampaign: lambda effect, now_ms: move_campaign(self._at_work(), effect, now_ms),
            effects.KeepWish: lambda effect, now_ms: keep_wish(self._at_work(), effect, now_ms),
        }
        return exhaustive(effects.Recorded, recorders)

    def _keep_agent(self, effect: effects.KeepAgent, now_ms: int) -> None:
        self._agent_hours.kept(self._at_work(), effect, now_ms)
        self._distributor.keep_agent(effect)

    def _put_back(self, effect: effects.PutBack, now_ms: int) -> None:
        self._flush_subscribers()
        put_back(self._at_work(), effect, now_ms)

    def _clear(self) -> None:
        self._dialled: dict[int, Call] = {}
        self._messages = MessageRows()
        self._waiting_texts = WaitingTextRows()
        self._gateways = GatewayRows()
        self._requests_over: list[rows.RequestRow] = []
        self._requests_ended: list[rows.RequestEnd] = []
        self._over: list[Call] = []
        """Calls that began and ended since the last flush. Calls that began before it are in `_ended`."""
        self._ended: list[tuple[Call, int]] = []
        self._cdrs: list[rows.CdrRow] = []
        self._results: list[rows.ResultRow] = []
        self._subscribers: dict[int, rows.SubscriberRow] = {}
        self._callers: dict[int, Call] = {}
        """Last attempt that changed each subscriber, by the id of the subscriber."""
        self._refusals: list[rows.RefusalRow] = []
        self._progress: defaultdict[int, GrowingCampaign] = defaultdict(GrowingCampaign)
        self._call_backs: list[tuple[int, int, int]] = []
        self._recorded: list[tuple[str, int]] = []
        self._entries: list[Entry] = []
        self._reserved: defaultdict[int, int] = defaultdict(int)

    def _at_work(self) -> Connection:
        if self._connection is None:
            message = "the journal was used outside a step"
            raise RuntimeError(message)
        return self._connection

    def _reserve(self, user_id: int, amount: int) -> None:
        """Record a change of the amount held from an account."""
        if amount:
            self._reserved[user_id] += amount

    def _charge(self, user_id: int, kind: str, cost: int, callid: str, now_ms: int) -> None:
        if cost:
            self._entries.append(Entry(user_id, kind, -cost, f"{kind}:{callid}", now_ms))

    def _record_dial(self, effect: effects.Dial, _now_ms: int) -> None:
        call = effect.call
        if call.parts:
            self._messages.sent(call)
        else:
            self._dialled[call.id] = call
        self._place(call, rows.called(call, *self._expected(call, _PENDING, call.attempt - 1)))
        self._gateways.dialled(effect)
        progress = self._progress[call.plan.id]
        progress.calls += 1
        progress.next_dial_us = effect.next_dial_us
        self._reserve(call.plan.user_id, call.hold)

    def _expected(self, call: Call, status: int, attempts: int) -> tuple[int, int]:
        """Return the status and the attempts that a subscriber's row has now.

        `status` and `attempts` are the values before this change. They apply if no earlier change waits for the flush.
        """
        known = self._subscribers.get(call.subscriber.id)
        return (status, attempts) if known is None else (known.was_status, known.had_attempts)

    def _place(self, call: Call, row: rows.SubscriberRow) -> None:
        self._subscribers[row.subscriber_id] = row
        self._callers[row.subscriber_id] = call

    def _record_text(self, effect: effects.SendText, _now_ms: int) -> None:
        self._messages.sent(effect.message)
        self._reserve(effect.message.plan.user_id, effect.message.hold)
        self._waiting_texts.sent(effect)

    def _take_back(self, effect: effects.TakeBackCall, now_ms: int) -> None:
        """Delete the row of an attempt that was never made, and make its subscriber due again."""
        self.flush()
        call = effect.call
        last_ms = delete_attempt(self._at_work(), call)
        row = rows.after_call(effect, now_ms, *self._expected(call, _IN_PROCESS, call.attempt))
        self._place(call, row._replace(attempts=call.attempt - 1, dialled_ms=last_ms))
        self._progress[call.plan.id].calls -= 1
        self._reserve(call.plan.user_id, -call.hold)

    def _record_finish(self, effect: effects.FinishCall, _now_ms: int) -> None:
        if effect.call.parts:
            self._messages.finished(effect.call, effect.outcome, effect.bill.cost)
            self._counts.message(effect.call, effect.outcome, effect.bill.cost)
        else:
            row, progress = self._record_call(effect), self._progress[effect.call.plan.id]
            progress.live_answered += row.is_for_agents
            progress.abandoned += row.is_abandoned
        self._record_consequences(effect)

    def _record_inbound(self, effect: effects.FinishInbound, _now_ms: int) -> None:
        self._record_call(effect)

    def _complete_subscriber(self, effect: effects.CompleteSubscriber, now_ms: int) -> None:
        self.flush()
        for campaign_id in complete(self._at_work(), effect, now_ms):
            self._progress[campaign_id].completed += 1

    def _record_text_finish(self, effect: effects.FinishText, _now_ms: int) -> None:
        message, cost = effect.message, effect.bill.cost
        self._messages.finished(message, effect.outcome, cost)
        self._counts.message(message, effect.outcome, cost)
        self._progress[message.plan.id].cost += cost
        self._charge(message.plan.user_id, "sms", cost, message.callid, effect.outcome.ended_ms)
        self._reserve(message.plan.user_id, -message.hold)

    def _record_call(self, effect: effects.FinishCall | effects.FinishInbound) -> rows.CdrRow:
        call = effect.call
        if self._dialled.pop(call.id, None) is not None:
            self._requests_over.append(rows.over(effect))
            self._over.append(call)
        else:
            self._requests_ended.append(rows.end(effect))
            self._ended.append((call, effect.outcome.ended_ms))
        row = rows.cdr(self.next_cdr_id, effect)
        self._add_cdr(row)
        for transfer in call.transfers:
            self._queue_hours.left(transfer)
        for result in effect.outcome.results:
            self._results.append(rows.result(call, result))
            if result.recording_ms is not None and not call.is_over_line:
                self._recorded.append((result.response, result.recording_ms))
        return row

    def _add_cdr(self, row: rows.CdrRow) -> None:
        self._cdrs.append(row)
        self._counts.cdr(row)
        self.next_cdr_id += 1

    def _record_leg(self, effect: effects.FinishLeg, now_ms: int) -> None:
        plan, cost = effect.call.plan, effect.bill.cost
        self._add_cdr(rows.leg_cdr(self.next_cdr_id, effect))
        self._progress[plan.id].cost += cost
        self._charge(plan.user_id, "call", cost, effect.transfer.callid, now_ms)

    def _keep_transfer(self, effect: effects.KeepTransfer, now_ms: int) -> None:
        self._agent_hours.transferred(self._at_work(), effect, now_ms)
        self._reserve(effect.call.plan.user_id, self._transfers.keep(effect))

    def _refuse_inbound(self, effect: effects.RefuseInbound, now_ms: int) -> None:
        self._add_cdr(rows.refused_cdr(self.next_cdr_id, effect, now_ms))

    def _write_recordings(self) -> None:
        if self._recordings is not None:
            for name, length_ms in self._recorded:
                self._recordings.save_silence(name, length_ms)

    def _record_consequences(self, effect: effects.FinishCall) -> None:
        """Record the changes that an attempt makes to its subscriber, the campaign's counters and the balance."""
        call, outcome, bill, after = effect.call, effect.outcome, effect.bill, effect.disposition
        plan = call.plan
        self._place(call, rows.after_call(effect, outcome.ended_ms, *self._expected(call, _IN_PROCESS, call.attempt)))
        progress = self._progress[plan.id]
        progress.answered += outcome.answered_ms is not None or outcome.delivered_ms is not None
        progress.completed += after.status is SubscriberStatus.COMPLETED
        progress.cost += bill.cost
        self._charge(plan.user_id, "sms" if call.parts else "call", bill.cost, call.callid, outcome.ended_ms)
        self._reserve(plan.user_id, -call.hold)

    def _record_refusal(self, effect: effects.RefuseSubscriber, now_ms: int) -> None:
        status = int(SubscriberStatus.NOT_AUTHORIZED)
        self._refusals.append(rows.RefusalRow(status, effect.reason, 0, now_ms, effect.subscriber.id))
