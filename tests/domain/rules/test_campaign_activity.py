"""Tests of the activity of a campaign. The window is 09:00 to 18:00; it is Friday, 10:00 UTC, 05:00 in New York."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_windows import Windows
from dialer.domain.rules.campaign_activity import ActivityCode, CampaignActivity, WaitingZone, activity_of
from dialer.domain.rules.dial_rules import PersonFacts
from dialer.domain.rules.why_waiting import why_not_now, with_times
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.reasons import ActivityReason, WaitsFor
from tests.domain.calling_times.test_calling_windows import ZONES, calendars
from tests.domain.rules.test_why_waiting import HOUR_MS, NEVER, WEEKEND, circumstances, place
from tests.domain.workers import DAY_MS, START_MS

CLOSES_MS = START_MS + 8 * HOUR_MS
ALWAYS = Calendar()
NEW_YORK = "America/New_York"
HERE = (WaitingZone("UTC", 0),)
THERE = (WaitingZone(NEW_YORK, 0),)


def does(settings: dict[str, Any], waiting: tuple[WaitingZone, ...], *, is_joining: bool = False) -> CampaignActivity:
    return activity_of(circumstances(**settings), waiting, is_joining=is_joining)


def waits(reason: ActivityReason, until_ms: int | None = None, zone: str = "") -> CampaignActivity:
    return CampaignActivity(ActivityCode.WAITING, reason, until_ms, zone)


def dials(reason: str = "", until_ms: int = CLOSES_MS) -> CampaignActivity:
    return CampaignActivity(ActivityCode.DIALLING, reason, until_ms)


@pytest.mark.parametrize(
    ("settings", "waiting", "expected"),
    [
        ({"status": CampaignStatus.NEW}, HERE, CampaignActivity(ActivityCode.NOT_STARTED)),
        (
            {"status": CampaignStatus.PAUSE, "status_reason": "no_credit"},
            HERE,
            CampaignActivity(ActivityCode.PAUSED, "no_credit"),
        ),
        (
            {"status": CampaignStatus.END, "status_reason": "expired"},
            HERE,
            CampaignActivity(ActivityCode.ENDED, "expired"),
        ),
        (
            {"starting_ms": START_MS + 9 * HOUR_MS},
            (*HERE, *THERE),
            CampaignActivity(ActivityCode.SCHEDULED, ActivityReason.STARTING, START_MS + 9 * HOUR_MS, NEW_YORK),
        ),
        (
            {"starting_ms": START_MS + DAY_MS},
            (),
            CampaignActivity(ActivityCode.SCHEDULED, ActivityReason.STARTING, START_MS + DAY_MS),
        ),
        ({}, HERE, dials()),
        ({}, (*HERE, *THERE), dials()),
        ({}, THERE, waits(ActivityReason.WINDOW, START_MS + 4 * HOUR_MS, NEW_YORK)),
        (
            {},
            (*THERE, WaitingZone("America/Chicago", 0)),
            waits(ActivityReason.WINDOW, START_MS + 4 * HOUR_MS, NEW_YORK),
        ),
        (
            {},
            (WaitingZone("UTC", START_MS + HOUR_MS), *THERE),
            waits(ActivityReason.RETRY, START_MS + HOUR_MS, "UTC"),
        ),
        (
            {},
            (WaitingZone("UTC", START_MS + 9 * HOUR_MS),),
            waits(ActivityReason.RETRY, START_MS + 23 * HOUR_MS, "UTC"),
        ),
        ({"calendar": NEVER}, HERE, waits(ActivityReason.NEVER)),
        ({"calendar": WEEKEND, "expires_ms": START_MS + HOUR_MS}, HERE, waits(ActivityReason.NEVER)),
        ({"calendar": WEEKEND}, HERE, waits(ActivityReason.WINDOW, START_MS + 14 * HOUR_MS, "UTC")),
        ({}, (WaitingZone("?", 0),), CampaignActivity(ActivityCode.DIALLING)),
        (place(max_aleg=2, calls=2), HERE, dials(ActivityReason.MAX_ALEG)),
        (place(agents_at_ms=START_MS + 10**9, calls=1), HERE, dials(ActivityReason.NO_AGENT)),
        (place(agents_at_ms=START_MS + 10**9), HERE, waits(ActivityReason.NO_AGENT, START_MS + 10**9)),
        (
            place(agents_at_ms=START_MS + 10**9) | {"is_looked_at": True},
            HERE,
            dials(ActivityReason.NO_AGENT),
        ),
        ({"expires_ms": START_MS}, HERE, waits(ActivityReason.NEVER)),
        (place(calls=1, is_line_down=True), HERE, waits(ActivityReason.LINE_DOWN)),
        (place(rests_until_ms=START_MS + 5), HERE, waits(ActivityReason.RESTING, START_MS + 5)),
        (place(lacks_credit=True), HERE, waits(ActivityReason.NO_CREDIT)),
        (place(lacks_credit=True, is_credit_held=True, calls=2), HERE, dials(ActivityReason.CREDIT_HELD)),
        (place(lacks_credit=True, is_credit_held=True), HERE, waits(ActivityReason.CREDIT_HELD)),
        (place(calls=1), (WaitingZone("UTC", START_MS + HOUR_MS),), dials(ActivityReason.AS_DUE)),
        (
            place(calls=1),
            (WaitingZone("UTC", START_MS + 3 * DAY_MS),),
            waits(ActivityReason.RETRY, START_MS + 3 * DAY_MS, "UTC"),
        ),
        (
            place(calls=1) | {"calendar": ALWAYS},
            (WaitingZone("UTC", START_MS + 3 * DAY_MS),),
            waits(ActivityReason.RETRY, START_MS + 3 * DAY_MS, "UTC"),
        ),
        (
            place(calls=1) | {"calendar": ALWAYS},
            (WaitingZone("UTC", START_MS + HOUR_MS),),
            CampaignActivity(ActivityCode.DIALLING, ActivityReason.AS_DUE),
        ),
        (place(calls=1), THERE, waits(ActivityReason.WINDOW, START_MS + 4 * HOUR_MS, NEW_YORK)),
        ({"is_held_back": True}, HERE, dials(ActivityReason.ABANDONED)),
        ({}, (), waits(ActivityReason.NOBODY_LEFT)),
        (place(calls=1), (), CampaignActivity(ActivityCode.FINISHING, ActivityReason.LAST_CALLS)),
    ],
)
def test_what_a_campaign_does(
    settings: dict[str, Any], waiting: tuple[WaitingZone, ...], expected: CampaignActivity
) -> None:
    assert does(settings, waiting) == expected


def test_contacts_that_are_yet_to_join_are_waited_for() -> None:
    assert does({}, (), is_joining=True) == waits(ActivityReason.JOINING)


@given(
    calendar=calendars,
    zones=st.lists(st.sampled_from(ZONES), min_size=1, max_size=3, unique=True),
    due=st.lists(st.integers(0, 3 * DAY_MS), min_size=3, max_size=3),
    begins_ms=st.integers(0, 2 * DAY_MS),
    now_ms=st.integers(START_MS, START_MS + 7 * DAY_MS),
)
def test_a_campaign_never_dials_while_nobody_can_be_called(
    calendar: Any,  # noqa: ANN401
    zones: list[str],
    due: list[int],
    begins_ms: int,
    now_ms: int,
) -> None:
    """The rules of dialling say of each person whether their turn has come, and else of the first one when it does."""
    campaign = circumstances(calendar=calendar, now_ms=now_ms, starting_ms=now_ms + begins_ms - DAY_MS)
    waiting = [WaitingZone(zone, now_ms + at_ms - DAY_MS) for zone, at_ms in zip(zones, due, strict=False)]
    of_people = [
        why_not_now(campaign, with_times(PersonFacts(), campaign, one.zone, one.due_ms, Windows())) for one in waiting
    ]
    found = activity_of(campaign, waiting, is_joining=False)
    assert (found.code is ActivityCode.DIALLING) == any(one.reason is WaitsFor.TURN for one in of_people)
    known = [one.until_ms for one in of_people if one.until_ms is not None]
    if found.code is not ActivityCode.DIALLING and len(known) == len(of_people):
        assert found.until_ms == min(known)
