"""Tests of the reason for which a subscriber waits. The window is 09:00 to 18:00; it is Friday, 10:00 UTC."""

from datetime import time
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dialer.domain.calling_times.calendars import Calendar
from dialer.domain.calling_times.calling_windows import Windows, window_at
from dialer.domain.rules.dial_rules import PersonFacts, PlaceFacts
from dialer.domain.rules.why_waiting import Circumstances, Wait, why_not_now, with_times
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.moments import NEVER_MS
from dialer.domain.words.reasons import WaitsFor
from tests.domain.calling_times.test_calling_windows import ZONES, calendars
from tests.domain.workers import DAY_MS, START_MS

HOUR_MS: Final = 3_600_000
NINE_TO_SIX: Final = Calendar(start=time(9), stop=time(18))
WEEKEND: Final = Calendar(weekdays=(False, False, False, False, False, True, True))
NEVER: Final = Calendar(weekdays=(False,) * 7)
TURN: Final = Wait(WaitsFor.TURN)


def circumstances(**settings: Any) -> Circumstances:  # noqa: ANN401 - any field of them
    usual: dict[str, Any] = {
        "now_ms": START_MS,
        "status": CampaignStatus.START,
        "starting_ms": START_MS - HOUR_MS,
        "expires_ms": START_MS + 30 * DAY_MS,
        "calendar": NINE_TO_SIX,
        "place": PlaceFacts(now_ms=START_MS),
    }
    return Circumstances(**usual | settings)


def waits(zone: str = "UTC", due_ms: int = 0, *, is_on_dnc: bool = False, **settings: Any) -> Wait:  # noqa: ANN401
    campaign = circumstances(**settings)
    person = PersonFacts(is_on_dnc=is_on_dnc)
    return why_not_now(campaign, with_times(person, campaign, zone, due_ms, Windows()))


def place(**facts: Any) -> dict[str, Any]:  # noqa: ANN401 - any field of them
    return {"place": PlaceFacts(now_ms=START_MS, **facts)}


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"status": CampaignStatus.NEW}, Wait(WaitsFor.NOT_STARTED)),
        ({"status": CampaignStatus.PAUSE, "status_reason": "user"}, Wait(WaitsFor.PAUSED)),
        ({"status": CampaignStatus.PAUSE, "status_reason": "no_credit"}, Wait(WaitsFor.NO_CREDIT)),
        ({"status": CampaignStatus.END, "status_reason": "expired"}, Wait(WaitsFor.EXPIRED)),
        ({"status": CampaignStatus.END, "status_reason": "user"}, Wait(WaitsFor.OVER)),
        ({"status": CampaignStatus.ABORT, "status_reason": "user"}, Wait(WaitsFor.OVER)),
        ({"expires_ms": START_MS}, Wait(WaitsFor.EXPIRED)),
        ({"starting_ms": START_MS + 1}, Wait(WaitsFor.STARTING, START_MS + 1)),
        ({"starting_ms": START_MS + 10 * HOUR_MS}, Wait(WaitsFor.STARTING, START_MS + 23 * HOUR_MS)),
        (place(agents_at_ms=NEVER_MS, max_aleg=2, calls=2), Wait(WaitsFor.NO_AGENT)),
        (place(max_aleg=2, calls=2, free_channels=0), Wait(WaitsFor.MAX_ALEG)),
        (place(max_aleg=2, calls=1, is_line_down=True), Wait(WaitsFor.LINE_DOWN)),
        (place(rests_until_ms=START_MS + 5, free_channels=0), Wait(WaitsFor.RESTING, START_MS + 5)),
        (place(rests_until_ms=START_MS + 5, is_rest_asked_for=True), Wait(WaitsFor.ASKED_TO_REST, START_MS + 5)),
        (place(rests_until_ms=START_MS, free_channels=0), Wait(WaitsFor.GATEWAY_FULL)),
        (place(lacks_credit=True), Wait(WaitsFor.NO_CREDIT)),
        (place(lacks_credit=True, is_credit_held=True), Wait(WaitsFor.CREDIT_HELD)),
        ({}, TURN),
    ],
)
def test_waits_because_of_the_campaign(settings: dict[str, Any], expected: Wait) -> None:
    assert waits(**settings) == expected


@pytest.mark.parametrize(
    ("zone", "due_ms", "calendar", "expected"),
    [
        ("UTC", 0, NINE_TO_SIX, TURN),
        ("UTC", START_MS, NINE_TO_SIX, TURN),
        ("UTC", START_MS + HOUR_MS, NINE_TO_SIX, Wait(WaitsFor.RETRY, START_MS + HOUR_MS)),
        # Due after the window closes, so at 09:00 on the next day.
        ("UTC", START_MS + 9 * HOUR_MS, NINE_TO_SIX, Wait(WaitsFor.RETRY, START_MS + 23 * HOUR_MS)),
        # It is 05:00 in New York, so the call waits for four hours.
        ("America/New_York", 0, NINE_TO_SIX, Wait(WaitsFor.WINDOW, START_MS + 4 * HOUR_MS)),
        ("America/New_York", START_MS + HOUR_MS, NINE_TO_SIX, Wait(WaitsFor.WINDOW, START_MS + 4 * HOUR_MS)),
        ("America/New_York", START_MS + 5 * HOUR_MS, NINE_TO_SIX, Wait(WaitsFor.RETRY, START_MS + 5 * HOUR_MS)),
        ("", 0, WEEKEND, Wait(WaitsFor.WINDOW, START_MS + 14 * HOUR_MS)),
        ("", 0, NEVER, Wait(WaitsFor.WINDOW)),
    ],
)
def test_waits_because_of_the_calendar(zone: str, due_ms: int, calendar: Calendar, expected: Wait) -> None:
    assert waits(zone, due_ms, calendar=calendar) == expected


def test_a_number_on_the_list_waits_for_its_refusal() -> None:
    assert waits("America/New_York", is_on_dnc=True) == Wait(WaitsFor.DNC)


def test_a_moment_after_the_expiration_date_is_not_told() -> None:
    expires_ms = START_MS + 4 * HOUR_MS
    assert waits("America/New_York", expires_ms=expires_ms) == Wait(WaitsFor.WINDOW)
    assert waits("America/New_York", expires_ms=expires_ms + 1) == Wait(WaitsFor.WINDOW, expires_ms)


@given(
    calendars,
    st.sampled_from(ZONES),
    st.just(0) | st.integers(-DAY_MS, 3 * DAY_MS).map(lambda ms: START_MS + ms),
    st.sampled_from([START_MS - 1, START_MS + 1, START_MS + DAY_MS]),
)
def test_the_moment_that_is_told_is_the_first_that_is_allowed(
    calendar: Calendar, zone: str, due_ms: int, starting_ms: int
) -> None:
    """The window is open and the call is due at that moment, and not between the due time and it."""
    reason, until_ms = waits(zone, due_ms, calendar=calendar, starting_ms=starting_ms)
    ready_ms = max(START_MS, due_ms, starting_ms)
    if reason is WaitsFor.TURN:
        assert ready_ms == START_MS
        assert window_at(calendar, zone, START_MS).is_open
    elif until_ms is not None:
        assert until_ms >= ready_ms
        assert window_at(calendar, zone, until_ms).is_open
        if until_ms > ready_ms:
            before = window_at(calendar, zone, ready_ms)
            assert (before.is_open, before.until_ms) == (False, until_ms)
