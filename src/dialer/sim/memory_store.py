"""MemoryStore: the subscribers of campaigns in memory. It answers the engine and moves them as the rows would."""

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import attrgetter, itemgetter
from typing import Any, Final, NamedTuple

import msgspec
from msgspec.structs import replace

from dialer.domain.calls import (
    call_effects,
    call_events,
    campaign_effects,
    campaign_events,
    effects,
    text_effects,
    text_events,
)
from dialer.domain.calls.disposition import Disposition
from dialer.domain.calls.plans import NO_SUBSCRIBER, Subscriber
from dialer.domain.engine.called_off import lists_of_wish
from dialer.domain.numbers.listed_forms import has_no_country, is_listed
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.exhaustive import exhaustive
from dialer.domain.words.states import OPEN_SUBSCRIBERS

_Retry = tuple[int, int, Subscriber]
"""Due time, subscriber id, and the subscriber."""
_LAST_ID: Final = 2**63
"""More than any id."""
# Every call uses these. A lookup in an enumeration costs as much as a function call.
_PENDING: Final = SubscriberStatus.PENDING
_COMPLETED: Final = SubscriberStatus.COMPLETED
_id_of: Final[Callable[[Subscriber], int]] = attrgetter("id")
_due_and_id: Final[Callable[[_Retry], tuple[int, int]]] = itemgetter(0, 1)


class SubscriberStanding(msgspec.Struct, frozen=True, gc=False):
    """Status of a subscriber, and its reason."""

    status: SubscriberStatus
    reason: str = ""


_FRESH: Final = SubscriberStanding(_PENDING)
IN_PROCESS: Final = SubscriberStanding(SubscriberStatus.IN_PROCESS)


class CampaignPeople(NamedTuple):
    """The subscribers of a campaign when it is opened."""

    size: int
    still_open: int
    """Number of those who are not final."""
    fresh: Mapping[str, Sequence[Subscriber]]
    """PENDING subscribers without a time for their next attempt, by zone, in id order."""
    retries: Sequence[Subscriber] = ()
    """PENDING subscribers who wait for their next attempt."""
    pending_ids: AbstractSet[int] | None = None
    """PENDING subscribers; None if all are."""
    halted_ids: AbstractSet[int] = frozenset()
    """Subscribers in a call who are not called again after it."""


class _Retries:
    """Retries of one zone of one campaign, in the order of their times.

    Some are outdated: their subscribers were called since.
    """

    __slots__ = ("entries", "past")

    def __init__(self) -> None:
        self.entries: list[_Retry] = []
        self.past = 0
        """Number of the first entries that are all outdated."""

    def skip(self, waiting: Mapping[int, _Retry]) -> None:
        """Skip outdated entries at the beginning. Remove them once they are the larger part."""
        entries, past = self.entries, self.past
        while past < len(entries) and waiting.get(entries[past][1]) is not entries[past]:
            past += 1
        if 2 * past > len(entries):
            del entries[:past]
            past = 0
        self.past = past


class _Campaign:
    """A campaign with its subscribers, and its do-not-call lists."""

    __slots__ = ("completed", "last_id", "lists", "open", "people", "retries")

    def __init__(self, people: CampaignPeople, lists: Sequence[AbstractSet[str]]) -> None:
        self.people = people
        self.lists = lists
        self.retries: defaultdict[str, _Retries] = defaultdict(_Retries)
        self.open = people.still_open
        self.completed = 0
        self.last_id = _LAST_ID
        """Id of the last subscriber who exists, while contacts become subscribers."""


