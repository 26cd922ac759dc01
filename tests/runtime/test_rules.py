"""Tests of the rules of dialling: do-not-call lists, windows, limits and credit."""

from datetime import UTC, datetime

import pytest

from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.store.tables import (
    CallerId,
    CallerIdGroup,
    CallRequest,
    Campaign,
    Cdr,
    DncContact,
    Gateway,
    Subscriber,
    User,
)
from tests.runtime.house import CENTS, DAY_MS, MONDAY_NOON_MS, House

LONG = {"type": 1, "script": "word " * 150}  # 60 s
SHORT = {"type": 1, "script": "word"}  # 1 s
PEOPLE = [f"+1202555{number:04d}" for number in range(1_000, 1_020)]


async def test_a_number_on_the_dnc_list_is_never_dialled(house: House) -> None:
    """The subscriber is NOT_AUTHORIZED without a call, and the next one is dialled in its place."""
    dnc_id = house.dnc_list("+12025550111")
    phonebook_id = house.phonebook("+12025550111", "+12025550114")
    await house.started(house.survey(SHORT), phonebook_id, dnc_id=dnc_id)
    await house.advance(60)
    assert [row["phone_number"] for row in house.rows(CallRequest)] == ["+12025550114"]
    refused = house.rows(Subscriber)[0]
    assert (refused["status"], refused["status_reason"]) == (SubscriberStatus.NOT_AUTHORIZED, "dnc")
    assert house.row(Campaign, 1)["status_reason"] == "completed"


async def test_a_number_that_is_called_off_an_instant_before_its_turn_counts(house: House) -> None:
    """The second dial is due at 1 s, and its number is put on the list at 0.999 s."""
    dnc_id = house.dnc_list()
    await house.started(house.survey(SHORT), house.phonebook("+12025550114", "+12025550111"), dnc_id=dnc_id)
    await house.advance(0.999)
    house.call_off(dnc_id, "+12025550111")
    await house.advance(60)
    assert [row["phone_number"] for row in house.rows(CallRequest)] == ["+12025550114"]


async def test_a_number_that_is_called_off_is_not_retried(house: House) -> None:
    """The number is busy, and is put on the list before its retry."""
    dnc_id = house.dnc_list()
    await house.started(house.survey(SHORT), house.phonebook("+12025550111"), dnc_id=dnc_id, maxretry=3)
    await house.advance(60)
    house.call_off(dnc_id, "+12025550111")
    await house.advance(3_600)
    assert len(house.rows(CallRequest)) == 1
    assert house.rows(Subscriber)[0]["status_reason"] == "dnc"


async def test_a_dnc_section_calls_the_number_off_in_every_campaign_with_that_list(sociable: House) -> None:
    """The first campaign's callee asks not to be called at 5 s; the second campaign's turn would be at 6 s."""
    dnc_id = sociable.dnc_list()
    goodbye = {"type": 9, "script": "we will not call again"}  # 5 words: 2 s
    phonebook_id = sociable.phonebook(PEOPLE[0])
    await sociable.started(sociable.survey(goodbye), phonebook_id, dnc_id=dnc_id)
    later = {"startingdate": MONDAY_NOON_MS + 6_000}
    await sociable.started(sociable.survey(SHORT), phonebook_id, dnc_id=dnc_id, **later)
    await sociable.advance(60)
    assert [row["number"] for row in sociable.rows(DncContact)] == [PEOPLE[0]]
    assert [(row["campaign_id"], row["duration"], row["billsec"]) for row in sociable.rows(Cdr)] == [(1, 7, 2)]
    assert [row["status_reason"] for row in sociable.rows(Subscriber)] == ["", "dnc"]


async def test_everybody_is_called_by_their_own_clock(sociable: House) -> None:
    """09:00 to 20:00 at noon UTC: Berlin (13:00) at once, Washington (07:00) and Sydney (23:00) later."""
    numbers = ["+12025551000", "+61291234567", "+493012345678"]
    phonebook_id = sociable.phonebook(*numbers)
    window = {"daily_start_time": "09:00:00", "daily_stop_time": "20:00:00"}
    await sociable.started(sociable.survey(SHORT), phonebook_id, **window)
    await sociable.advance(DAY_MS / 1_000)
    called = [
        (row["phone_number"], datetime.fromtimestamp(row["started_ms"] / 1_000, UTC).strftime("%a %H:%M:%S"))
        for row in sociable.rows(CallRequest)
    ]
    assert called == [
        ("+493012345678", "Mon 12:00:00"),
        ("+12025551000", "Mon 14:00:00"),
        ("+61291234567", "Mon 22:00:00"),
    ]


async def test_a_retry_waits_for_the_window(house: House) -> None:
    """The number is busy at 19:59:30 local time. The retry is due after the window, so it comes the next morning."""
    window = {"daily_start_time": "09:00:00", "daily_stop_time": "20:00:00", "maxretry": 1, "intervalretry": 60}
    await house.advance(12 * 3_600 + 59 * 60 + 30)  # 19:59:30 in Washington
    await house.started(house.survey(SHORT), house.phonebook("+12025550111"), **window)
    await house.advance(DAY_MS / 1_000)
    moments = [datetime.fromtimestamp(row["started_ms"] / 1_000, UTC) for row in house.rows(CallRequest)]
    assert [moment.strftime("%a %H:%M:%S") for moment in moments] == ["Tue 00:59:30", "Tue 14:00:00"]


