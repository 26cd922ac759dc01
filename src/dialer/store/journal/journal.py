"""The journal: it writes effects as rows, many at a time, in the transaction of the step that decided them.

A call that begins and ends within one step is written once, in its final state. The rows of a step are committed
together or not at all.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Final, get_args

from sqlalchemy import Connection

from dialer.domain.calls import (
    call_effects,
    call_events,
    campaign_effects,
    campaign_events,
    effects,
    text_effects,
    text_events,
)
from dialer.domain.calls.plans import Call, Subscriber
from dialer.domain.engine.state import EngineState
from dialer.store.journal import claims
from dialer.store.journal.contact_history import ContactHistory
from dialer.store.journal.observers import JournalObserver
from dialer.store.journal.recorder import EffectRecorder
from dialer.store.journal.rows import CdrRow
from dialer.store.journal.unwritten_rows import Recordings, UnwrittenRows
from dialer.store.queries.do_not_call import listed_for
from dialer.store.queries.inbound_callers import find_caller
from dialer.store.queries.queues import take_call_back
from dialer.store.queries.selection import Shards
from dialer.store.rows.subscriber_counts import count_moves


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
        now_ms: Callable[[], int] = lambda: 0,
    ) -> None:
        """`now_ms` returns the time of the engine, from which the contacts of people are looked back at."""
        self._shards: Final = shards
        self.contacts: Final = ContactHistory(now_ms)
        self._observers = tuple(observers)
        self._rows: Final = UnwrittenRows(next_cdr_id, recordings, self._check_cdrs)
        self._recorder: Final = EffectRecorder(self._rows)
        self.spent: Final[set[int]] = set()
        """Campaigns of which a claim of subscribers without a call found fewer than it asked for."""

    @property
    def next_cdr_id(self) -> int:
        """The id of the next CDR."""
        return self._rows.next_cdr_id

    @property
    def is_writing(self) -> bool:
        """True while effects are written, and after that has failed: they may be of any event of the step."""
        return self._rows.is_writing

    def observe(self, observer: JournalObserver) -> None:
        """Add an observer of all effects from now on."""
        self._observers += (observer,)
        self.__dict__.pop("_handlers", None)

    def begin(self, connection: Connection) -> None:
        """Begin a step, whose effects are written through this connection."""
        self._rows.begin(connection)
        for observer in self._observers:
            observer.step_begun(connection)

    def restored(self, call: Call) -> None:
        """Note an attempt that was in progress before this journal was opened."""
        for observer in self._observers:
            observer.restored(call)
        self._rows.transfers.restored(call)
        self._recorder.agent_hours.restored(call)

    def close_step(self, engine_state: EngineState) -> None:
        """Write the rest of a step, and let the observers check the whole step."""
        self._rows.flush()
        connection, calls = self._rows.at_work(), self._rows.counts
        for counts in (calls, self._recorder.queue_hours, self._recorder.agent_hours):
            counts.write(connection)
        count_moves(connection, self._shards, has_moves=self._rows.has_moved)
        for observer in self._observers:
            observer.step_closed(connection, engine_state)

    def _check_cdrs(self, cdrs: Sequence[CdrRow]) -> None:
        for observer in self._observers:
            observer.cdrs_written(cdrs)

    def claim_fresh(self, claim: campaign_effects.ClaimFresh) -> campaign_events.FreshClaimed:
        """Return subscribers without a call so far, lowest id first."""
        found = claims.fresh(self._rows.at_work(), claim)
        unwritten = self._rows.subscribers.keys() | {refusal.subscriber_id for refusal in self._rows.refusals}
        if not unwritten.isdisjoint([callee.id for callee in found]):
            self._rows.flush_subscribers()
            found = claims.fresh(self._rows.at_work(), claim)
        self._hold(claim.campaign_id, found)
        is_last = len(found) < claim.limit
        if is_last:
            self.spent.add(claim.campaign_id)
        return campaign_events.FreshClaimed(claim.campaign_id, claim.zone, found, is_last=is_last)

    def claim_retries(self, claim: campaign_effects.ClaimRetries) -> campaign_events.RetriesClaimed:
        """Return subscribers who wait for a retry, in the order in which they are due."""
        self._rows.flush_subscribers()
        found = claims.retries(self._rows.at_work(), claim)
        self._hold(claim.campaign_id, found)
        return campaign_events.RetriesClaimed(claim.campaign_id, claim.zone, found, is_last=len(found) < claim.limit)

    def claim_again(self, claim: campaign_effects.ClaimAgain) -> campaign_events.SubscriberClaimedAgain:
        """Return a subscriber who waits for a retry, as stored now; None if the subscriber is no longer PENDING."""
        self._rows.flush_subscribers()
        found = claims.again(self._rows.at_work(), claim)
        self._hold(claim.campaign_id, found)
        return campaign_events.SubscriberClaimedAgain(claim.campaign_id, found[0] if found else None)

    def claim_offered(self, claim: campaign_effects.ClaimOffered) -> campaign_events.OfferedClaimed:
        """Return a subscriber whom an agent sees, as stored now; None if the subscriber is no longer PENDING."""
        self._rows.flush_subscribers()
        found = claims.again(self._rows.at_work(), claim)
        self._hold(claim.campaign_id, found)
        return campaign_events.OfferedClaimed(claim.campaign_id, claim.agent_id, found[0] if found else None)

    def _hold(self, campaign_id: int, found: Sequence[Subscriber]) -> None:
        """Read the contacts of claimed people, those of this step included, if a rule of their campaign counts them."""
        judged = self.contacts.judged(campaign_id, found)
        if judged:
            self._rows.flush()
            self.contacts.hold(self._rows.at_work(), campaign_id, judged)

    def count_subscribers(self, request: campaign_effects.CountSubscribers) -> campaign_events.SubscribersCounted:
        """Return whether a campaign has subscribers, and whether any of them is not final."""
        self._rows.flush_subscribers()
        return claims.count(self._rows.at_work(), request)

    def check_number(self, check: campaign_effects.CheckNumber) -> campaign_events.NumberChecked:
        """Return whether a number is on a do-not-call list of a campaign."""
        is_on_dnc = bool(listed_for(self._rows.at_work(), check.campaign_id, [check.number]))
        return campaign_events.NumberChecked(check.call_id, check.number, check.text, is_on_dnc)

    def check_text(self, check: text_effects.CheckText) -> text_events.TextChecked:
        """Tell whether a text message still waits, and whether its number is on a do-not-call list of its campaign."""
        connection = self._rows.at_work()
        is_recorded = self._rows.waiting_texts.is_recorded(connection, check.message_id)
        is_on_dnc = bool(listed_for(connection, check.campaign_id, [check.number]))
        return text_events.TextChecked(check.gateway_id, check.message_id, is_recorded=is_recorded, is_on_dnc=is_on_dnc)

    def find_caller(self, request: call_effects.FindCaller) -> call_events.CallerFound:
        """Return the subscriber who is calling in over a line, or a caller whom the campaign does not know."""
        self._rows.flush()
        return find_caller(self._rows.at_work(), request)

    def take_call_back(self, arrived: call_events.CallArrived) -> call_events.CallArrived | None:
        """Delete an expected call back, and return it with its caller as stored now. Return None if there is none."""
        self._rows.flush()
        return take_call_back(self._rows.at_work(), arrived.missed_call_id)

    def record(self, effect: effects.Recorded, now_ms: int) -> None:
        """Record an effect, which the next flush writes."""
        for handle in self._handlers[type(effect)]:
            handle(effect, now_ms)

    @cached_property
    def _handlers(self) -> dict[type, tuple[Callable[[Any, int], None], ...]]:
        """Return handlers by the type of an effect: those of the observers, then the journal's own."""
        everybodys = [*(observer.handlers for observer in self._observers), self._recorder.recorders()]
        return {
            kind: tuple(handle for handlers in everybodys if (handle := handlers[kind]) is not None)
            for kind in get_args(effects.Recorded)
        }
