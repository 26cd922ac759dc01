"""The hopper: the next subscriber of a campaign.

Due retries come first, in the order in which they are due. Subscribers who were never called follow, lowest id first.
In both groups only subscribers with an open calling window count. The hopper holds a few subscribers of each zone. When
a zone runs out, the hopper returns the claim to make, so its memory does not grow with the campaign.
"""

from collections import deque
from collections.abc import Callable
from heapq import heapify, heappop, heappush, nsmallest
from typing import Final, NamedTuple, TypeAlias

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_windows import Window, Windows
from dialer.domain.calling_times.zones import is_zone_key
from dialer.domain.calls.campaign_effects import ClaimFresh, ClaimRetries
from dialer.domain.calls.plans import CampaignPlan, Subscriber
from dialer.domain.engine.aside import Aside, SkillWish
from dialer.domain.words.moments import NEVER_MS

CLAIM_FIRST: Final = 32
"""Number of subscribers in the first claim of a zone; each further claim is larger, up to `CLAIM_MAX`."""
CLAIM_MAX: Final = 1_024
RETRIES_HELD_MAX: Final = 16_384
"""Number of retries that a zone holds in memory; later ones are claimed again when their time comes."""


class Due(NamedTuple):
    """A place in the order of retries."""

    due_ms: int
    subscriber_id: int


_BEFORE_ALL: Final = Due(0, 2**62)
_AFTER_ALL: Final = Due(NEVER_MS, 0)

_Retry = tuple[int, int, Subscriber]
"""The due time, the subscriber's id, and the subscriber."""

MayBeKept: TypeAlias = Callable[[Subscriber, int], bool]
"""A test of whether the agent is free for a call to the subscriber who waits for that agent."""


