"""The activity of a campaign: whether it dials, and else why it waits, until when, and where it goes on.

The moment of the next call comes from the zones of the people who wait. In each zone it is the first moment at which
somebody there is due, the campaign has begun, and its window and the calling hours are open. The earliest of them
counts. It is no promise: agents, the carrier and the balance may delay the call.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from dialer.domain.calling_times.calling_windows import DAYS_AHEAD_MAX
from dialer.domain.calling_times.zones import is_zone_key
from dialer.domain.rules.common_hours import CallingSpan, kept_window
from dialer.domain.rules.dial_rules import PLACE_RULES, Later, verdict_on
from dialer.domain.rules.why_waiting import Circumstances
from dialer.domain.words.enum_descriptions import DescribedText
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.domain.words.reasons import ActivityReason, WaitsFor

CLOSINGS_TRIED_MAX: Final = 100
"""Number of windows that are looked at until nobody may be called any more."""
_FAR_MS: Final = (DAYS_AHEAD_MAX - 1) * 86_400_000
"""Time after which a window counts as open without an end."""
_SOON_MS: Final = 86_400_000
"""Time within which an attempt falls due soon, of a campaign whose hours never close."""
_OF_OWN_CALLS: Final = frozenset({WaitsFor.NO_AGENT, WaitsFor.MAX_ALEG, WaitsFor.GATEWAY_FULL, WaitsFor.CREDIT_HELD})
"""The limits that calls in progress reach: a campaign with such calls is at work."""


class ActivityCode(DescribedText):
    """The kinds of activity of a campaign."""

    NOT_STARTED = "not_started", "It has not been started."
    SCHEDULED = "scheduled", "It was started, and its starting date has not come."
    DIALLING = "dialling", "It calls or texts people, or would do so at once."
    WAITING = "waiting", "It was started, and calls or texts nobody now."
    FINISHING = "finishing", "Nobody waits any more, and its last calls or messages are in progress."
    PAUSED = "paused", "It is paused."
    ABORTED = "aborted", "It was aborted."
    ENDED = "ended", "It is over."
    UNKNOWN = "unknown", "A newer version of the service set its status."


class CampaignActivity(msgspec.Struct, frozen=True):
    """The activity of a campaign at one moment, its reason, and its end."""

    code: ActivityCode
    reason: str = ""
    """An `ActivityReason`, or the reason of the campaign's status; empty if there is nothing to say."""
    until_ms: int | None = None
    """The moment of the next call if none can be placed now, else that after which none can be; None if unknown."""
    zone: str = ""
    """The zone key of the people who may be called first at that moment; empty if nobody waits for an hour."""


class WaitingZone(msgspec.Struct, frozen=True):
    """People of a campaign who wait in one zone, and when the first of them is due; 0 if some were never tried."""

    zone: str
    due_ms: int


_SETTLED: Final = {
    CampaignStatus.NEW: ActivityCode.NOT_STARTED,
    CampaignStatus.PAUSE: ActivityCode.PAUSED,
    CampaignStatus.ABORT: ActivityCode.ABORTED,
    CampaignStatus.END: ActivityCode.ENDED,
}
UNREADABLE: Final = CampaignActivity(ActivityCode.WAITING, ActivityReason.UNREADABLE)
"""The activity of a started campaign whose settings cannot be read."""


def settled_activity(status: int, reason: str) -> CampaignActivity:
    """Return the activity of a campaign that is not started, or not any more: its status says it all."""
    code = _SETTLED.get(CampaignStatus(status)) if status in set(CampaignStatus) else None
    return CampaignActivity(ActivityCode.UNKNOWN if code is None else code, reason)


def activity_of(campaign: Circumstances, waiting: Sequence[WaitingZone], *, is_joining: bool) -> CampaignActivity:
    """Return the activity of a campaign.

    `waiting` has its PENDING subscribers by zone. `is_joining` tells that contacts are yet to become subscribers.
    """
    if campaign.status is not CampaignStatus.START:
        return settled_activity(campaign.status, campaign.status_reason)
    if campaign.now_ms < campaign.starting_ms:
        return _scheduled(campaign, waiting)
    if campaign.now_ms >= campaign.expires_ms:
        return CampaignActivity(ActivityCode.WAITING, ActivityReason.NEVER)
    if not waiting:
        return _without_people(campaign, is_joining=is_joining)
    span = span_of(campaign)
    ready = [one.zone for one in waiting if _may_be_called(span, one)]
    if not ready:
        return _closed(campaign, span, waiting)
    return _with_people(campaign, span, ready)


def span_of(campaign: Circumstances) -> CallingSpan:
    """Return the hours in which a campaign may call from now on."""
    from_ms = max(campaign.now_ms, campaign.starting_ms)
    return CallingSpan(campaign.calendar, campaign.hours, from_ms, campaign.expires_ms, campaign.service_zone)


