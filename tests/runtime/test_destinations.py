"""Tests that nobody is called where the account may not call, on any way, and that forecasts know it."""

import pytest

from dialer.domain.enums import SubscriberStatus, TransferStatus
from dialer.store.tables import CallRequest, RateCardLine, Subscriber, Transfer, User
from tests.runtime.house import House

DATES = {"created_date": 1, "updated_date": 1}
RATE = {"rate": 1, "connection_fee": 0, "first_increment": 60, "next_increment": 60}
PREMIUM = "+19002345678"
PERSON = "+12025550101"
GERMAN = "+4930123456"


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
