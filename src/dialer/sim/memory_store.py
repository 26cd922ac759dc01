"""In-memory store of a pure simulation: subscribers, call detail records and answers."""

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import msgspec

from dialer.domain.calls import effects, events
from dialer.domain.calls.plans import NO_SUBSCRIBER, Call, CallOutcome, SectionResult, Subscriber, Transfer
from dialer.domain.engine.called_off import lists_of_wish
from dialer.domain.numbers.listed_forms import has_no_country, is_listed
from dialer.domain.pacing.inputs import PacingFigures
from dialer.domain.words.enums import AmdStatus, CampaignStatus, LegType, SubscriberStatus
from dialer.domain.words.exhaustive import exhaustive
from dialer.domain.words.states import OPEN_SUBSCRIBERS


class SimulatedCdr(msgspec.Struct, frozen=True, gc=False):
    """Call detail record, with times in milliseconds since the epoch and money in integers of 1e-5."""

    callid: str
    callerid: str
    phone_number: str
    starting_ms: int
    duration: int
    billsec: int
    call_cost: int
    billed_duration: int
    hangup_cause_q850: int
    leg_type: int
    amd_status: AmdStatus
    callrequest_id: int | None
    campaign_id: int | None
    subscriber_id: int
    contact_id: int | None


class SubscriberStanding(msgspec.Struct, frozen=True, gc=False):
    """Status of a subscriber, and its reason."""

    status: SubscriberStatus
    reason: str = ""


class Closing(msgspec.Struct, frozen=True):
    """Time and reason of a campaign's own stop."""

    status: CampaignStatus
    reason: str
    at_ms: int


_Retry = tuple[int, int, int, Subscriber]
"""Due time, subscriber id, number of attempts so far, and the subscriber."""
_IGNORED: Final = (
    *(effects.SendText, effects.KeepText, effects.DropText, effects.TakeBackCall),
    *(effects.KeepAgent, effects.KeepQueue, effects.KeepBreaker, effects.KeepLine, effects.ExpectCallBack),
    effects.KeepPreview,
)
"""Effects that change nothing here: agents, queues and gateways have no rows."""
# Every call uses these members. A lookup in an enumeration costs as much as a function call.
_PENDING: Final = SubscriberStatus.PENDING
_A_LEG: Final = LegType.A_LEG
_FRESH: Final = SubscriberStanding(_PENDING)
_IN_PROCESS: Final = SubscriberStanding(SubscriberStatus.IN_PROCESS)


class _Zone:
    """Subscribers of one zone of one campaign."""

    __slots__ = ("retries", "subscribers")

    def __init__(self) -> None:
        self.subscribers: list[Subscriber] = []
        """Sorted by id."""
        self.retries: list[_Retry] = []
        """Retries in the order of their times. Some entries are outdated: their subscribers were called since."""


class _Campaign:
    """Subscribers of a campaign, by zone."""

    __slots__ = ("dnc_ids", "open", "size", "zones")

    def __init__(self, dnc_ids: Sequence[int]) -> None:
        self.dnc_ids = dnc_ids
        self.zones: dict[str, _Zone] = {}
        self.size = 0
        self.open = 0


