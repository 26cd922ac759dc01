"""Tests that nobody is called where the account may not call, on any way, and that forecasts know it."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, select

from dialer.app.accounts.users import change_user
from dialer.app.campaigns.check import findings_of_campaign
from dialer.app.campaigns.why_waiting import waits_of
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.survey.findings import FindingCode
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus, TransferStatus
from dialer.domain.words.transcripts import Ears
from dialer.store.tables import (
    SMS,
    CallRequest,
    Campaign,
    Cdr,
    Did,
    Gateway,
    RateCardLine,
    SmsMessage,
    Subscriber,
    Transfer,
    User,
)
from tests.runtime.house import House
from tests.runtime.line_house import LineHouse
from tests.runtime.text_side import FAKE_TEXTS

DATES = {"created_date": 1, "updated_date": 1}
RATE = {"rate": 1, "connection_fee": 0, "first_increment": 60, "next_increment": 60}
PREMIUM = "+19002345678"
PERSON = "+12025550101"
GERMAN = "+4930123456"
BEHAVIOUR: dict[str, object] = {"answer": 1, "machine": 0, "busy": 0, "rejected": 0, "invalid": 0, "ring": 4}
"""Everybody answers, and listens."""


def fates(house: House) -> dict[str, tuple[int, str]]:
    return {row["number"]: (row["status"], row["status_reason"]) for row in house.rows(Subscriber)}


async def call_all(house: House) -> dict[str, str]:
    """Call three people, and return the reason against each."""
    await house.started(house.survey({"type": 1, "script": "hello"}), house.phonebook(PREMIUM, PERSON, GERMAN))
    await house.advance(600)
    assert len(house.rows(CallRequest)) == sum(not reason for _, reason in fates(house).values())
    return {number: reason for number, (_, reason) in fates(house).items()}


async def test_a_premium_number_is_not_called(house: House) -> None:
    assert await call_all(house) == {PREMIUM: "destination", PERSON: "", GERMAN: ""}
    assert fates(house)[PREMIUM][0] == SubscriberStatus.NOT_AUTHORIZED


async def test_an_admin_allows_special_numbers_and_limits_the_countries(house: House) -> None:
    house.change(User, house.user_id, allows_special=True, allowed_countries="US, CA")
    assert await call_all(house) == {PREMIUM: "", PERSON: "", GERMAN: "destination"}


@pytest.mark.parametrize(("prefix", "reason"), [("1900", ""), ("1", "destination"), ("49", "destination")])
async def test_a_row_of_the_rate_card_that_names_them_allows_special_numbers(
    house: House, prefix: str, reason: str
) -> None:
    house.add(RateCardLine, user_id=house.user_id, prefix=prefix, **RATE, **DATES)
    house.change(User, house.user_id, rate_card_version=1)
    assert (await call_all(house))[PREMIUM] == reason


async def test_a_row_that_somebody_edited_allows_nothing(house: House) -> None:
    house.change(User, house.user_id, allowed_countries="Atlantis")
    assert set((await call_all(house)).values()) == {"destination"}


async def test_a_call_is_not_transferred_there(house: House) -> None:
    survey_id = house.survey({"type": 6, "script": "hello", "phonenumber": PREMIUM})
    await house.started(survey_id, house.phonebook(PERSON))
    await house.advance(600)
    assert {(row["status"], row["reason"]) for row in house.rows(Transfer)} == {(TransferStatus.OVER, "destination")}


PREFIXES = [
    ("", "+", "19002345678"),  # The carrier takes numbers without `+`.
    ("", "+1", "9002345678"),  # It takes the numbers of its country without `+1`.
    ("", "+1,+", "4990012345678"),
    ("00", "+", "49900123456789"),
    ("+", "", "8823512345678"),
    ("+49", "0", "09001234567"),
    ("#31#", "+", "19002345678"),
]


@pytest.mark.parametrize(("addprefix", "removeprefix", "number"), PREFIXES)
async def test_a_number_that_the_prefixes_of_the_gateway_make_special_is_not_called(
    house: House, addprefix: str, removeprefix: str, number: str
) -> None:
    house.change(Gateway, house.gateway_id, addprefix=addprefix, removeprefix=removeprefix)
    await house.started(house.survey({"type": 1, "script": "hello"}), house.phonebook(number, PERSON))
    await house.advance(60)
    assert {row["number"]: row["status_reason"] for row in house.rows(Subscriber)} == {
        number: "destination",
        PERSON: "",
    }
    assert [row["phone_number"] for row in house.rows(CallRequest)] == [PERSON]
    campaign_id = house.rows(Campaign)[0]["id"]
    house.change(Subscriber, 1, status=SubscriberStatus.PENDING)
    house.change(Campaign, campaign_id, status=CampaignStatus.START)
    assert waits(house) == {number: "destination"}
    campaign: Any = house.row(Campaign, campaign_id)
    found = house.database.read_now(
        lambda c: findings_of_campaign(
            c, dict(campaign), house.now_ms(), service_zone="UTC", hours=CallingHours(), covered=None, ears=Ears()
        )
    )
    assert FindingCode.DESTINATION in {one.code for one in found}


def waits(house: House) -> dict[str, str]:
    """Return what PENDING people wait for."""

    def read(connection: Connection) -> dict[str, str]:
        rows = (
            connection.execute(select(Subscriber.__table__).where(Subscriber.status == SubscriberStatus.PENDING))
            .mappings()
            .all()
        )
        found = waits_of(connection, rows, house.now_ms(), "UTC", CallingHours())
        return {row["number"]: found[row["id"]].reason.value for row in rows}

    return house.database.read_now(read)


@pytest.mark.parametrize("number", ["2025550101", "8705550101", "9795550101", "8885550101", "0301234567"])
async def test_ordinary_numbers_of_a_country_are_called_over_such_gateways(house: House, number: str) -> None:
    """Area codes of North America are calling codes of satellites elsewhere, followed by more digits."""
    house.change(Gateway, house.gateway_id, removeprefix="+")
    await house.started(house.survey({"type": 1, "script": "hello"}), house.phonebook(number))
    await house.advance(60)
    assert [row["phone_number"] for row in house.rows(CallRequest)] == [number]


async def test_messages_are_not_sent_there(house: House) -> None:
    gateway_id = house.add(Gateway, medium=SMS, name="texts", removeprefix="+", parameters='{"sms_delivered": 1}')
    message = {"medium": SMS, "sms_gateway_id": gateway_id, "aleg_gateway_id": None, "text_message": "hello"}
    await house.started(0, house.phonebook(PREMIUM, "19002345679", PERSON), **message)
    await house.advance(60)
    assert [row["phone_number"] for row in house.rows(SmsMessage)] == [PERSON]
    assert [reason for _, reason in fates(house).values()] == ["destination", "destination", ""]


async def test_a_change_holds_for_the_next_dial(house: House) -> None:
    """An admin limits the countries between two dials, a second apart."""
    survey_id = house.survey({"type": 1, "script": "hello"})
    await house.started(survey_id, house.phonebook(PERSON, GERMAN, "+12025550102"))
    await house.advance(0.5)
    house.perform(lambda unit: change_user(unit, house.user_id, {"allowed_countries": "US"}))
    await house.advance(60)
    assert [reason for _, reason in fates(house).values()] == ["", "destination", ""]


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("contact", [PREMIUM, "19002345678"])
async def test_the_telephone_of_an_agent_is_not_called_there(tmp_path: Path, contact: str) -> None:
    """Another agent of the queue gets the call."""
    house = LineHouse(tmp_path, behaviour=BEHAVIOUR)
    house.change(Gateway, house.gateway_id, removeprefix="+")
    queue_id = house.queue(house.agent(contact=contact), house.agent(contact=PERSON))
    await house.started(house.survey({"type": 6, "queue_id": queue_id, "script": "hello"}), house.phonebook(GERMAN))
    await house.pass_s(60)
    assert house.side.numbers == [GERMAN.removeprefix("+")]
    assert house.side.seconds == [PERSON.removeprefix("+")]


@pytest.mark.usefixtures("quiet")
async def test_a_caller_who_comes_in_is_not_transferred_there_and_gets_no_message_there(tmp_path: Path) -> None:
    """A caller with a premium-rate number would earn by each message."""
    house = LineHouse(tmp_path, behaviour={"numbers": {PREMIUM: {"keys": []}}})
    texts = house.add(Gateway, medium=SMS, name="texts", protocol=FAKE_TEXTS)
    transfer = {"type": 6, "phonenumber": PREMIUM, "audiofile_id": house.recording(1_000)}
    texting = {"type": 10, "sms_text": "Thank you", "audiofile_id": house.recording(1_000)}
    settings = {"sms_gateway_id": texts, "dnc_id": house.dnc_list()}
    survey_id = house.survey(texting, transfer, branches={0: {"0": 1}})
    campaign_id = await house.started(survey_id, house.phonebook(PERSON), frequency=1, **settings)
    house.add(Did, user_id=house.user_id, is_assigned=True, did_number="+12025550199", campaign_id=campaign_id)
    await house.move(campaign_id, CampaignStatus.PAUSE)
    house.side.call_in(PREMIUM, "+12025550199")
    await house.pass_s(60)
    assert house.side.seconds == []
    assert {row["phone_number"] for row in house.rows(SmsMessage)} <= {PERSON}
    assert {row["reason"] for row in house.rows(Transfer)} == {"destination"}
    assert PREMIUM in {row["callerid"] for row in house.rows(Cdr)}
