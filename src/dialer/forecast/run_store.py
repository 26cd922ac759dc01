"""The store of one run of a forecast: it has subscribers for the engine, and adds up what becomes of the campaign."""

import heapq
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable
from operator import itemgetter
from typing import Any, Final, NamedTuple

from dialer.domain.billing.money import format_money
from dialer.domain.calls import effects, events
from dialer.domain.calls.plans import NO_SUBSCRIBER, Call, Subscriber
from dialer.domain.figures.digest import RunningDigest
from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.numbers.listed_forms import has_no_country, is_listed, listed_forms
from dialer.domain.words.enums import CampaignStatus, LegType, SubscriberStatus
from dialer.domain.words.exhaustive import exhaustive
from dialer.domain.words.states import OPEN_SUBSCRIBERS
from dialer.forecast.queue_figures import QueueTally
from dialer.forecast.stage import ForecastStage, StagedSubscriber, callee_of
from dialer.sim.report import show_date
from dialer.store.journal.rows import CdrRow, cdr, leg_cdr
from dialer.store.queries.do_not_call import hashed
from dialer.store.queries.survey_results import counted_name

_PENDING: Final = SubscriberStatus.PENDING
_IN_PROCESS: Final = SubscriberStatus.IN_PROCESS
_COMPLETED: Final = SubscriberStatus.COMPLETED
_A_LEG: Final = int(LegType.A_LEG)
"""Constants for what every call does. A lookup in an enumeration costs as much as a function call."""
_IGNORED: Final = (
    *(effects.AnswerCall, effects.SendText, effects.KeepText, effects.DropText),
    *(effects.KeepAgent, effects.KeepQueue, effects.KeepFigures, effects.KeepBreaker, effects.KeepLine),
    *(effects.ExpectCallBack, effects.RefuseInbound, effects.TakeBackCall, effects.KeepPreview),
)
"""Effects that no figure of a forecast depends on, or that only lines cause."""
_NO_ID: Final = 0
"""The id of CDRs: nobody sees them."""
_id_of: Final[Callable[[StagedSubscriber], int]] = itemgetter(0)
_Retry = tuple[int, int, Subscriber]
"""The time of the next attempt, the subscriber's id, and the subscriber."""


class Stop(NamedTuple):
    """The moment at which a campaign stopped dialling, in milliseconds since the epoch, and the reason."""

    at_ms: int
    reason: str


class Counters(NamedTuple):
    """The counters of a campaign from the forecast on; money in integers of 1e-5."""

    calls: int
    """Calls that are over, or text messages whose delivery is decided."""
    answered: int
    completed: int
    cost: int
    live_answered: int
    """Calls answered by a person whose survey leads to queues, of which `abandoned` is a part."""
    abandoned: int
    machine_answered: int = 0
    """Answered calls that detection takes for those of machines."""