class MemoryStore:
    """Records of any number of campaigns. Subscriber ids are unique over all of them."""

    def __init__(self) -> None:
        self.cdrs: Final[list[SimulatedCdr]] = []
        """Call detail records, in the order in which the calls ended."""
        self.results: Final[list[tuple[int, SectionResult]]] = []
        """Survey answers, each with the id of its call request."""
        self.closings: Final[dict[int, Closing]] = {}
        """First stop of each campaign, by campaign id. Later moves follow from it."""
        self.transfers: Final[dict[str, tuple[Call, Transfer]]] = {}
        """Latest state of every transfer with its call, by the callid of the B-leg."""
        self.messages: Final[list[tuple[Call, CallOutcome]]] = []
        """Messages sent during calls, with their outcomes."""
        self.figures: Final[dict[int, PacingFigures]] = {}
        """Pacing figures of campaigns that dial for agents, by campaign id."""
        self.spent: Final[Counter[int]] = Counter()
        """Money spent by each user, in integers of 1e-5."""
        self.calls_in_progress = 0
        self.calls_in_progress_peak = 0
        self._campaigns: Final[dict[int, _Campaign]] = {}
        self._dnc: Final[dict[int, set[str]]] = {}
        self._lists_national: Final[set[int]] = set()
        """The lists with numbers without a country, which count for numbers of any country."""
        self._standings: Final[dict[int, SubscriberStanding]] = {}
        recorders: dict[type, Callable[[Any, int], None] | None] = {
            **dict.fromkeys(_IGNORED),
            effects.Dial: self._record_dial,
            effects.FinishCall: self._record_finish,
            effects.RefuseSubscriber: self._record_refusal,
            effects.PutBack: self._record_put_back,
            effects.MoveCampaign: self._record_move,
            effects.KeepWish: self._record_wish,
            effects.AnswerCall: self._record_dial,
            effects.FinishInbound: self._record_inbound,
            effects.CompleteSubscriber: self._complete,
            effects.RefuseInbound: self._record_refused_inbound,
            effects.FinishLeg: self._record_leg,
            effects.KeepTransfer: self._record_transfer,
            effects.FinishText: self._record_message,
            effects.KeepFigures: self._record_figures,
        }
        self._recorders: Final = exhaustive(effects.Recorded, recorders)

    def add_dnc(self, dnc_id: int, numbers: Iterable[str]) -> None:
        """Add numbers (in normal form) to a do-not-call list."""
        listed = self._dnc.setdefault(dnc_id, set())
        for number in numbers:
            listed.add(number)
            if has_no_country(number):
                self._lists_national.add(dnc_id)

    def add_campaign(self, campaign_id: int, subscribers: Iterable[Subscriber], dnc_ids: Sequence[int] = ()) -> None:
        """Add a campaign and its subscribers, all PENDING, sorted by id."""
        campaign = self._campaigns[campaign_id] = _Campaign(dnc_ids)
        for subscriber in subscribers:
            zone = campaign.zones.get(subscriber.zone)
            if zone is None:
                zone = campaign.zones[subscriber.zone] = _Zone()
            zone.subscribers.append(subscriber)
            campaign.size += 1
        campaign.open = campaign.size

    def zones(self, campaign_id: int) -> tuple[str, ...]:
        """Return the zone keys of a campaign's subscribers, sorted."""
        return tuple(sorted(self._campaigns[campaign_id].zones))

    def standing(self, subscriber_id: int) -> SubscriberStanding:
        """Return a subscriber's status and reason."""
        return self._standings.get(subscriber_id, _FRESH)

    def claim_fresh(self, claim: effects.ClaimFresh) -> events.FreshClaimed:
        """Return subscribers never called, lowest id first."""
        campaign = self._campaigns[claim.campaign_id]
        everybody = campaign.zones[claim.zone].subscribers
        found: list[Subscriber] = []
        index = bisect_right(everybody, claim.after_id, key=_id)
        while index < len(everybody) and len(found) < claim.limit:
            following = everybody[index : index + claim.limit - len(found)]
            found += [subscriber for subscriber in following if subscriber.id not in self._standings]
            index += len(following)
        self._mark(found, campaign.dnc_ids)
        return events.FreshClaimed(claim.campaign_id, claim.zone, found, is_last=len(found) < claim.limit)

    def claim_retries(self, claim: effects.ClaimRetries) -> events.RetriesClaimed:
        """Return subscribers who wait for a retry, in the order of their due times.

        The subscribers found stay among the retries, because the claim may be released again.
        """
        campaign = self._campaigns[claim.campaign_id]
        retries = campaign.zones[claim.zone].retries
        outdated = 0
        while outdated < len(retries) and not self._is_waiting(retries[outdated]):
            outdated += 1
        del retries[:outdated]
        found: list[Subscriber] = []
        index = bisect_left(retries, (claim.after_due_ms, claim.after_id + 1))
        while index < len(retries) and len(found) < claim.limit:
            if self._is_waiting(retries[index]):
                found.append(retries[index][3])
            index += 1
        self._mark(found, campaign.dnc_ids)
        return events.RetriesClaimed(claim.campaign_id, claim.zone, found, is_last=len(found) < claim.limit)

    def claim_again(self, claim: effects.ClaimAgain) -> events.SubscriberClaimedAgain:
        """Return the subscriber of the claim, checked against the do-not-call lists again."""
        self._mark([claim.subscriber], self._campaigns[claim.campaign_id].dnc_ids)
        return events.SubscriberClaimedAgain(claim.campaign_id, claim.subscriber)

    def claim_offered(self, claim: effects.ClaimOffered) -> events.OfferedClaimed:
        """Return the subscriber whom an agent sees, checked against the do-not-call lists again."""
        self._mark([claim.subscriber], self._campaigns[claim.campaign_id].dnc_ids)
        return events.OfferedClaimed(claim.campaign_id, claim.agent_id, claim.subscriber)

    def count_subscribers(self, request: effects.CountSubscribers) -> events.SubscribersCounted:
        """Return whether a campaign has subscribers, and whether any of them are not final."""
        campaign = self._campaigns[request.campaign_id]
        return events.SubscribersCounted(request.campaign_id, has_any=campaign.size > 0, has_open=campaign.open > 0)

    def check_number(self, check: effects.CheckNumber) -> events.NumberChecked:
        """Return whether a number is on a do-not-call list of a campaign."""
        is_on_dnc = self._is_on(self._campaigns[check.campaign_id].dnc_ids, check.number)
        return events.NumberChecked(check.call_id, check.number, check.text, is_on_dnc)

    def check_text(self, check: effects.CheckText) -> events.TextChecked:
        """Return whether a waiting message goes to a number on a do-not-call list of its campaign."""
        is_on_dnc = self._is_on(self._campaigns[check.campaign_id].dnc_ids, check.number)
        return events.TextChecked(check.gateway_id, check.message_id, is_recorded=True, is_on_dnc=is_on_dnc)

    @staticmethod
    def find_caller(request: effects.FindCaller) -> events.CallerFound:
        """Return a caller whom no campaign knows: simulated calls do not come in over lines."""
        return events.CallerFound(request.received, request.did_id, Subscriber(NO_SUBSCRIBER, request.number, ""), -1)

    @staticmethod
    def take_call_back(arrived: events.CallArrived) -> events.CallArrived:
        """Return the expected call unchanged: no subscriber is ever deleted here."""
        return arrived

    def record(self, effect: effects.Recorded, now_ms: int) -> None:
        """Apply an effect of the engine to the state in memory."""
        recorder = self._recorders[type(effect)]
        if recorder is not None:
            recorder(effect, now_ms)

    def _is_waiting(self, entry: _Retry) -> bool:
        _, subscriber_id, attempts, subscriber = entry
        return subscriber.attempts == attempts and self.standing(subscriber_id).status is _PENDING

    def _mark(self, found: list[Subscriber], dnc_ids: Sequence[int]) -> None:
        listed = [self._dnc[dnc_id] for dnc_id in dnc_ids if self._dnc.get(dnc_id)]
        for subscriber in found:
            subscriber.is_on_dnc = False
            for numbers in listed:
                if subscriber.number in numbers:
                    subscriber.is_on_dnc = True
            if not subscriber.is_on_dnc and (self._lists_national or subscriber.number[:1] != "+"):
                subscriber.is_on_dnc = self._is_on(dnc_ids, subscriber.number)

    def _is_on(self, dnc_ids: Sequence[int], number: str) -> bool:
        for dnc_id in dnc_ids:
            listed = self._dnc.get(dnc_id, ())
            has_forms = dnc_id in self._lists_national or has_no_country(number)
            if number in listed or (has_forms and is_listed(number, listed)):
                return True
        return False

    def _record_dial(self, effect: effects.Dial | effects.AnswerCall, _now_ms: int) -> None:
        call = effect.call
        if call.attempt > 0:  # An inbound call changes nothing for the subscriber.
            self._standings[call.subscriber.id] = _IN_PROCESS
        self.calls_in_progress += 1
        if self.calls_in_progress > self.calls_in_progress_peak:  # noqa: PLR1730 - three times as fast as max()
            self.calls_in_progress_peak = self.calls_in_progress

    def _record_finish(self, effect: effects.FinishCall, _now_ms: int) -> None:
        call, after = effect.call, effect.disposition
        self._record_call(effect)
        subscriber, campaign = call.subscriber, self._campaigns[call.plan.id]
        status = after.status
        self._standings[subscriber.id] = SubscriberStanding(status, after.reason)
        if status is _PENDING:
            _await_retry(campaign.zones[subscriber.zone], (after.due_ms, subscriber.id, call.attempt, subscriber))
        else:
            campaign.open -= 1

    def _record_put_back(self, effect: effects.PutBack, _now_ms: int) -> None:
        one, campaign = effect.subscriber, self._campaigns[effect.campaign_id]
        self._standings[one.id] = SubscriberStanding(effect.status, effect.reason)
        if effect.status is _PENDING:
            _await_retry(campaign.zones[one.zone], (effect.at_ms, one.id, one.attempts, one))
        else:
            campaign.open -= 1

    def _record_inbound(self, effect: effects.FinishInbound, _now_ms: int) -> None:
        self._record_call(effect)

    def _complete(self, effect: effects.CompleteSubscriber, _now_ms: int) -> None:
        if self.standing(effect.subscriber_id).status is _PENDING:
            self._settle(effect.campaign_id, effect.subscriber_id, SubscriberStanding(SubscriberStatus.COMPLETED))

    def _record_call(self, effect: effects.FinishCall | effects.FinishInbound) -> None:
        call, outcome, bill = effect.call, effect.outcome, effect.bill
        plan, subscriber = call.plan, call.subscriber
        self.cdrs.append(
            SimulatedCdr(
                call.callid,
                call.callerid,
                call.did_number or subscriber.number,
                call.started_ms,
                bill.duration,
                bill.billsec,
                bill.cost,
                bill.billed_duration,
                outcome.cause,
                _A_LEG,
                outcome.amd_status,
                call.id,
                plan.id,
                subscriber.id,
                subscriber.contact_id,
            )
        )
        for result in outcome.results:
            self.results.append((call.id, result))
        self.spent[plan.user_id] += bill.cost
        self.calls_in_progress -= 1

    def _record_refused_inbound(self, effect: effects.RefuseInbound, now_ms: int) -> None:
        self.cdrs.append(_refused_cdr(effect, now_ms))

    def _record_leg(self, effect: effects.FinishLeg, _now_ms: int) -> None:
        self.cdrs.append(_leg_cdr(effect))
        self.spent[effect.call.plan.user_id] += effect.bill.cost

    def _record_transfer(self, effect: effects.KeepTransfer, _now_ms: int) -> None:
        self.transfers[effect.transfer.callid] = (effect.call, effect.transfer)

    def _record_message(self, effect: effects.FinishText, _now_ms: int) -> None:
        self.messages.append((effect.message, effect.outcome))
        self.spent[effect.message.plan.user_id] += effect.bill.cost

    def _record_figures(self, effect: effects.KeepFigures, _now_ms: int) -> None:
        self.figures[effect.campaign_id] = effect.figures

    def _record_refusal(self, effect: effects.RefuseSubscriber, _now_ms: int) -> None:
        standing = SubscriberStanding(SubscriberStatus.NOT_AUTHORIZED, effect.reason)
        self._settle(effect.campaign_id, effect.subscriber.id, standing)

    def _settle(self, campaign_id: int, subscriber_id: int, standing: SubscriberStanding) -> None:
        self._standings[subscriber_id] = standing
        if standing.status not in OPEN_SUBSCRIBERS:
            self._campaigns[campaign_id].open -= 1

    def _record_move(self, effect: effects.MoveCampaign, now_ms: int) -> None:
        self.closings.setdefault(effect.campaign_id, Closing(effect.status, effect.reason, now_ms))

    def _record_wish(self, effect: effects.KeepWish, _now_ms: int) -> None:
        for one in lists_of_wish(effect):
            self.add_dnc(one, [effect.number])