async def test_a_subscriber_in_an_unknown_zone_is_not_called(house: House) -> None:
    """The subscriber is NOT_AUTHORIZED, with a reason."""
    campaign_id = await house.started(house.survey(SHORT), house.phonebook("+12025550114"))
    values = {"campaign_id": campaign_id, "duplicate_contact": "5551", "number": "5551", "zone": "?"}
    house.add(Subscriber, **values)
    await house.advance(60)
    states = [(row["status"], row["status_reason"]) for row in house.rows(Subscriber)]
    assert states == [(4, "invalid_number"), (SubscriberStatus.NOT_AUTHORIZED, "tz_unknown")]


async def test_no_more_a_legs_than_max_aleg(sociable: House) -> None:
    """Two calls at once, each of 65 s, so the third dial waits for the first end."""
    await sociable.started(sociable.survey(LONG), sociable.phonebook(*PEOPLE[:5]), max_aleg=2)
    await sociable.advance(1_000)
    assert sociable.dials_s() == [0, 1, 65, 66, 130]


async def test_a_gateways_channels_are_shared_fairly(sociable: House) -> None:
    """Two campaigns share two channels, one each, independent of the order of their starts."""
    sociable.change(Gateway, sociable.gateway_id, max_channels=2)
    survey_id = sociable.survey(LONG)
    for start in range(0, 10, 5):
        await sociable.started(survey_id, sociable.phonebook(*PEOPLE[start : start + 5]))
    await sociable.advance(6 * 66)
    placed = [(row["campaign_id"], (row["started_ms"] - MONDAY_NOON_MS) / 1_000) for row in sociable.rows(CallRequest)]
    assert placed[:6] == [(1, 0), (2, 0), (1, 65), (2, 65), (1, 130), (2, 130)]


async def test_no_more_new_calls_a_second_than_max_cps(sociable: House) -> None:
    """The frequency is ten dials a second, and max_cps is two."""
    sociable.change(Gateway, sociable.gateway_id, max_cps=2)
    await sociable.started(sociable.survey(SHORT), sociable.phonebook(*PEOPLE[:6]), frequency=600)
    await sociable.advance(60)
    assert sociable.dials_s() == [0, 0.1, 1, 1.1, 2, 2.1]


async def test_without_credit_a_campaign_pauses_and_the_balance_never_goes_below_zero(sociable: House) -> None:
    """The balance is 0.05, and a minute costs 0.02. Each call holds all and uses 0.02, so 0.01 is left."""
    sociable.change(User, sociable.user_id, balance=0)
    sociable.pay(5 * CENTS)
    campaign_id = await sociable.started(sociable.survey(LONG), sociable.phonebook(*PEOPLE[:5]))
    await sociable.advance(1_000)
    assert [row["call_cost"] for row in sociable.rows(Cdr)] == [2 * CENTS, 2 * CENTS]
    row, user = sociable.row(Campaign, campaign_id), sociable.row(User, sociable.user_id)
    assert (row["status"], row["status_reason"]) == (CampaignStatus.PAUSE, "no_credit")
    assert (user["balance"], user["held"]) == (1 * CENTS, 0)


async def test_a_call_is_cut_to_what_the_balance_pays_for(sociable: House) -> None:
    """The balance of 0.05 pays for two increments of a minute, so the call is cut after 120 s."""
    sociable.change(User, sociable.user_id, balance=5 * CENTS)
    await sociable.started(sociable.survey(SHORT), sociable.phonebook("+12025550121"))
    await sociable.advance(1_000)
    assert [(row["billsec"], row["call_cost"]) for row in sociable.rows(Cdr)] == [(120, 4 * CENTS)]


@pytest.mark.parametrize(
    ("behavior", "machine", "person"),
    [
        # ALWAYS: 2 s detection, then 1 s of message, to both; a machine is not reached by it
        (1, (3, SubscriberStatus.FAIL), (3, SubscriberStatus.SENT)),
        # HUMAN_ONLY: hung up on after detection, and as good as not answered
        (2, (2, SubscriberStatus.FAIL), (3, SubscriberStatus.SENT)),
        # VOICEMAIL_ONLY: the person is spared
        (3, (3, SubscriberStatus.SENT), (2, SubscriberStatus.SENT)),
    ],
)
async def test_detection_decides_if_the_callee_hears_the_message(
    house: House, behavior: int, machine: tuple[int, int], person: tuple[int, int]
) -> None:
    """The CDR says what was detected."""
    phonebook_id = house.phonebook("+12025550110", "+12025550100")
    await house.started(house.survey(SHORT), phonebook_id, voicemail=True, amd_behavior=behavior)
    await house.advance(60)
    states = {row["number"]: row["status"] for row in house.rows(Subscriber)}
    heard = {row["phone_number"]: (row["amd_status"], row["billsec"]) for row in house.rows(Cdr)}
    assert heard == {"+12025550110": (2, machine[0]), "+12025550100": (1, person[0])}
    assert states == {"+12025550110": machine[1], "+12025550100": person[1]}


async def test_the_caller_id_of_the_longest_area_code_is_shown(house: House) -> None:
    """1202 beats 1; an unmatched number gets the wildcard."""
    group_id = house.add(CallerIdGroup, name="group")
    for areacode, number in [("1", "+18005550100"), ("1202", "+12025550199"), ("*", "+442079460000")]:
        values = {"areacode": areacode, "callerid_num": number, "user_id": house.user_id}
        house.add(CallerId, callerid_group_id=group_id, **values)
    numbers = ["+12025550114", "+14155550100", "+493012345678"]
    await house.started(house.survey(SHORT), house.phonebook(*numbers), callerid_group_id=group_id, callerid="none")
    await house.advance(60)
    shown = {row["phone_number"]: row["callerid"] for row in house.rows(CallRequest)}
    assert shown == dict(zip(numbers, ["+12025550199", "+18005550100", "+442079460000"], strict=True))
