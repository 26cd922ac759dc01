"""Tests of resting gateways, prefixes and caller IDs, over restarts and refreshes."""

import json
from collections import Counter

import pytest
import structlog
from sqlalchemy import RowMapping

from dialer.domain.words.enums import CampaignStatus
from dialer.store.tables import SMS, CallerId, CallerIdGroup, CallRequest, Campaign, Cdr, Gateway, SmsMessage, Transfer
from tests.runtime.house import MONDAY_NOON_MS, House

SHORT = {"type": 1, "script": "word"}
NO_CIRCUIT, OUT_OF_ORDER, TEMPORARY, BUSY = "+12025550115", "+12025550116", "+12025550117", "+12025550111"
PERSON = "+12025551000"
LONDON = [f"+44207946{number:04d}" for number in range(10)]


async def rested(house: House, **values: object) -> int:
    """Start a campaign whose only number always fails, with retries after 1 s, so that the gateway rests at 5 s."""
    settings = {"maxretry": 8, "intervalretry": 0, **values}
    return await house.started(house.survey(SHORT), house.phonebook(NO_CIRCUIT), **settings)


def rest(house: House) -> tuple[int, int, float]:
    """Return the failures in a row, the seconds of the rest, and its end in seconds from the start."""
    row = house.row(Gateway, house.gateway_id)
    return row["failures"], row["rest_ms"] // 1_000, (row["rests_until_ms"] - MONDAY_NOON_MS) / 1_000


def legs(house: House) -> list[RowMapping]:
    """Return the transfers of all calls."""
    return house.rows(Transfer)


async def test_a_gateway_that_fails_five_times_in_a_row_rests_longer_each_time(house: House) -> None:
    await rested(house)
    await house.advance(4_999 / 1_000)
    assert house.row(Gateway, house.gateway_id)["failures"] == 4
    await house.advance(0.001)
    assert rest(house) == (5, 30, 35)
    await house.advance(2_000)
    assert house.dials_s() == [0, 1, 2, 3, 4, 35, 96, 217, 458]
    assert rest(house) == (9, 480, 939)
    assert {row["hangup_cause_q850"] for row in house.rows(Cdr)} == {34}


@pytest.mark.parametrize("restart_s", [0.5, 4.999, 5, 5.001, 20, 34.999, 35, 100])
async def test_a_restart_does_not_end_a_rest(house: House, restart_s: float) -> None:
    await rested(house)
    await house.advance(restart_s)
    house.restart()
    await house.worker.settle()
    await house.advance(2_000)
    assert house.dials_s() == [0, 1, 2, 3, 4, 35, 96, 217, 458]


async def test_changes_of_rows_do_not_end_a_rest(house: House) -> None:
    """The engine refreshes its rows, and the gateway's own settings change."""
    await rested(house)
    await house.advance(10)
    house.change(Gateway, house.gateway_id, description="new", max_cps=5)
    await house.worker.settle()
    await house.advance(24.999)
    assert len(house.dials_s()) == 5
    await house.advance(0.001)
    assert house.dials_s()[5:] == [35]


async def test_campaigns_on_other_gateways_go_on(house: House) -> None:
    await rested(house)
    other = await house.started(
        house.survey(SHORT), house.phonebook(*[BUSY[:-1] + "0", BUSY]), aleg_gateway_id=house.add(Gateway, name="other")
    )
    await house.advance(10)
    placed = [row["started_ms"] - MONDAY_NOON_MS for row in house.rows(CallRequest) if row["campaign_id"] == other]
    assert placed == [0, 1_000]


async def test_a_successful_call_ends_the_row_of_failures(house: House) -> None:
    """A busy signal comes from the callee, so the carrier works."""
    numbers = [NO_CIRCUIT, OUT_OF_ORDER, TEMPORARY, BUSY]
    await house.started(house.survey(SHORT), house.phonebook(*numbers), maxretry=1, intervalretry=60)
    await house.advance(200)
    assert rest(house)[:2] == (0, 0)
    assert len(house.dials_s()) == 8


async def test_b_legs_that_fail_count_as_well(sociable: House) -> None:
    """One callee is transferred repeatedly. The sixth B-leg waits for the end of the rest, the seventh less long."""
    ways = [{"type": 6, "phonenumber": NO_CIRCUIT}] * 7
    survey_id = sociable.survey(*ways, branches={place: {"timeout": place + 1} for place in range(6)})
    await sociable.started(survey_id, sociable.phonebook(PERSON))
    await sociable.advance(120)
    dialled = [None if row["started_ms"] is None else row["started_ms"] - MONDAY_NOON_MS for row in legs(sociable)]
    assert dialled == [5_000, 6_000, 7_000, 8_000, 9_000, 40_000, None]
    assert [row["reason"] for row in legs(sociable)] == ["carrier_failure"] * 6 + ["resting"]
    assert rest(sociable) == (6, 60, 101)


