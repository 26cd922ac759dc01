"""Tests of changes during calls, which apply to everything after the call, with and without a restart."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import delete

from dialer.app.campaigns.change import abort_campaign, change_campaign, pause_campaign
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.store.tables import SMS, CallRequest, Campaign, Cdr, Contact, DncContact, Gateway, SmsMessage, Subscriber
from tests.runtime.house import House

SHORT = {"type": 1, "script": "word"}  # 1 s
LONG = {"type": 1, "script": "word " * 150}  # 60 s
RINGS_ON, RINGS_ONCE, BUSY = "+12025550112", "+12025550119", "+12025550111"
PEOPLE = [f"+1202555{number:04d}" for number in range(1_000, 1_040)]
ALL_ANSWER = '{"answer": 1, "machine": 0, "busy": 0, "rejected": 0, "invalid": 0, "ring": 4}'


def dialled(house: House) -> list[str]:
    """Return the numbers that were called, in order."""
    return [row["phone_number"] for row in house.rows(CallRequest)]


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_number_that_is_called_off_while_it_rings_is_not_retried(house: House, *, restarts: bool) -> None:
    """It is put on the list at 0.5 s. The second subscriber is claimed at 1 s, and the first rings out at 45 s."""
    dnc_id = house.dnc_list()
    phonebook_id = house.phonebook(RINGS_ON, BUSY)
    await house.started(house.survey(SHORT), phonebook_id, dnc_id=dnc_id, maxretry=1)
    await house.advance(0.5)
    house.call_off(dnc_id, RINGS_ON)
    if restarts:
        house.restart()
    await house.advance(3_600)
    assert dialled(house) == [RINGS_ON, BUSY, BUSY]
    states = [(row["status"], row["status_reason"]) for row in house.rows(Subscriber)]
    assert states == [(SubscriberStatus.NOT_AUTHORIZED, "dnc"), (SubscriberStatus.FAIL, "busy")]


async def test_a_subscriber_whose_contact_goes_while_it_rings_is_not_called_again(house: House) -> None:
    """Another subscriber of its zone is claimed before the first one's call ends."""
    await house.started(house.survey(SHORT), house.phonebook(RINGS_ON, RINGS_ONCE), maxretry=1)
    await house.advance(0.5)
    house.change(Subscriber, 1, halt_reason="contact_deleted", contact_id=None)
    await house.advance(3_600)
    assert dialled(house) == [RINGS_ON, RINGS_ONCE, RINGS_ONCE]
    assert house.rows(Subscriber)[0]["status"] == SubscriberStatus.ABORT


async def test_a_subscriber_whose_zone_changes_while_it_rings_is_retried_in_the_new_zone(house: House) -> None:
    """From Berlin (13:00) to Sydney (23:00). The window opens at 09:00, so the retry comes at 22:00 UTC."""
    window = {"daily_start_time": "09:00:00", "daily_stop_time": "20:00:00", "maxretry": 1}
    await house.started(house.survey(SHORT), house.phonebook(RINGS_ON, BUSY), **window)
    house.change(Subscriber, 1, zone="Europe/Berlin")
    house.change(Subscriber, 2, zone="Europe/Berlin")
    await house.advance(0.5)
    house.change(Subscriber, 1, zone="Australia/Sydney")
    await house.advance(24 * 3_600)
    moments = [
        datetime.fromtimestamp(row["started_ms"] / 1_000, UTC).strftime("%H:%M:%S")
        for row in house.rows(CallRequest)
        if row["phone_number"] == RINGS_ON
    ]
    assert moments == ["12:00:00", "22:00:00"]


async def test_a_message_is_sent_again_although_its_contact_went(house: House) -> None:
    """The row of the second message names no contact."""
    gateway_id = house.add(Gateway, medium=SMS, name="texts", parameters='{"sms_delivered": 1}')
    message = {"medium": SMS, "sms_gateway_id": gateway_id, "aleg_gateway_id": None, "text_message": "hello"}
    phonebook_id = house.phonebook("+12025550130", "+12025551000")
    await house.started(0, phonebook_id, **message, maxretry=1, intervalretry=60, frequency=600)
    await house.advance(0.05)
    house.database.write_now(lambda c: c.execute(delete(Contact).where(Contact.id == 1)))
    await house.advance(600)
    assert [row["contact_id"] for row in house.rows(SmsMessage)] == [None, 2, None]


