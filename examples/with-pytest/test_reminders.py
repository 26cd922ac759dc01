"""Tests of the reminders against a whole service: hours pass in moments, and the people always do the same."""

from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest
from reminders import Reminders, to_write_to

from dialer.testing import DialerService, MagicNumber


@pytest.fixture
def reminders(dialer_service: DialerService) -> Iterator[Reminders]:
    """Connect the program to the service."""
    base = f"{dialer_service.url}/rest-api/"
    with httpx.Client(base_url=base, headers=dialer_service.headers, timeout=60) as api:
        yield Reminders(api, dialer_service.gateway["id"])


def test_answers_are_counted(dialer_service: DialerService, reminders: Reminders) -> None:
    campaign = reminders.call({MagicNumber.PRESSES_1: "Ada", MagicNumber.PRESSES_2: "Bo", MagicNumber.PRESSES_3: "Cy"})
    dialer_service.advance_until("campaign.ended", campaign=campaign)
    assert reminders.answers(campaign) == {"comes": 1, "does not come": 1}


def test_busy_people_are_called_again_and_then_get_a_letter(
    dialer_service: DialerService, reminders: Reminders
) -> None:
    began = dialer_service.now
    campaign = reminders.call({MagicNumber.BUSY: "Ben", MagicNumber.PRESSES_1: "Ada"})
    assert to_write_to(dialer_service.events(campaign=campaign)) == []
    failed = dialer_service.advance_until("subscriber.failed")
    assert dialer_service.now - began > timedelta(minutes=30)
    assert to_write_to(dialer_service.events(campaign=campaign)) == [failed["data"]["subscriber"]]
    causes = [call["data"]["cause"] for call in dialer_service.events("call.ended")]
    assert sorted(causes) == [16, 17, 17]


def test_nobody_is_called_at_night(dialer_service: DialerService, reminders: Reminders) -> None:
    dialer_service.advance("12h")
    reminders.call({MagicNumber.PRESSES_1: "Ada"})
    dialer_service.advance("8h")
    assert dialer_service.events("call.started") == []
    dialer_service.advance("8h")
    assert len(dialer_service.events("call.started")) == 1