class MemoryStore:
    """A `CampaignStore` for any number of campaigns, whose subscriber ids are unique over all of them.

    Subclasses keep records beyond the state of subscribers. With `copies`, several stores share their subscribers: each
    changes copies of its own.
    """

    def __init__(self, *, copies: bool = False) -> None:
        self._copies: Final = copies
        self._campaigns: Final[dict[int, _Campaign]] = {}
        self._dnc: Final[defaultdict[int, set[str]]] = defaultdict(set)
        self._has_forms = False
        """True if a list may have a number in another form, such as without its country."""
        self._standings: Final[dict[int, SubscriberStanding]] = {}
        """The subscribers whose standing has changed."""
        self._kinds: Final[dict[tuple[SubscriberStatus, str], SubscriberStanding]] = {}
        """Each standing once: there are few, and many subscribers."""
        self._waiting: Final[dict[int, _Retry]] = {}
        """The retry of each subscriber who waits for one."""
        self._recorders: Final = exhaustive(effects.Recorded, self._all_recorders())

    def _all_recorders(self) -> dict[type, Callable[[Any, int], None] | None]:
        """Return functions by the type of each effect; None for one that changes nothing. Subclasses add theirs."""
        return {
            call_effects.Dial: self._record_dial,
            campaign_effects.PutBack: self._record_put_back,
            campaign_effects.CompleteSubscriber: self._record_completion,
            campaign_effects.RefuseSubscriber: self._record_refusal,
            effects.KeepWish: self._record_wish,
        }

    def add_dnc(self, dnc_id: int, numbers: Iterable[str]) -> None:
        """Add numbers (in normal form) to a do-not-call list."""
        listed = self._dnc[dnc_id]
        for number in numbers:
            listed.add(number)
            self._has_forms = self._has_forms or has_no_country(number)

    def add_campaign(self, campaign_id: int, subscribers: Iterable[Subscriber], dnc_ids: Sequence[int] = ()) -> None:
        """Add a campaign and its subscribers, all PENDING, sorted by id."""
        fresh: defaultdict[str, list[Subscriber]] = defaultdict(list)
        for subscriber in subscribers:
            fresh[subscriber.zone].append(subscriber)
        size = sum(map(len, fresh.values()))
        self._open(campaign_id, CampaignPeople(size, size, fresh), [self._dnc[dnc_id] for dnc_id in dnc_ids])

    def _open(self, campaign_id: int, people: CampaignPeople, lists: Sequence[AbstractSet[str]]) -> _Campaign:
        """Add a campaign with its subscribers as they are, and its do-not-call lists."""
        campaign = self._campaigns[campaign_id] = _Campaign(people, lists)
        for one in sorted(people.retries, key=attrgetter("due_ms", "id")):
            entry = self._waiting[one.id] = (one.due_ms, one.id, replace(one) if self._copies else one)
            campaign.retries[one.zone].entries.append(entry)
        return campaign

    def zones(self, campaign_id: int) -> tuple[str, ...]:
        """Return the zone keys of a campaign's fresh subscribers, sorted."""
        return tuple(sorted(self._campaigns[campaign_id].people.fresh))

    def standing(self, subscriber_id: int) -> SubscriberStanding:
        """Return a subscriber's status and reason."""
        return self._standings.get(subscriber_id, _FRESH)

    # --- what the engine asks ---------------------------------------------------------------------------------------

    def claim_fresh(self, claim: campaign_effects.ClaimFresh) -> campaign_events.FreshClaimed:
        """Return subscribers who were never called, lowest id first."""
        campaign, standings = self._campaigns[claim.campaign_id], self._standings
        people, last_id = campaign.people.fresh.get(claim.zone, ()), campaign.last_id
        found: list[Subscriber] = []
        for place in range(bisect_right(people, claim.after_id, key=_id_of), len(people)):
            one = people[place]
            if len(found) >= claim.limit or one.id > last_id:
                break
            if one.id not in standings:
                found.append(replace(one) if self._copies else one)
        self._mark(found, campaign)
        return campaign_events.FreshClaimed(claim.campaign_id, claim.zone, found, is_last=len(found) < claim.limit)

    def claim_retries(self, claim: campaign_effects.ClaimRetries) -> campaign_events.RetriesClaimed:
        """Return subscribers who wait for a retry, in the order of their due times.

        The subscribers found stay among the retries, because the claim may be released again.
        """
        campaign, waiting = self._campaigns[claim.campaign_id], self._waiting
        retries = campaign.retries[claim.zone]
        retries.skip(waiting)
        entries, after = retries.entries, (claim.after_due_ms, claim.after_id)
        found: list[Subscriber] = []
        for place in range(bisect_right(entries, after, lo=retries.past, key=_due_and_id), len(entries)):
            if len(found) >= claim.limit:
                break
            entry = entries[place]
            if waiting.get(entry[1]) is entry:
                found.append(entry[2])
        self._mark(found, campaign)
        return campaign_events.RetriesClaimed(claim.campaign_id, claim.zone, found, is_last=len(found) < claim.limit)

    def claim_again(self, claim: campaign_effects.ClaimAgain) -> campaign_events.SubscriberClaimedAgain:
        """Return a subscriber, checked against the lists again; None if they are not PENDING."""
        campaign = self._campaigns[claim.campaign_id]
        found = [claim.subscriber] if self._is_pending(campaign, claim.subscriber.id) else []
        self._mark(found, campaign)
        return campaign_events.SubscriberClaimedAgain(claim.campaign_id, found[0] if found else None)

    def claim_offered(self, claim: campaign_effects.ClaimOffered) -> campaign_events.OfferedClaimed:
        """Return the subscriber whom an agent sees, checked against the lists again; None if they are not PENDING."""
        is_pending = self._standings.get(claim.subscriber.id, _FRESH).status is _PENDING
        found = [claim.subscriber] if is_pending else []
        self._mark(found, self._campaigns[claim.campaign_id])
        return campaign_events.OfferedClaimed(claim.campaign_id, claim.agent_id, found[0] if found else None)

    def count_subscribers(self, request: campaign_effects.CountSubscribers) -> campaign_events.SubscribersCounted:
        """Return whether a campaign has subscribers, and whether any of them are not final."""
        campaign = self._campaigns[request.campaign_id]
        has_any, has_open = campaign.people.size > 0, campaign.open > 0
        return campaign_events.SubscribersCounted(request.campaign_id, has_any=has_any, has_open=has_open)

    def check_number(self, check: campaign_effects.CheckNumber) -> campaign_events.NumberChecked:
        """Return whether a number is on a do-not-call list of a campaign."""
        is_on_dnc = self._is_listed(check.number, self._campaigns[check.campaign_id].lists)
        return campaign_events.NumberChecked(check.call_id, check.number, check.text, is_on_dnc)

    def check_text(self, check: text_effects.CheckText) -> text_events.TextChecked:
        """Return whether a waiting message goes to a number on a do-not-call list of its campaign."""
        is_on_dnc = self._is_listed(check.number, self._campaigns[check.campaign_id].lists)
        return text_events.TextChecked(check.gateway_id, check.message_id, is_recorded=True, is_on_dnc=is_on_dnc)

    @staticmethod
    def find_caller(request: call_effects.FindCaller) -> call_events.CallerFound:
        """Return a caller whom no campaign knows: simulated calls do not come in over lines."""
        return call_events.CallerFound(
            request.received, request.did_id, Subscriber(NO_SUBSCRIBER, request.number, ""), -1
        )

    @staticmethod
    def take_call_back(arrived: call_events.CallArrived) -> call_events.CallArrived:
        """Return the expected call unchanged: no subscriber is ever deleted here."""
        return arrived

    def _mark(self, found: list[Subscriber], campaign: _Campaign) -> None:
        lists = [listed for listed in campaign.lists if listed]
        for one in found:
            one.is_on_dnc = False
            for numbers in lists:
                if one.number in numbers:
                    one.is_on_dnc = True
            if not one.is_on_dnc and (self._has_forms or one.number[:1] != "+"):
                one.is_on_dnc = self._is_listed(one.number, lists)
        self._hold(found)

    def _hold(self, found: Sequence[Subscriber]) -> None:
        """Note when contact rules hold claimed people back: here, none does."""

    def _is_listed(self, number: str, lists: Sequence[AbstractSet[str]]) -> bool:
        """Return whether a list has a number, in any of its forms."""
        has_forms = self._has_forms or has_no_country(number)
        return any(number in listed or (has_forms and is_listed(number, listed)) for listed in lists)

    # --- what the engine reports ------------------------------------------------------------------------------------

    def record(self, effect: effects.Recorded, now_ms: int) -> None:
        """Apply an effect of the engine to the state in memory."""
        recorder = self._recorders[type(effect)]
        if recorder is not None:
            recorder(effect, now_ms)

    def _record_dial(self, effect: call_effects.Dial, _now_ms: int) -> None:
        subscriber_id = effect.call.subscriber.id
        self._standings[subscriber_id] = IN_PROCESS
        self._waiting.pop(subscriber_id, None)

    def _record_put_back(self, effect: campaign_effects.PutBack, _now_ms: int) -> None:
        self._settle(effect.campaign_id, effect.subscriber, effect, effect.at_ms)

    def _settle(
        self, campaign_id: int, subscriber: Subscriber, after: Disposition | campaign_effects.PutBack, due_ms: int
    ) -> None:
        """Give a subscriber the standing after an attempt. Those who were halted meanwhile are not called again."""
        campaign, status, reason = self._campaigns[campaign_id], after.status, after.reason
        if status is _PENDING and subscriber.id in campaign.people.halted_ids:
            status = SubscriberStatus.ABORT
        kind = (status, reason)
        self._standings[subscriber.id] = self._kinds.get(kind) or self._kinds.setdefault(
            kind, SubscriberStanding(status, reason)
        )
        if status is _PENDING:
            entry = self._waiting[subscriber.id] = (due_ms, subscriber.id, subscriber)
            retries = campaign.retries[subscriber.zone]
            if not retries.entries or retries.entries[-1][0] < due_ms:  # Nearly always: the last call to end.
                retries.entries.append(entry)
            else:
                insort(retries.entries, entry, lo=retries.past, key=_due_and_id)
        elif status not in OPEN_SUBSCRIBERS:
            campaign.open -= 1
            campaign.completed += status is _COMPLETED

    def _record_completion(self, effect: campaign_effects.CompleteSubscriber, _now_ms: int) -> None:
        """Complete a PENDING subscriber. If an attempt is in progress, its end completes them."""
        campaign, subscriber_id = self._campaigns[effect.campaign_id], effect.subscriber_id
        if self._is_pending(campaign, subscriber_id):
            self._end(campaign, subscriber_id, SubscriberStanding(_COMPLETED))
            campaign.completed += 1

    def _is_pending(self, campaign: _Campaign, subscriber_id: int) -> bool:
        standing, pending_ids = self._standings.get(subscriber_id), campaign.people.pending_ids
        if standing is None:
            return pending_ids is None or subscriber_id in pending_ids
        return standing.status is _PENDING

    def _record_refusal(self, effect: campaign_effects.RefuseSubscriber, _now_ms: int) -> None:
        standing = SubscriberStanding(SubscriberStatus.NOT_AUTHORIZED, effect.reason)
        self._end(self._campaigns[effect.campaign_id], effect.subscriber.id, standing)

    def _end(self, campaign: _Campaign, subscriber_id: int, standing: SubscriberStanding) -> None:
        self._standings[subscriber_id] = standing
        self._waiting.pop(subscriber_id, None)
        campaign.open -= 1

    def _record_wish(self, effect: effects.KeepWish, _now_ms: int) -> None:
        for one in lists_of_wish(effect):
            self.add_dnc(one, [effect.number])
