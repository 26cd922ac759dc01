"""Tests of what a test of a campaign may still say, by which erasures and further tests of an account wait for it."""

from pathlib import Path

import pytest

from dialer.app.campaigns.campaign_trials import trial_in_progress
from dialer.app.work.errors import RefusedError
from dialer.domain.words.enums import CampaignStatus
from dialer.store.tables import SMS, CallRequest, Campaign, Gateway, LiveLeg, SmsMessage, Subscriber
from tests.app.erasure.test_erasure import NUMBER, OTHER, erase
from tests.runtime.house import ALL_ANSWER, House


def speaking(house: House) -> int | None:
    return house.database.read_now(lambda connection: trial_in_progress(connection, house.user_id))


def send(house: House, trial_id: int, call_id: int | None, *, is_accepted: bool) -> None:
    """Add a message of a trial whose receipt is missing."""
    fields = {"campaign_id": trial_id, "user_id": house.user_id, "callrequest_id": call_id, "phone_number": OTHER}
    subscriber_id = next(row["id"] for row in house.rows(Subscriber) if row["campaign_id"] == trial_id)
    sent = {"gateway_id": house.gateway_id, "attempt": 1, "callerid": "", "text_message": "Dear Ann Ash", "parts": 1}
    stage = {"status": "Sent", "hold": 0, "send_date": house.now_ms(), "subscriber_id": subscriber_id}
    key = f"{trial_id}-{call_id}"
    message_id = house.add(SmsMessage, message_id=key, **fields, **sent, **stage)
    standing = f'{{"is_accepted":{str(is_accepted).lower()}}}'
    leg = {"medium": SMS, "gateway_id": house.gateway_id, "dialling": "{}", "wanted_ms": house.now_ms(), "handle": ""}
    house.add(LiveLeg, key=key, call_id=message_id, standing=standing, **leg)


async def test_a_text_that_is_written_silences_a_test_only_once_its_call_is_over(tmp_path: Path) -> None:
    house = House(tmp_path, seed=3)
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    survey_id = house.survey({"type": 1, "script": "hello", "completed": True})
    tried_id, book = house.campaign(survey_id, house.phonebook(NUMBER)), house.phonebook()
    house.contact(book, OTHER, full_name="Ann Ash")
    trial_id = await house.started(survey_id, book)
    house.change(Campaign, trial_id, trial_of_id=tried_id)
    await house.advance(3)
    (call,) = house.rows(CallRequest)
    send(house, trial_id, call["id"], is_accepted=True)
    for status in (CampaignStatus.START, CampaignStatus.END):
        house.change(Campaign, trial_id, status=status)
        assert speaking(house) == trial_id
        with pytest.raises(RefusedError, match="A test of this account is in progress"):
            erase(house)
    await house.advance(600)
    assert speaking(house) is None
    house.change(Campaign, trial_id, status=CampaignStatus.START)
    assert speaking(house) is None
    send(house, trial_id, None, is_accepted=False)
    assert speaking(house) == trial_id
    house.database.close()
