"""Why somebody is not called: the reasons that a machine reads, and what they mean."""

from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from dialer.domain.enums import CampaignStatus
from dialer.domain.windows import Calendar, Window, Windows, window_at
from dialer.domain.zones import is_zone_key


class WaitsFor(StrEnum):
    """What a subscriber who is PENDING waits for; the first of these that holds, in this order."""

    NOT_STARTED = "not_started"
    PAUSED = "paused"
    NO_CREDIT = "no_credit"
    EXPIRED = "expired"
    OVER = "over"
    EMERGENCY = "emergency"
    TZ_UNKNOWN = "tz_unknown"
    DNC = "dnc"
    STARTING = "starting"
    RETRY = "retry"
    WINDOW = "window"
    NO_AGENT = "no_agent"
    MAX_ALEG = "max_aleg"
    RESTING = "resting"
    GATEWAY_FULL = "gateway_full"
    TURN = "turn"


WAITS: Final[dict[str, str]] = {
    WaitsFor.NOT_STARTED: "the campaign has not been started",
    WaitsFor.PAUSED: "the campaign is paused",
    WaitsFor.NO_CREDIT: "the owner's balance cannot pay for a call",
    WaitsFor.EXPIRED: "the campaign expired before it came to this number",
    WaitsFor.OVER: "the campaign was ended before it came to this number",
    WaitsFor.EMERGENCY: "the number is an emergency number: it is refused when its turn comes",
    WaitsFor.TZ_UNKNOWN: "nothing tells the time where the number is: it is refused when its turn comes",
    WaitsFor.DNC: "the number is on the do-not-call list: it is refused when its turn comes",
    WaitsFor.STARTING: "the campaign's starting date has not come",
    WaitsFor.RETRY: "it is called again, but not yet",
    WaitsFor.WINDOW: "the campaign's calling window is closed where the number is",
    WaitsFor.NO_AGENT: "no agent of the campaign's queues is free",
    WaitsFor.MAX_ALEG: "the campaign has as many calls in progress as it may have",
    WaitsFor.RESTING: "the gateway rests, as its carrier has failed again and again",
    WaitsFor.GATEWAY_FULL: "the gateway has as many calls in progress as it may have",
    WaitsFor.TURN: "nothing: its turn comes",
}
"""What a PENDING subscriber waits for (`waits_for`), in words."""

SUBSCRIBER_REASONS: Final[dict[str, str]] = {
    "emergency": "the number is an emergency number, which is never dialled",
    "dnc": "the number is on the campaign's do-not-call list",
    "tz_unknown": "nothing tells the time where the number is",
    "no_text": "nothing is left of the text message once its names are filled in",
    "busy": "the line was busy",
    "no_answer": "nobody answered",
    "rejected": "the call was rejected",
    "invalid_number": "there is no such number",
    "number_changed": "the number has changed",
    "machine": "a machine answered, and the campaign talks to people only",
    "not_completed": "no section marked completed was reached",
    "not_delivered": "the text message could not be delivered",
    "no_route": "no way leads text messages to the number",
    "carrier_failure": "the carrier could not place the call",
    "aborted": "the campaign was aborted",
    "contact_deleted": "the contact was deleted",
    "erased": "the number was erased before it was called again",
}
"""The `status_reason` of a subscriber, and of a call request that failed."""

CAMPAIGN_REASONS: Final[dict[str, str]] = {
    "user": "somebody said so",
    "completed": "every subscriber is final",
    "expired": "the expiration date has passed",
    "no_credit": "the owner's balance cannot pay for one more call",
    "invariant": "a rule that must always hold was about to be broken: the log tells which",
}
"""The `status_reason` of a campaign."""

TRANSFER_REASONS: Final[dict[str, str]] = {
    "emergency": "the number is an emergency number, which is never dialled",
    "busy": "the line was busy",
    "no_answer": "nobody answered",
    "rejected": "the call was rejected",
    "invalid_number": "there is no such number",
    "carrier_failure": "the carrier could not place the call",
    "not_confirmed": "whoever answered did not press the key that accepts the call",
    "hung_up": "the callee hung up first",
    "gave_up": "the callee did not want to wait any longer",
    "max_wait": "the queue's longest wait was over",
    "no_agent": "nobody was logged in to take the call",
    "no_number": "the section names no number",
    "no_queue": "the queue was deleted",
    "max_xfer": "the campaign had as many transfers in progress as it may have",
    "no_credit": "the owner's balance could not pay for it",
    "gateway_full": "the gateway had no room for it in time",
    "resting": "the gateway rested",
}
"""Why a transfer has reached nobody."""


