"""The reason why a PENDING subscriber is not called now, computed from the rows by the dial rules."""

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_windows import Window, Windows, window_at
from dialer.domain.calls.contact_rules import HeldSpan, RuledCampaign, first_free_ms
from dialer.domain.numbers.destinations import EVERYWHERE, Destinations
from dialer.domain.numbers.prefixes import NO_PREFIXES, Prefixes
from dialer.domain.rules.awaited_skills import QueueSkills
from dialer.domain.rules.dial_rules import (
    PERSON_RULES,
    PLACE_RULES,
    Allowed,
    Never,
    PersonFacts,
    PlaceFacts,
    Verdict,
    verdict_on,
)
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.domain.words.reasons import CampaignReason, WaitsFor

HOLDS_TRIED_MAX: Final = 100
"""Times at which a window opens and a rule holds somebody back that are tried."""


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
    place: PlaceFacts
    """The room for one more call."""
    destinations: Destinations = EVERYWHERE
    """The numbers that the account may call."""
    user_id: int = 0
    """The account."""
    prefixes: Prefixes = NO_PREFIXES
    """The prefixes of the gateway."""
    is_looked_at: bool = False
    """True if agents look at its people, whom they call or skip."""
    is_unstaffed: bool = False
    """True if its survey leads to queues, and no agent of them is on duty."""
    is_held_back: bool = False
    """True if it dials ahead of agents, and its abandoned calls have used up their limit."""
    ruled: RuledCampaign | None = None
    """The contact rules that bind it; None if none does."""
    skills: tuple[QueueSkills, ...] = ()
    """The queues of a campaign that dials for agents; empty if none of them needs skills."""


class Wait(NamedTuple):
    """The reason for a subscriber's wait, and its end if that is known and before the end of the campaign."""

    reason: WaitsFor
    until_ms: int | None = None


def why_not_now(campaign: Circumstances, person: PersonFacts) -> Wait:
    """Return the wait of a PENDING subscriber."""
    of_campaign = _reason_of_campaign(campaign)
    if of_campaign is not None:
        return Wait(of_campaign)
    verdict = verdict_on(person, PERSON_RULES)
    return _wait(verdict_on(campaign.place, PLACE_RULES) if isinstance(verdict, Allowed) else verdict)


def with_times(
    person: PersonFacts,
    campaign: Circumstances,
    zone_key: str,
    due_ms: int,
    windows: Windows,
    held: Sequence[HeldSpan] = (),
) -> PersonFacts:
    """Return the facts of a person, with the times of the campaign and of their zone, which is known.

    `due_ms` is when their retry is due, 0 if they were never called. `held` are the times in which contact rules hold
    them back. `windows` caches calling windows between calls for
    one moment, as many subscribers share a window.
    """
    now_ms, zone_key = campaign.now_ms, zone_key or campaign.service_zone
    window = windows.at(campaign.calendar, zone_key, now_ms, campaign.hours)
    ready_ms = max(now_ms, campaign.starting_ms, due_ms)
    if ready_ms > now_ms or not window.is_open or held:
        opens_ms = _allowed_at_ms(campaign, zone_key, ready_ms, window, held)
        ready_ms = NEVER_MS if opens_ms is None or opens_ms >= campaign.expires_ms else opens_ms
    return msgspec.structs.replace(
        person,
        held_until_ms=first_free_ms(held, now_ms),
        now_ms=now_ms,
        starting_ms=campaign.starting_ms,
        closed_until_ms=0 if window.is_open else window.until_ms,
        due_ms=due_ms,
        ready_ms=ready_ms,
    )


def _wait(verdict: Verdict) -> Wait:
    if isinstance(verdict, Allowed):
        return Wait(WaitsFor.TURN)
    if isinstance(verdict, Never):
        return Wait(WaitsFor(verdict.reason))
    return Wait(verdict.reason, verdict.at_ms if verdict.at_ms < NEVER_MS else None)


def _reason_of_campaign(campaign: Circumstances) -> WaitsFor | None:
    if campaign.status is CampaignStatus.NEW:
        return WaitsFor.NOT_STARTED
    if campaign.status is CampaignStatus.PAUSE:
        return WaitsFor.NO_CREDIT if campaign.status_reason == CampaignReason.NO_CREDIT else WaitsFor.PAUSED
    if campaign.status is CampaignStatus.START:
        return WaitsFor.EXPIRED if campaign.now_ms >= campaign.expires_ms else None
    return WaitsFor.EXPIRED if campaign.status_reason == CampaignReason.EXPIRED else WaitsFor.OVER


def _allowed_at_ms(
    campaign: Circumstances, zone_key: str, ready_ms: int, window: Window, held: Sequence[HeldSpan]
) -> int | None:
    """Return the first time from `ready_ms` on that rules and window allow; None if it is not near, or not known."""
    for _ in range(HOLDS_TRIED_MAX):
        free_ms = first_free_ms(held, ready_ms)
        opens_ms = None if free_ms >= NEVER_MS else _opens_at_ms(campaign, zone_key, free_ms, window)
        if opens_ms is None or opens_ms == free_ms:
            return opens_ms
        ready_ms = opens_ms
    return None


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