class _Zone:
    """The subscribers of one zone that are held in memory."""

    __slots__ = (
        "claim_limit",
        "fresh",
        "fresh_cursor",
        "fresh_is_last",
        "horizon",
        "key",
        "promised",
        "retries",
        "window",
    )

    def __init__(self, key: str, window: Window) -> None:
        self.key = key
        self.window = window
        self.fresh: deque[Subscriber] = deque()
        self.fresh_cursor = 0
        self.fresh_is_last = False
        self.retries: list[_Retry] = []
        self.horizon = _BEFORE_ALL
        """All retries up to this place are in `retries`, unless they were called since."""
        self.claim_limit = CLAIM_FIRST
        self.promised: dict[int, _Retry] = {}
        """Due retries that need an agent who is free, and there was none, by the subscribers' ids."""

    def lacks_retries(self) -> bool:
        return not self.retries and self.horizon is not _AFTER_ALL

    def lacks_fresh(self) -> bool:
        return not self.fresh and not self.fresh_is_last

    def is_spent(self) -> bool:
        return not (self.fresh or self.retries or self.promised or self.lacks_fresh() or self.lacks_retries())

    def keep(self, is_kept: Callable[[Subscriber], bool]) -> None:
        self.fresh = deque(filter(is_kept, self.fresh))
        self.retries = [retry for retry in self.retries if is_kept(retry[2])]
        heapify(self.retries)
        self.promised = {key: retry for key, retry in self.promised.items() if is_kept(retry[2])}

    def set_aside(self, now_ms: int, is_available: MayBeKept) -> None:
        """Let the first retries that are due give way to later ones, while their agents are not free."""
        while self.retries and self.retries[0][0] <= now_ms:
            subscriber = self.retries[0][2]
            agent_id = subscriber.awaits(now_ms)
            if agent_id is None or is_available(subscriber, agent_id):
                return
            retry = heappop(self.retries)
            self.promised[retry[1]] = retry

    def first_promised(self, now_ms: int, is_available: MayBeKept, *, for_any_agent: bool) -> _Retry | None:
        """Return the first retry that was set aside and whose agent is free now.

        With `for_any_agent`, one whose promise is over may be returned, too.
        """
        may_be_called = []
        for retry in self.promised.values():
            agent_id = retry[2].awaits(now_ms)
            if for_any_agent if agent_id is None else is_available(retry[2], agent_id):
                may_be_called.append(retry)
        return min(may_be_called, default=None, key=_place)

    def add_retry(self, subscriber: Subscriber) -> None:
        if subscriber.id in self.promised:  # It was set aside, and is read again.
            self.promised[subscriber.id] = (subscriber.due_ms, subscriber.id, subscriber)
            return
        if (subscriber.due_ms, subscriber.id) > self.horizon:
            return
        heappush(self.retries, (subscriber.due_ms, subscriber.id, subscriber))
        if len(self.retries) > RETRIES_HELD_MAX:
            self.retries = nsmallest(RETRIES_HELD_MAX // 2, self.retries)
            self.horizon = Due(*self.retries[-1][:2])


def _place(retry: _Retry) -> tuple[int, int]:
    return retry[:2]


def _nobody(_subscriber: Subscriber, _agent_id: int) -> bool:
    return False


class Hopper:
    """The hopper of one campaign: the few subscribers who are called next."""

    def __init__(
        self,
        plan: CampaignPlan,
        zones: tuple[str, ...],
        windows: Windows,
        now_ms: int,
        hours: Calendar | None = None,
    ) -> None:
        self._campaign_id = plan.id
        self._calendar = plan.calendar
        self._hours = hours
        self._service_zone = plan.service_zone
        self._windows = windows
        self._zones = {key: self._new_zone(key, now_ms) for key in zones}
        self._open: list[_Zone] = []
        self._only: _Zone | None = None
        """The zone of a campaign that has one zone only, while its window is open."""
        self._open_until_ms = 0
        self._source: _Zone | None = None
        self._source_is_retries = False
        self._is_promised = False
        """True if the subscriber that was returned last was set aside before."""
        self._promised_id = 0
        self.aside: Final = Aside()
        """People who wait for an agent with the skills that their call needs."""
        self._aside_id = 0
        """The one of these who was returned last; 0 if it was somebody else."""
        self.awaits_agents = False
        """True if a due subscriber waits for the agent who has promised the call-back."""

    def next(self, now_ms: int, is_available: MayBeKept = _nobody) -> Subscriber | ClaimFresh | ClaimRetries | None:
        """Return the subscriber to call at `now_ms`, or the claim to make first, or None if nobody can be called.

        A call-back that an agent takes themselves waits until the agent is free (`is_available`), and until its limit
        at the most. The result does not change until `take` is called.
        """
        if now_ms >= self._open_until_ms:
            self._look_at_windows(now_ms)
        self._source, self._is_promised, self._aside_id = None, False, 0
        best = self._first_promised(now_ms, is_available, for_any_agent=True) if self.awaits_agents else None
        for zone in self._open:
            retries = zone.retries
            if retries and (retries[0][2].promised_agent_id is not None or retries[0][2].abandoned):
                zone.set_aside(now_ms, is_available)
                self.awaits_agents = self.awaits_agents or bool(zone.promised)
            if retries:
                first = retries[0]
                if first[0] <= now_ms and (best is None or first[:2] < best[:2]):
                    best = first
                    self._source, self._is_promised = zone, False
            elif zone.horizon is not _AFTER_ALL:
                due_ms, subscriber_id = zone.horizon
                return ClaimRetries(self._campaign_id, zone.key, due_ms, subscriber_id, zone.claim_limit)
        self._source_is_retries = best is not None
        if best is not None:
            return best[2]
        only = self._only
        if only is not None and only.fresh:  # As `_next_fresh`, for many campaigns.
            self._source = only
            return only.fresh[0]
        return self._next_fresh()

    def next_aside(self, now_ms: int, may_be_called: Callable[[SkillWish], bool]) -> Subscriber | None:
        """Return the first subscriber who was set aside and whose wish is met now; None if there is none.

        The next `take` removes them.
        """
        if now_ms >= self._open_until_ms:
            self._look_at_windows(now_ms)
        first = self.aside.first({zone.key for zone in self._open}, may_be_called)
        if first is not None:
            self._source, self._aside_id = None, first.id
        return first

    def next_promised(self, now_ms: int, is_available: MayBeKept) -> Subscriber | None:
        """Return a subscriber whose call-back has waited for an agent who is free now; None if there is none."""
        best = self._first_promised(now_ms, is_available, for_any_agent=False)
        return None if best is None else best[2]

    def _first_promised(self, now_ms: int, is_available: MayBeKept, *, for_any_agent: bool) -> _Retry | None:
        if now_ms >= self._open_until_ms:
            self._look_at_windows(now_ms)
        self._source, self._is_promised = None, False
        best: _Retry | None = None
        for zone in self._open:
            if not zone.promised:
                continue
            first = zone.first_promised(now_ms, is_available, for_any_agent=for_any_agent)
            if first is not None and (best is None or first[:2] < best[:2]):
                best = first
                self._source, self._source_is_retries, self._is_promised = zone, True, True
                self._promised_id = first[1]
        return best

    def limit(self, hours: Calendar | None, now_ms: int) -> None:
        """Replace the calling hours of the campaign's gateway."""
        if hours != self._hours:
            self._hours = hours
            for zone in self._zones.values():
                zone.window = self._window(zone.key, now_ms)
            self._open_until_ms = 0

    @property
    def has_fresh(self) -> bool:
        """True if it holds people who were never called."""
        return any(zone.fresh for zone in self._zones.values())

    def take(self) -> None:
        """Remove the subscriber that `next` returned last."""
        zone = self._source
        if zone is None:
            self.aside.discard(self._aside_id)
            return
        if self._is_promised:
            del zone.promised[self._promised_id]
            self._look_for_promises()
        elif self._source_is_retries:
            heappop(zone.retries)
        else:
            zone.fresh.popleft()
        self._source = None

    def add_fresh(self, zone_key: str, subscribers: list[Subscriber], *, is_last: bool) -> None:
        """Add the subscribers that a `ClaimFresh` found."""
        zone = self._zones[zone_key]
        zone.fresh.extend(subscribers)
        zone.fresh_is_last = is_last
        if subscribers:
            zone.fresh_cursor = subscribers[-1].id
        zone.claim_limit = min(CLAIM_MAX, zone.claim_limit * 2)

    def add_retries(self, zone_key: str, subscribers: list[Subscriber], *, is_last: bool) -> None:
        """Add the subscribers that a `ClaimRetries` found."""
        zone = self._zones[zone_key]
        zone.horizon = _AFTER_ALL
        for subscriber in subscribers:
            if subscriber.id not in self.aside.people:
                zone.add_retry(subscriber)
        if not is_last and subscribers:
            zone.horizon = Due(subscribers[-1].due_ms, subscribers[-1].id)

    def schedule_retry(self, subscriber: Subscriber, now_ms: int) -> None:
        """Add a subscriber who is to be called again at their `due_ms`."""
        zone = self._zones.get(subscriber.zone)
        if zone is None:
            zone = self._zones[subscriber.zone] = self._new_zone(subscriber.zone, now_ms)
            self._open_until_ms, self._only = 0, None
        if self.aside.people:
            self.aside.discard(subscriber.id)
        zone.add_retry(subscriber)

    def is_open(self, zone_key: str, now_ms: int) -> bool:
        """Return whether the subscribers of a zone may be called now."""
        return self._window(zone_key, now_ms).is_open

    def drop(self, subscriber: Subscriber) -> None:
        """Remove a subscriber who need not be called any more."""
        self.aside.discard(subscriber.id)
        zone = self._zones.get(subscriber.zone)
        if zone is not None:
            zone.keep(lambda other: other.id != subscriber.id)
            self._look_for_promises()

    def drop_number(self, number: str) -> None:
        """Remove the subscriber with a number."""
        self.aside.discard_number(number)
        for zone in self._zones.values():
            zone.keep(lambda other: other.number != number)
        self._look_for_promises()

    def changes_at_ms(self, now_ms: int) -> int:
        """Return the earliest time at which `next` may return a subscriber, after it returned None.

        At that time a retry is due, or a calling window opens.
        """
        at_ms = NEVER_MS
        zones_aside = self.aside.zones() if self.aside.people else ()
        for zone in self._zones.values():
            if not zone.window.is_open:
                if not zone.is_spent() or zone.key in zones_aside:
                    at_ms = min(at_ms, zone.window.until_ms)
            else:
                if zone.retries:
                    at_ms = min(at_ms, zone.retries[0][0])
                for retry in zone.promised.values():
                    if retry[2].promise_at(now_ms) is not None:
                        at_ms = min(at_ms, retry[2].promised_until_ms)
        return max(at_ms, now_ms + 1)

    def rests_until_ms(self) -> int:
        """Return a time until which `next` would return None, for a campaign of one zone; 0 if it has to be asked."""
        zone = self._only
        if zone is None or zone.fresh or not zone.fresh_is_last or zone.promised:
            return 0
        return zone.retries[0][0] if zone.retries else NEVER_MS if zone.horizon is _AFTER_ALL else 0

    def has_somebody(self, now_ms: int) -> bool:
        """Return whether somebody may be called now, as far as is read: `claim_to_know` says what is not."""
        if now_ms >= self._open_until_ms:
            self._look_at_windows(now_ms)
        return any(zone.fresh or (zone.retries and zone.retries[0][0] <= now_ms) for zone in self._open)

    def claim_to_know(self) -> ClaimFresh | ClaimRetries | None:
        """Return a claim that may find somebody where `has_somebody` knows of nobody; None if there is nobody."""
        for zone in self._open:
            if zone.lacks_retries():
                return ClaimRetries(self._campaign_id, zone.key, *zone.horizon, zone.claim_limit)
            if zone.lacks_fresh():
                return ClaimFresh(self._campaign_id, zone.key, zone.fresh_cursor, zone.claim_limit)
        return None

    def _next_fresh(self) -> Subscriber | ClaimFresh | None:
        best: Subscriber | None = None
        for zone in self._open:
            if not zone.fresh:
                if not zone.fresh_is_last:
                    return ClaimFresh(self._campaign_id, zone.key, zone.fresh_cursor, zone.claim_limit)
            elif best is None or zone.fresh[0].id < best.id:
                best = zone.fresh[0]
                self._source = zone
        return best

    def _look_for_promises(self) -> None:
        self.awaits_agents = any(zone.promised for zone in self._zones.values())

    def _new_zone(self, key: str, now_ms: int) -> _Zone:
        return _Zone(key, self._window(key, now_ms))

    def _window(self, key: str, now_ms: int) -> Window:
        """Return the calling window of a zone. An unknown zone is always open, so that its subscribers are refused."""
        if not is_zone_key(key):
            return Window(is_open=True, until_ms=NEVER_MS)
        return self._windows.at(self._calendar, key or self._service_zone, now_ms, self._hours)

    def _look_at_windows(self, now_ms: int) -> None:
        for zone in self._zones.values():
            if now_ms >= zone.window.until_ms:
                zone.window = self._window(zone.key, now_ms)
        self._open = [zone for zone in self._zones.values() if zone.window.is_open]
        self._only = self._open[0] if len(self._open) == len(self._zones) == 1 else None
        self._open_until_ms = min((zone.window.until_ms for zone in self._zones.values()), default=NEVER_MS)