class RunStore:
    """The `CampaignStore` of one run of a forecast. It answers and counts as the rows of the service would."""

    def __init__(self, stage: ForecastStage) -> None:
        self._people: Final = stage.people
        self._number_key: Final = stage.number_key
        self._listed: Final = stage.listed
        self._lists_national = any(map(has_no_country, stage.listed))
        """True if a list has numbers without a country, which count for numbers of any country."""
        self._called_off: Final[set[str]] = set()
        """Numbers that were put on a do-not-call list in the run."""
        self.last_id = stage.openings[0].last_id if stage.openings else 0
        """The id of the last subscriber who exists, while contacts become subscribers."""
        self._statuses: Final[dict[int, SubscriberStatus]] = {}
        """Statuses that the run has changed."""
        self._open = self._people.still_open
        self._halted: Final = set(self._people.halted_ids)
        self._due: Final[dict[int, int]] = {}
        """The time of the next attempt of each subscriber who waits for one."""
        self._retries: Final[defaultdict[str, list[_Retry]]] = defaultdict(list)
        """Heaps of retries by zone. They may hold outdated entries of subscribers who were called since."""
        for person in self._people.retries:
            waiting = callee_of(person)
            self._await_retry(waiting, waiting.due_ms)
        self.stop: Stop | None = None
        """The last move of the campaign by the engine."""
        self._calls = self._answered = self._completed = self._cost = self._live_answered = self._abandoned = 0
        self._machines = 0
        self.digest: Final = RunningDigest()
        self.answers: Final[Counter[tuple[int, str]]] = Counter()
        """The number of times each answer was given, by section and answer."""
        self.hours: Final[defaultdict[int, list[int]]] = defaultdict(lambda: [0, 0])
        """Calls or messages, and their price, by hour since the epoch."""
        self.spans: Final[list[tuple[int, int]]] = []
        """The beginning and the end of each call, or message of a campaign of messages."""
        self.queues: Final = QueueTally(stage.world.agents, stage.queues)
        self._recorders: Final = exhaustive(effects.Recorded, self._all_recorders())

    def _all_recorders(self) -> dict[type, Callable[[Any, int], None] | None]:
        return {
            **dict.fromkeys(_IGNORED),
            effects.Dial: self._record_dial,
            effects.FinishCall: self._record_finish,
            effects.FinishInbound: self._record_inbound,
            effects.CompleteSubscriber: self._complete,
            effects.FinishText: self._record_text,
            effects.FinishLeg: self._record_leg,
            effects.KeepTransfer: lambda effect, _: self.queues.transfer_kept(effect.transfer),
            effects.RefuseSubscriber: self._record_refusal,
            effects.PutBack: lambda effect, _: self._settle(effect.subscriber, effect.status, effect.at_ms),
            effects.MoveCampaign: self._record_move,
            effects.KeepWish: self._record_wish,
        }

    @property
    def counters(self) -> Counters:
        """The counters of the run so far."""
        return Counters(
            self._calls,
            self._answered,
            self._completed,
            self._cost,
            self._live_answered,
            self._abandoned,
            self._machines,
        )

    # --- what the engine asks ---------------------------------------------------------------------------------------

    def claim_fresh(self, claim: effects.ClaimFresh) -> events.FreshClaimed:
        """Return subscribers who were never called, lowest id first."""
        people, statuses = self._people.fresh.get(claim.zone, []), self._statuses
        found: list[Subscriber] = []
        for place in range(bisect_right(people, claim.after_id, key=_id_of), len(people)):
            person = people[place]
            if len(found) >= claim.limit or person.id > self.last_id:
                break
            if person.id not in statuses:
                found.append(self._claimed(callee_of(person)))
        return events.FreshClaimed(claim.campaign_id, claim.zone, found, is_last=len(found) < claim.limit)

    def claim_retries(self, claim: effects.ClaimRetries) -> events.RetriesClaimed:
        """Return subscribers who wait for a retry, in the order in which they are due."""
        heap, due = self._retries[claim.zone], self._due
        after = (claim.after_due_ms, claim.after_id)
        kept: list[_Retry] = []
        found: list[Subscriber] = []
        while heap and len(found) < claim.limit:
            entry = heapq.heappop(heap)
            if due.get(entry[1]) != entry[0]:
                continue
            kept.append(entry)
            if entry[:2] > after:
                found.append(self._claimed(entry[2]))
        for entry in kept:
            heapq.heappush(heap, entry)
        return events.RetriesClaimed(claim.campaign_id, claim.zone, found, is_last=len(found) < claim.limit)

    def claim_again(self, claim: effects.ClaimAgain) -> events.SubscriberClaimedAgain:
        """Return a subscriber who waits for a retry; None if they were halted."""
        is_waiting = claim.subscriber.id in self._due
        return events.SubscriberClaimedAgain(claim.campaign_id, self._claimed(claim.subscriber) if is_waiting else None)

    def claim_offered(self, claim: effects.ClaimOffered) -> events.OfferedClaimed:
        """Return the subscriber whom an agent sees; None if they do not wait for a call any more."""
        one = claim.subscriber
        is_waiting = self._statuses.get(one.id, _PENDING) is _PENDING
        return events.OfferedClaimed(claim.campaign_id, claim.agent_id, self._claimed(one) if is_waiting else None)

    def count_subscribers(self, request: effects.CountSubscribers) -> events.SubscribersCounted:
        """Return whether the campaign has subscribers, and whether any of them are not final."""
        return events.SubscribersCounted(request.campaign_id, has_any=self._people.size > 0, has_open=self._open > 0)

    def check_number(self, check: effects.CheckNumber) -> events.NumberChecked:
        """Return whether a number is on a do-not-call list of the campaign."""
        return events.NumberChecked(check.call_id, check.number, check.text, self._is_listed(check.number))

    def check_text(self, check: effects.CheckText) -> events.TextChecked:
        """Return whether the number of a message that waits is on a do-not-call list of the campaign."""
        is_on_dnc = self._is_listed(check.number)
        return events.TextChecked(check.gateway_id, check.message_id, is_recorded=True, is_on_dnc=is_on_dnc)

    @staticmethod
    def find_caller(request: effects.FindCaller) -> events.CallerFound:
        """Return a caller whom the campaign does not know: simulated calls do not come in over lines."""
        return events.CallerFound(request.received, request.did_id, Subscriber(NO_SUBSCRIBER, request.number, ""), -1)

    @staticmethod
    def take_call_back(arrived: events.CallArrived) -> events.CallArrived:
        """Return an incoming call-back unchanged, as no subscriber is deleted during a forecast."""
        return arrived

    def _claimed(self, subscriber: Subscriber) -> Subscriber:
        subscriber.is_on_dnc = self._is_listed(subscriber.number)
        return subscriber

    def _is_listed(self, number: str) -> bool:
        if number in self._listed or number in self._called_off:
            return True
        has_forms = self._lists_national or has_no_country(number)
        if has_forms and (is_listed(number, self._listed) or is_listed(number, self._called_off)):
            return True
        key = self._number_key
        return key is not None and any(hashed(key, form) in self._listed for form in listed_forms(number))

    # --- what the engine reports ------------------------------------------------------------------------------------

    def record(self, effect: effects.Recorded, now_ms: int) -> None:
        """Count an effect of the engine."""
        recorder = self._recorders[type(effect)]
        if recorder is not None:
            recorder(effect, now_ms)

    def _record_dial(self, effect: effects.Dial, _now_ms: int) -> None:
        subscriber_id = effect.call.subscriber.id
        self._statuses[subscriber_id] = _IN_PROCESS
        self._due.pop(subscriber_id, None)

    def _record_finish(self, effect: effects.FinishCall, _now_ms: int) -> None:
        call, outcome, cost = effect.call, effect.outcome, effect.bill.cost
        if call.parts:
            self._count_message(call, cost)
            self.spans.append((call.started_ms, outcome.ended_ms))
        else:
            row = self._record_call(effect)
            self._live_answered += row.is_for_agents
            self._abandoned += row.is_abandoned
            self._machines += outcome.answered_ms is not None and not outcome.is_live
        self._calls += 1
        self._answered += outcome.answered_ms is not None or outcome.delivered_ms is not None
        self._cost += cost
        self._settle(call.subscriber, effect.disposition.status, effect.disposition.due_ms)

    def _settle(self, subscriber: Subscriber, status: SubscriberStatus, due_ms: int) -> None:
        """Give a subscriber the status after an attempt. Those who were halted meanwhile are not called again."""
        if status is _PENDING and subscriber.id in self._halted:
            status = SubscriberStatus.ABORT
        self._statuses[subscriber.id] = status
        self._completed += status is _COMPLETED
        if status not in OPEN_SUBSCRIBERS:
            self._open -= 1
        elif status is _PENDING:
            self._await_retry(subscriber, due_ms)

    def _await_retry(self, subscriber: Subscriber, due_ms: int) -> None:
        self._due[subscriber.id] = due_ms
        heapq.heappush(self._retries[subscriber.zone], (due_ms, subscriber.id, subscriber))

    def _record_inbound(self, effect: effects.FinishInbound, _now_ms: int) -> None:
        self._record_call(effect)

    def _record_call(self, effect: effects.FinishCall | effects.FinishInbound) -> CdrRow:
        call, outcome = effect.call, effect.outcome
        row = cdr(_NO_ID, effect)
        self._record_cdr(row, calls=call.attempt > 0)
        self.spans.append((call.started_ms, outcome.ended_ms))
        for result in outcome.results:
            self.answers[result.section_id, counted_name(result)] += 1
        return row

    def _record_cdr(self, row: CdrRow, *, calls: int) -> None:
        cost = row.call_cost
        hour = self.hours[row.starting_date // HOUR_MS]
        hour[0] += calls
        hour[1] += cost
        self.digest.add(
            (
                row.callid,
                row.callerid,
                row.phone_number,
                show_date(row.starting_date),
                row.duration,
                row.billsec,
                format_money(cost),
                row.billed_duration,
                row.hangup_cause_q850,
                row.leg_type,
                row.amd_status,
            )
        )

    def _record_leg(self, effect: effects.FinishLeg, _now_ms: int) -> None:
        self._record_cdr(leg_cdr(_NO_ID, effect), calls=0)
        self._cost += effect.bill.cost
        self.queues.leg_finished(effect)

    def _record_text(self, effect: effects.FinishText, _now_ms: int) -> None:
        self._count_message(effect.message, effect.bill.cost)
        self._cost += effect.bill.cost

    def _count_message(self, message: Call, cost: int) -> None:
        hour = self.hours[message.started_ms // HOUR_MS]
        hour[0] += 1
        hour[1] += cost

    def _complete(self, effect: effects.CompleteSubscriber, _now_ms: int) -> None:
        """Complete a PENDING subscriber. If an attempt is in progress, its end completes them."""
        subscriber_id = effect.subscriber_id
        status = self._statuses.get(subscriber_id)
        if status is _PENDING or (status is None and subscriber_id in self._people.pending_ids):
            self._statuses[subscriber_id] = _COMPLETED
            self._due.pop(subscriber_id, None)
            self._completed += 1
            self._open -= 1

    def _record_refusal(self, effect: effects.RefuseSubscriber, _now_ms: int) -> None:
        self._statuses[effect.subscriber.id] = SubscriberStatus.NOT_AUTHORIZED
        self._due.pop(effect.subscriber.id, None)
        self._open -= 1

    def _record_move(self, effect: effects.MoveCampaign, now_ms: int) -> None:
        if effect.status is not CampaignStatus.START:
            self.stop = Stop(now_ms, effect.reason)

    def _record_wish(self, effect: effects.KeepWish, _now_ms: int) -> None:
        self._called_off.add(effect.number)
        self._lists_national = self._lists_national or has_no_country(effect.number)
