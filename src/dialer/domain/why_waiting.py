"""The reason why a PENDING subscriber is not called now, computed from the rows."""

from typing import NamedTuple

import msgspec

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_windows import Window, Windows, window_at
from dialer.domain.calling_times.zones import is_zone_key
from dialer.domain.enums import CampaignStatus
from dialer.domain.numbers.destinations import EVERYWHERE, Destinations
from dialer.domain.numbers.prefixes import NO_PREFIXES, Prefixes
from dialer.domain.reasons import CampaignReason, WaitsFor


class Circumstances(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a campaign at one time, as far as it decides whether a subscriber is called.

    Times are in milliseconds.
    """

    now_ms: int
    status: CampaignStatus
    status_reason: str = ""
    starting_ms: int
    expires_ms: int
    calendar: Calendar = Calendar()
    is_simulated: bool = True
    """True if no person is called over the gateway."""
    hours: Calendar | None = None
    """The calling hours of the gateway; None if calls are allowed at any hour."""
    service_zone: str = "UTC"
    lacks_agents: bool = False
    """True if the campaign dials for agents, and none of them is free."""
    is_full: bool = False
    """True if as many calls are in progress as `max_aleg` allows."""
    is_line_down: bool = False
    """True if the gateway's connection to its carrier does not work."""
    rests_until_ms: int = 0
    """The end of the gateway's rest, possibly past."""
    is_rest_asked_for: bool = False
    """True if the carrier asked for the rest, which did not follow failures in a row."""
    is_gateway_full: bool = False
    lacks_credit: bool = False
    destinations: Destinations = EVERYWHERE
    """The numbers that the account may call."""
    user_id: int = 0
    """The account."""
    prefixes: Prefixes = NO_PREFIXES
    """The prefixes of the gateway."""


class Wait(NamedTuple):
    """The reason for a subscriber's wait, and its end if that is known and before the end of the campaign."""

    reason: WaitsFor
    until_ms: int | None = None


def why_not_now(
    campaign: Circumstances,
    zone_key: str,
    due_ms: int,
    windows: Windows,
    *,
    is_on_dnc: bool = False,
    is_emergency: bool = False,
    is_impossible: bool = False,
    is_forbidden: bool = False,
) -> Wait:
    """Return the wait of a PENDING subscriber; `due_ms` is when their retry is due, 0 if they were never called.

    `is_impossible` is true if the number is impossible in its country, which matters only if people are called.
    `is_forbidden` is true if the account may not call the number. `windows` caches calling windows between calls for
    one moment, as many subscribers share a window.
    """
    of_campaign = _reason_of_campaign(campaign)
    if of_campaign is not None:
        return Wait(of_campaign)
    refused = {
        WaitsFor.EMERGENCY: is_emergency,
        WaitsFor.INVALID_NUMBER: is_impossible and not campaign.is_simulated,
        WaitsFor.DESTINATION: is_forbidden,
        WaitsFor.TZ_UNKNOWN: not is_zone_key(zone_key),
        WaitsFor.DNC: is_on_dnc,
    }
    for reason, holds in refused.items():
        if holds:
            return Wait(reason)
    wait = _wait_for_time(campaign, zone_key or campaign.service_zone, due_ms, windows)
    return wait or _wait_for_place(campaign)


def held_wait(wait: Wait, *, is_held: bool) -> Wait:
    """Return the wait of a person on a list, with the reason HELD if only the list of held numbers has them."""
    return wait._replace(reason=WaitsFor.HELD) if is_held and wait.reason is WaitsFor.DNC else wait


def _reason_of_campaign(campaign: Circumstances) -> WaitsFor | None:
    if campaign.status is CampaignStatus.NEW:
        return WaitsFor.NOT_STARTED
    if campaign.status is CampaignStatus.PAUSE:
        return WaitsFor.NO_CREDIT if campaign.status_reason == CampaignReason.NO_CREDIT else WaitsFor.PAUSED
    if campaign.status is CampaignStatus.START:
        return WaitsFor.EXPIRED if campaign.now_ms >= campaign.expires_ms else None
    return WaitsFor.EXPIRED if campaign.status_reason == CampaignReason.EXPIRED else WaitsFor.OVER


def _wait_for_time(campaign: Circumstances, zone_key: str, due_ms: int, windows: Windows) -> Wait | None:
    """Return the wait for a time that the calendar or the retry sets; None if that time has come."""
    now_ms = campaign.now_ms
    window = windows.at(campaign.calendar, zone_key, now_ms, campaign.hours)
    ready_ms = max(now_ms, campaign.starting_ms, due_ms)
    if ready_ms == now_ms and window.is_open:
        return None
    opens_ms = _opens_at_ms(campaign, zone_key, ready_ms, window)
    until_ms = opens_ms if opens_ms is not None and opens_ms < campaign.expires_ms else None
    if campaign.starting_ms > now_ms:
        return Wait(WaitsFor.STARTING, until_ms)
    is_closed_till_due = not window.is_open and due_ms <= window.until_ms
    return Wait(WaitsFor.WINDOW if is_closed_till_due else WaitsFor.RETRY, until_ms)


def _opens_at_ms(campaign: Circumstances, zone_key: str, ready_ms: int, window: Window) -> int | None:
    """Return the first time from `ready_ms` on at which the window is open, given its state now; None if not near."""
    if window.is_open and ready_ms < window.until_ms:
        return ready_ms
    at_ms = ready_ms if window.is_open else max(ready_ms, window.until_ms)
    later = window_at(campaign.calendar, zone_key, at_ms, campaign.hours)
    if later.is_open:
        return at_ms
    opened = window_at(campaign.calendar, zone_key, later.until_ms, campaign.hours)
    return later.until_ms if opened.is_open else None


def _wait_for_place(campaign: Circumstances) -> Wait:
    """Return the wait of a subscriber whose time has come."""
    if campaign.lacks_agents:
        return Wait(WaitsFor.NO_AGENT)
    if campaign.is_full:
        return Wait(WaitsFor.MAX_ALEG)
    if campaign.is_line_down:
        return Wait(WaitsFor.LINE_DOWN)
    if campaign.rests_until_ms > campaign.now_ms:
        reason = WaitsFor.ASKED_TO_REST if campaign.is_rest_asked_for else WaitsFor.RESTING
        return Wait(reason, campaign.rests_until_ms)
    if campaign.is_gateway_full:
        return Wait(WaitsFor.GATEWAY_FULL)
    return Wait(WaitsFor.NO_CREDIT if campaign.lacks_credit else WaitsFor.TURN)