def _id(subscriber: Subscriber) -> int:
    return subscriber.id


def _refused_cdr(effect: effects.RefuseInbound, now_ms: int) -> SimulatedCdr:
    caller = effect.subscriber
    return SimulatedCdr(
        callid=effect.callid,
        callerid=caller.number,
        phone_number=effect.did_number,
        starting_ms=now_ms,
        duration=0,
        billsec=0,
        call_cost=0,
        billed_duration=0,
        hangup_cause_q850=effect.cause,
        leg_type=LegType.A_LEG,
        amd_status=AmdStatus.PERSON,
        callrequest_id=None,
        campaign_id=None,
        subscriber_id=caller.id,
        contact_id=caller.contact_id,
    )


def _leg_cdr(effect: effects.FinishLeg) -> SimulatedCdr:
    call, transfer, bill = effect.call, effect.transfer, effect.bill
    return SimulatedCdr(
        callid=transfer.callid,
        callerid=call.subscriber.number,
        phone_number=transfer.number,
        starting_ms=transfer.started_ms or 0,
        duration=bill.duration,
        billsec=bill.billsec,
        call_cost=bill.cost,
        billed_duration=bill.billed_duration,
        hangup_cause_q850=effect.outcome.cause,
        leg_type=LegType.B_LEG,
        amd_status=AmdStatus.PERSON,
        callrequest_id=call.id,
        campaign_id=call.plan.id,
        subscriber_id=call.subscriber.id,
        contact_id=call.subscriber.contact_id,
    )


def _await_retry(zone: _Zone, retry: _Retry) -> None:
    retries = zone.retries
    if not retries or retries[-1] < retry:  # Nearly always: the last call to end is called again last.
        retries.append(retry)
    else:
        insort(retries, retry)