class Circumstances(msgspec.Struct, frozen=True, kw_only=True):
    """How a campaign stands at a moment, as far as it decides whether somebody is called. Times in milliseconds."""

    now_ms: int
    status: CampaignStatus
    status_reason: str = ""
    starting_ms: int
    expires_ms: int
    calendar: Calendar = Calendar()
    service_zone: str = "UTC"
    lacks_agents: bool = False
    """It dials for agents, and none of them is free."""
    is_full: bool = False
    """It has as many calls in progress as `max_aleg` allows."""
    rests_until_ms: int = 0
    """Until when its gateway rests, or has rested."""
    is_gateway_full: bool = False
    lacks_credit: bool = False


class Wait(NamedTuple):
    """What somebody waits for, and until when, if that is known and the campaign lasts so long."""

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
) -> Wait:
    """What a PENDING subscriber waits for; `due_ms` is when their retry is due, 0 if they were never called.

    `is_emergency` tells that the number is never dialled (`dialer.domain.numbers.emergency`).
    `windows` remembers calling windows between calls at the same moment, as many subscribers share one.
    """
    reason = _of_the_campaign(campaign)
    if reason is not None:
        return Wait(reason)
    if is_emergency:
        return Wait(WaitsFor.EMERGENCY)
    if not is_zone_key(zone_key):
        return Wait(WaitsFor.TZ_UNKNOWN)
    if is_on_dnc:
        return Wait(WaitsFor.DNC)
    wait = _for_a_time(campaign, zone_key or campaign.service_zone, due_ms, windows)
    return wait or _for_a_place(campaign)


def _of_the_campaign(campaign: Circumstances) -> WaitsFor | None:
    if campaign.status is CampaignStatus.NEW:
        return WaitsFor.NOT_STARTED
    if campaign.status is CampaignStatus.PAUSE:
        return WaitsFor.NO_CREDIT if campaign.status_reason == "no_credit" else WaitsFor.PAUSED
    if campaign.status is CampaignStatus.START:
        return WaitsFor.EXPIRED if campaign.now_ms >= campaign.expires_ms else None
    return WaitsFor.EXPIRED if campaign.status_reason == "expired" else WaitsFor.OVER


def _for_a_time(campaign: Circumstances, zone_key: str, due_ms: int, windows: Windows) -> Wait | None:
    """The wait for a moment that the calendar names; None if that has come."""
    now_ms, window = campaign.now_ms, windows.at(campaign.calendar, zone_key, campaign.now_ms)
    ready_ms = max(now_ms, campaign.starting_ms, due_ms)
    if ready_ms == now_ms and window.is_open:
        return None
    opens_ms = _opens_at_ms(campaign.calendar, zone_key, ready_ms, window)
    until_ms = opens_ms if opens_ms is not None and opens_ms < campaign.expires_ms else None
    if campaign.starting_ms > now_ms:
        return Wait(WaitsFor.STARTING, until_ms)
    is_closed_till_due = not window.is_open and due_ms <= window.until_ms
    return Wait(WaitsFor.WINDOW if is_closed_till_due else WaitsFor.RETRY, until_ms)


def _opens_at_ms(calendar: Calendar, zone_key: str, ready_ms: int, window: Window) -> int | None:
    """The first moment from `ready_ms` on at which the window is open, given how it is now; None if none is near."""
    if window.is_open and ready_ms < window.until_ms:
        return ready_ms
    at_ms = ready_ms if window.is_open else max(ready_ms, window.until_ms)
    later = window_at(calendar, zone_key, at_ms)
    if later.is_open:
        return at_ms
    return later.until_ms if window_at(calendar, zone_key, later.until_ms).is_open else None


def _for_a_place(campaign: Circumstances) -> Wait:
    """What is left to wait for once the time has come."""
    if campaign.lacks_agents:
        return Wait(WaitsFor.NO_AGENT)
    if campaign.is_full:
        return Wait(WaitsFor.MAX_ALEG)
    if campaign.rests_until_ms > campaign.now_ms:
        return Wait(WaitsFor.RESTING, campaign.rests_until_ms)
    if campaign.is_gateway_full:
        return Wait(WaitsFor.GATEWAY_FULL)
    return Wait(WaitsFor.NO_CREDIT if campaign.lacks_credit else WaitsFor.TURN)