async def test_b_legs_that_fail_between_calls_that_go_well_are_no_row(sociable: House) -> None:
    section = {"type": 6, "phonenumber": NO_CIRCUIT}
    await sociable.started(sociable.survey(section), sociable.phonebook(*LONDON[:7]), frequency=6)
    await sociable.advance(100)
    assert len(legs(sociable)) == 7
    assert rest(sociable)[:2] == (0, 0)


async def test_a_rest_is_counted_and_logged(house: House) -> None:
    await rested(house)
    with structlog.testing.capture_logs() as logs:
        await house.advance(20)
        await house.advance(20)
    assert [(line["event"], line["medium"], line["gateway_id"]) for line in logs] == [
        ("gateway_rests", "voice", house.gateway_id)
    ] * 2
    assert house.worker.figures().rests == Counter({("voice", house.gateway_id): 2})


async def test_prefixes_are_for_the_carrier_only(house: House) -> None:
    """The number that is always busy stays busy, and the call and its CDR have the number without prefixes."""
    house.change(Gateway, house.gateway_id, addprefix="00", removeprefix="+44,+")
    await house.started(house.survey(SHORT), house.phonebook(BUSY, LONDON[0]))
    await house.advance(0.5)
    house.restart()
    await house.worker.settle()
    await house.advance(600)
    called = [(row["phone_number"], row["dialled_number"]) for row in house.rows(CallRequest)]
    assert called == [(BUSY, "0012025550111"), (LONDON[0], f"00{LONDON[0][3:]}")]
    assert sorted(row["phone_number"] for row in house.rows(Cdr)) == [BUSY, LONDON[0]]


async def test_text_messages_have_prefixes_too(house: House) -> None:
    gateway_id = house.add(Gateway, medium=SMS, name="texts", addprefix="9", removeprefix="+1")
    message = {"medium": SMS, "sms_gateway_id": gateway_id, "aleg_gateway_id": None, "text_message": "hello"}
    await house.started(0, house.phonebook(BUSY), **message)
    await house.advance(60)
    sent = [(row["phone_number"], row["dialled_number"]) for row in house.rows(SmsMessage)]
    assert sent == [(BUSY, "92025550111")]


def group(house: House, *choices: tuple[str, str]) -> int:
    """Add a caller-ID group of (area code, caller ID) pairs."""
    group_id = house.add(CallerIdGroup, name="numbers")
    for areacode, callerid_num in choices:
        values = {"callerid_group_id": group_id, "areacode": areacode, "callerid_num": callerid_num}
        house.add(CallerId, user_id=house.user_id, **values)
    return group_id


async def test_caller_ids_take_turns_over_a_restart(house: House) -> None:
    """Six calls go to London and others to Washington, which has its own turns."""
    group_id = group(house, ("44", "A"), ("44", "B"), ("44", "C"), ("1202", "D"), ("1202", "E"))
    numbers = [LONDON[0], BUSY, *LONDON[1:4], NO_CIRCUIT, *LONDON[4:6], OUT_OF_ORDER]
    campaign_id = await house.started(house.survey(SHORT), house.phonebook(*numbers), callerid_group_id=group_id)
    await house.advance(3.5)
    house.restart()
    await house.worker.settle()
    await house.advance(2)
    await house.move(campaign_id, CampaignStatus.PAUSE)
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(60)
    shown = [(row["phone_number"], row["callerid"]) for row in house.rows(CallRequest)]
    assert [callerid for number, callerid in shown if number in LONDON] == ["A", "B", "C", "A", "B", "C"]
    assert [callerid for number, callerid in shown if number not in LONDON] == ["D", "E", "D"]
    assert json.loads(house.row(Campaign, campaign_id)["callerid_turns"]) == {"44": 6, "1202": 3}


async def test_a_caller_id_that_is_added_takes_its_turns(house: House) -> None:
    """Its area code is longer than the others', so it is always shown."""
    group_id = group(house, ("44", "A"), ("44", "B"))
    campaign_id = await house.started(house.survey(SHORT), house.phonebook(*LONDON), callerid_group_id=group_id)
    await house.advance(3.5)
    house.add(CallerId, user_id=house.user_id, callerid_group_id=group_id, areacode="4420", callerid_num="C")
    await house.worker.settle()
    await house.advance(60)
    assert [row["callerid"] for row in house.rows(CallRequest)] == ["A", "B", "A", "B"] + ["C"] * 6
    assert json.loads(house.row(Campaign, campaign_id)["callerid_turns"]) == {"44": 4}