async def test_the_end_of_a_call_by_an_abort_dials_for_no_campaign_that_was_paused_with_it(house: House) -> None:
    """Both are committed before the worker's next step, and the free channel is not used."""
    house.change(Gateway, house.gateway_id, max_channels=1, parameters=ALL_ANSWER)
    survey_id = house.survey(LONG)
    first_id = await house.started(survey_id, house.phonebook(PEOPLE[0]))
    second_id = await house.started(survey_id, house.phonebook(PEOPLE[1]))
    await house.advance(10)

    def both(unit: UnitOfWork) -> None:
        abort_campaign(unit, first_id)
        pause_campaign(unit, second_id)

    house.perform(both)
    await house.advance(60)
    assert dialled(house) == [PEOPLE[0]]


async def test_two_campaigns_that_are_aborted_together_dial_no_more(house: House) -> None:
    """The first campaign's call frees its channel while the second still waits for one."""
    house.change(Gateway, house.gateway_id, max_channels=2, parameters=ALL_ANSWER)
    survey_id = house.survey(LONG)
    first_id = await house.started(survey_id, house.phonebook(PEOPLE[0]))
    second_id = await house.started(survey_id, house.phonebook(*PEOPLE[1:3]))
    await house.advance(10)

    def both(unit: UnitOfWork) -> None:
        for campaign_id in (first_id, second_id):
            abort_campaign(unit, campaign_id)

    house.perform(both)
    await house.advance(60)
    assert dialled(house) == PEOPLE[:2]


@pytest.mark.parametrize("restarts", [False, True])
async def test_retries_that_a_campaign_gets_after_its_end_count_for_its_call(house: House, *, restarts: bool) -> None:
    """The campaign is ended, and then gets a retry, while its call rings."""
    campaign_id = await house.started(house.survey(SHORT), house.phonebook(RINGS_ON, BUSY))
    await house.advance(0.5)
    await house.move(campaign_id, CampaignStatus.END)
    house.perform(lambda unit: change_campaign(unit, campaign_id, {"maxretry": 1}))
    if restarts:
        house.restart()
    await house.advance(60)
    (subscriber, _) = house.rows(Subscriber)
    assert (subscriber["status"], subscriber["status_reason"]) == (SubscriberStatus.PENDING, "no_answer")
    assert house.worker.figures().broken == {}


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_call_outlives_its_gateway(house: House, *, restarts: bool) -> None:
    """The campaign changes to another gateway, and the first is deleted while a call rings on it."""
    other_id = house.add(Gateway, name="other")
    campaign_id = await house.started(house.survey(SHORT), house.phonebook(RINGS_ON, BUSY))
    await house.advance(0.5)
    house.change(Campaign, campaign_id, aleg_gateway_id=other_id)
    house.database.write_now(lambda c: c.execute(delete(Gateway).where(Gateway.id == house.gateway_id)))
    if restarts:
        house.restart()
    await house.advance(3_600)
    assert [(row["phone_number"], row["duration"]) for row in house.rows(Cdr)] == [(BUSY, 1), (RINGS_ON, 45)]


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_campaign_is_completed_although_the_window_has_closed(house: House, *, restarts: bool) -> None:
    """The campaign has as many subscribers as one claim takes. The last call ends 2 s after the window closed."""
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    window = {"daily_start_time": "07:00:00", "daily_stop_time": "07:00:34"}
    campaign_id = await house.started(house.survey(SHORT), house.phonebook(*PEOPLE[:32]), **window)
    await house.advance(34)
    if restarts:
        house.restart()
    await house.advance(10)
    row = house.row(Campaign, campaign_id)
    assert (row["status"], row["status_reason"], row["calls"]) == (CampaignStatus.END, "completed", 32)


@pytest.mark.parametrize("restarts", [False, True])
async def test_the_settings_at_the_end_of_a_call_apply(house: House, *, restarts: bool) -> None:
    """The retries are removed and the list is changed while two calls are in progress."""
    house.meet_real_people()
    first_list, second_list = house.dnc_list(), house.dnc_list()
    goodbye = {"type": 9, "script": "word"}
    numbers = [RINGS_ON, "+12025550100"]
    campaign_id = await house.started(house.survey(goodbye), house.phonebook(*numbers), dnc_id=first_list, maxretry=3)
    await house.advance(2)
    house.change(Campaign, campaign_id, maxretry=0, dnc_id=second_list)
    if restarts:
        house.restart()
    await house.advance(3_600)
    assert dialled(house) == numbers
    assert [row["dnc_id"] for row in house.rows(DncContact)] == [second_list, second_list + 1]
