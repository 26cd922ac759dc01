"""Tests of the service that tests get: an account of its own, a clock, events, and an end of what it began."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from anyio import Event, fail_after, to_thread
from standardwebhooks.webhooks import Webhook

from dialer.domain.words.enums import CampaignStatus, SectionType
from dialer.local_service.client import Record
from dialer.local_service.errors import DemoError
from dialer.testing import DialerService, MagicNumber, NotHeardError, ServiceProcess
from tests.patience import ANSWER_S_MAX
from tests.webhooks.receivers import OK, Receiver

RECEIVED_S_MAX = 60


def started(service: DialerService, *people: MagicNumber, **fields: object) -> Record:
    """Start a campaign that plays a message to people."""
    survey = service.create("survey-template", name="News")
    service.create(
        "section-template", survey=survey["id"], type=int(SectionType.PLAY_MESSAGE), question="News", script="Hello."
    )
    book = service.create("phonebook", name="All")
    for callee in people:
        service.create("contact", phonebook=book["id"], contact=callee)
    campaign = service.create(
        "campaigns",
        name="News",
        object_id=survey["id"],
        phonebook=[book["id"]],
        aleg_gateway=service.gateway["id"],
        callerid="+12025550199",
        **{"maxretry": 0, **fields},
    )
    service.change("campaigns", campaign["id"], status=int(CampaignStatus.START))
    return campaign


def test_the_clock_goes_by_a_span_to_the_next_event_and_to_one_of_a_type(dialer_service: DialerService) -> None:
    began = dialer_service.now
    assert (began.weekday(), began.hour, began.tzinfo) == (0, 15, UTC)
    assert dialer_service.advance("90s") == began + timedelta(seconds=90)
    dialer_service.advance_to((began + timedelta(minutes=2)).isoformat())
    campaign = started(dialer_service, MagicNumber.BUSY, MagicNumber.ANSWERS)
    first = dialer_service.advance_to_next()
    assert began + timedelta(minutes=2) <= first < began + timedelta(minutes=3)
    ended = dialer_service.advance_until("campaign.ended", campaign=campaign["id"])
    assert ended["data"]["campaign"] == campaign["id"]
    calls = dialer_service.events("call.ended")
    assert sorted(call["data"]["cause"] for call in calls) == [16, 17]
    assert [event for event in dialer_service.events() if event["type"] == "call.ended"] == calls
    assert dialer_service.events("call.ended", campaign=campaign["id"] + 1) == []


def test_a_field_that_the_service_does_not_know_is_told(dialer_service: DialerService) -> None:
    book = dialer_service.create("phonebook", name="All")
    with pytest.raises(DemoError, match="does not know these fields: nickname"):
        dialer_service.create("contact", phonebook=book["id"], contact=MagicNumber.BUSY, nickname="Ada")


def test_an_event_that_does_not_come_is_told(dialer_service: DialerService) -> None:
    with pytest.raises(NotHeardError, match=r"no campaign\.ended: .*Nothing is due"):
        dialer_service.advance_until("campaign.ended")
    started(dialer_service, MagicNumber.BUSY, maxretry=3, intervalretry=3_600)
    with pytest.raises(NotHeardError, match=r"no subscriber\.completed until "):
        dialer_service.advance_until("subscriber.completed", within="2h")
    with pytest.raises(DemoError, match="returned 400"):
        dialer_service.events("call.whispered")


def test_any_client_is_let_in_with_the_key_and_sees_one_account(dialer_process: ServiceProcess) -> None:
    with dialer_process.new_service() as service:
        service.create("phonebook", name="Mine")
        api = f"{service.url}/rest-api"
        named = {"headers": service.headers, "trust_env": False, "timeout": ANSWER_S_MAX}
        (user,) = httpx.get(f"{api}/users/", **named).json()["results"]  # type: ignore[arg-type]
        assert (user["username"], user["role"], user["balance"]) == (service.username, "manager", 1_000)
        assert httpx.post(f"{api}/clock/advance/", json={"seconds": 1}, **named).status_code == 403  # type: ignore[arg-type]
    with dialer_process.new_service() as other:
        assert other.count("phonebook") == 0
        assert other.events() == []


def test_a_test_leaves_no_campaign_behind_and_the_next_begins_on_a_monday(dialer_process: ServiceProcess) -> None:
    with dialer_process.new_service() as first:
        began = first.now
        campaign = started(first, MagicNumber.NO_ANSWER, maxretry=9, intervalretry=60)
        first.advance("3d")
    with dialer_process.new_service() as second:
        assert second.now == began + timedelta(weeks=1)
        dialled = dialled_calls(dialer_process, campaign["id"])
        second.advance("1d")
        assert dialled_calls(dialer_process, campaign["id"]) == dialled
    assert datetime.fromisoformat(dialer_process.admin.now()) == began + timedelta(days=8)


def dialled_calls(process: ServiceProcess, campaign: int) -> int:
    """Count the calls of a campaign."""
    return process.admin.count("cdr", campaign_id=campaign)


async def test_webhooks_reach_a_program_on_this_machine(dialer_service: DialerService) -> None:
    arrived = Event()

    def answers(_: int) -> bytes:
        arrived.set()
        return OK

    receiver = Receiver(answers)
    async with receiver.listening():
        secret = await to_thread.run_sync(subscribed, dialer_service, receiver.url)
        await to_thread.run_sync(started, dialer_service, MagicNumber.ANSWERS)
        ended = await to_thread.run_sync(dialer_service.advance_until, "campaign.ended")
        with fail_after(RECEIVED_S_MAX):
            await arrived.wait()
    verified = Webhook(secret).verify(receiver.bodies[0], receiver.headers[0])
    assert (verified["type"], verified["id"]) == ("campaign.ended", ended["id"])


def subscribed(service: DialerService, url: str) -> str:
    """Create a webhook for the ends of campaigns, and return its secret."""
    return str(service.create("webhook", name="Mine", target_url=url, types=["campaign.ended"])["secret"])