def first_call(span: CallingSpan, waiting: Iterable[WaitingZone]) -> tuple[int, str] | None:
    """Return the earliest moment at which one of these people may be called, and their zone key; None if never."""
    timed = (one for one in waiting if not one.zone or is_zone_key(one.zone))
    found = [(at_ms, one.zone) for one in timed if (at_ms := span.opens_ms(one.zone, one.due_ms)) is not None]
    return min(found, default=None)


def _may_be_called(span: CallingSpan, people: WaitingZone) -> bool:
    """Return whether the turn of people has come. That of people in an unknown zone has: they are refused."""
    if people.zone and not is_zone_key(people.zone):
        return True
    return people.due_ms <= span.from_ms and _window_is_open(span, people.zone)


def _window_is_open(span: CallingSpan, zone: str) -> bool:
    return kept_window(span.calendar, zone or span.service_zone, span.from_ms, span.hours).is_open


def _scheduled(campaign: Circumstances, waiting: Sequence[WaitingZone]) -> CampaignActivity:
    first = first_call(span_of(campaign), waiting)
    if first is None and waiting:
        return CampaignActivity(ActivityCode.SCHEDULED, ActivityReason.NEVER)
    at_ms, zone = first or (campaign.starting_ms, "")
    return CampaignActivity(ActivityCode.SCHEDULED, ActivityReason.STARTING, at_ms, zone)


def _without_people(campaign: Circumstances, *, is_joining: bool) -> CampaignActivity:
    if is_joining:
        return CampaignActivity(ActivityCode.WAITING, ActivityReason.JOINING)
    if campaign.place.calls:
        return CampaignActivity(ActivityCode.FINISHING, ActivityReason.LAST_CALLS)
    return CampaignActivity(ActivityCode.WAITING, ActivityReason.NOBODY_LEFT)


def _closed(campaign: Circumstances, span: CallingSpan, waiting: Sequence[WaitingZone]) -> CampaignActivity:
    """Return the activity of a campaign none of whose people may be called now."""
    first = first_call(span, waiting)
    if first is None:
        return CampaignActivity(ActivityCode.WAITING, ActivityReason.NEVER)
    at_ms, zone = first
    was_tried = any(one.zone == zone and one.due_ms > campaign.now_ms for one in waiting)
    waits_for_attempt = was_tried and _window_is_open(span, zone)
    closes_ms = _closes_ms(span, [zone])
    is_soon = at_ms < (span.from_ms + _SOON_MS if closes_ms is None else closes_ms)
    if waits_for_attempt and is_soon and campaign.place.calls:  # Attempts fall due while it is at work.
        return CampaignActivity(ActivityCode.DIALLING, ActivityReason.AS_DUE, closes_ms)
    return CampaignActivity(
        ActivityCode.WAITING, ActivityReason.RETRY if waits_for_attempt else ActivityReason.WINDOW, at_ms, zone
    )


def _with_people(campaign: Circumstances, span: CallingSpan, ready: list[str]) -> CampaignActivity:
    """Return the activity of a campaign some of whose people may be called now, if there is room for a call."""
    verdict = verdict_on(campaign.place, PLACE_RULES)
    if not isinstance(verdict, Later):
        return CampaignActivity(ActivityCode.DIALLING, _remark(campaign), _closes_ms(span, ready))
    if campaign.is_unstaffed and verdict.reason is WaitsFor.NO_AGENT:
        return CampaignActivity(ActivityCode.WAITING, ActivityReason.NO_DUTY)
    reason = ActivityReason(verdict.reason)
    if (campaign.place.calls or campaign.is_looked_at) and verdict.reason in _OF_OWN_CALLS:
        return CampaignActivity(ActivityCode.DIALLING, reason, _closes_ms(span, ready))
    return CampaignActivity(ActivityCode.WAITING, reason, verdict.at_ms if verdict.at_ms < NEVER_MS else None)


def _remark(campaign: Circumstances) -> str:
    """Return what is to be said of a campaign that dials: whom it calls for nobody, or what holds it back."""
    if campaign.is_unstaffed:
        return ActivityReason.NO_DUTY
    return ActivityReason.ABANDONED if campaign.is_held_back else ""


def _closes_ms(span: CallingSpan, ready: Iterable[str]) -> int | None:
    """Return the moment at which the last of these zones closes, or the campaign ends; None if it is far."""
    closes_ms = span.from_ms
    for zone in sorted(set(ready))[:CLOSINGS_TRIED_MAX]:
        if zone and not is_zone_key(zone):
            continue
        window = kept_window(span.calendar, zone or span.service_zone, span.from_ms, span.hours)
        closes_ms = max(closes_ms, window.until_ms)
    closes_ms = min(closes_ms, span.until_ms)
    return closes_ms if span.from_ms < closes_ms < span.from_ms + _FAR_MS else None
