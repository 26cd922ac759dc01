"""Tests of transfers to numbers: rows, money, and changes meanwhile."""

from typing import Any, Final

import pytest
from sqlalchemy import delete

from dialer.domain.words.enums import CampaignStatus, LegType, SubscriberStatus, TransferStatus
from dialer.store.tables import (
    SMS,
    CallRequest,
    Campaign,
    Cdr,
    Contact,
    Gateway,
    LedgerEntry,
    SmsMessage,
    Subscriber,
    Transfer,
    User,
)
from tests.runtime.house import CENTS, MONDAY_NOON_MS, House

CALLER: Final = "+33199001234"
OTHER: Final = "+33199009999"
BEHAVIOUR: Final = (
    '{"answer": 1, "machine": 0, "busy": 0, "rejected": 0, "invalid": 0, "ring": 4, "talk": 40,'
    ' "patience": 300, "key_delay": 2}'
)
"""A gateway whose callees answer 5 s after the dial and talk for 40 s."""
SECTION: Final[dict[str, Any]] = {"type": 6, "script": "one two three four five", "phonenumber": OTHER}
"""A transfer that begins 7 s after the dial, is answered at 12 s, and ends at 52 s."""
MINUTE: Final = 2 * CENTS


async def transferring(house: House, *sections: dict[str, Any], **settings: object) -> int:
    """Start a campaign that has just dialled its only subscriber."""
    house.change(Gateway, house.gateway_id, parameters=BEHAVIOUR)
    survey_id = house.survey(*(sections or (SECTION,)))
    return await house.started(survey_id, house.phonebook(CALLER), callmaxduration=120, **settings)


def second(at_ms: int) -> float:
    """Return a moment as seconds after the dial."""
    return (at_ms - MONDAY_NOON_MS) / 1_000


def money(house: House) -> tuple[int, int, int]:
    """Return the money spent, the sum of the ledger, and the money held."""
    user = house.row(User, house.user_id)
    spent = 100_000 * CENTS - user["balance"]
    return spent, 100_000 * CENTS - sum(row["amount"] for row in house.rows(LedgerEntry)), user["held"]


async def test_a_transfer_leaves_its_rows(house: House) -> None:
    await transferring(house)
    await house.advance(60)
    b_leg, a_leg = house.rows(Cdr)
    names = ("leg_type", "callerid", "phone_number", "duration", "billsec", "billed_duration", "call_cost")
    assert [b_leg[name] for name in names] == [LegType.B_LEG, CALLER, OTHER, 45, 40, 60, MINUTE]
    assert [a_leg[name] for name in names] == [LegType.A_LEG, "", CALLER, 52, 47, 60, MINUTE]
    assert [second(row["starting_date"]) for row in (b_leg, a_leg)] == [7, 0]
    same = ("callrequest_id", "campaign_id", "subscriber_id", "contact_id", "user_id", "hangup_cause_q850")
    assert [b_leg[name] for name in same] == [a_leg[name] for name in same]
    (transfer,) = house.rows(Transfer)
    standing = ("callrequest_id", "place", "queue_id", "agent_id", "gateway_id", "phone_number", "status", "reason")
    assert [transfer[name] for name in standing] == [1, 1, None, None, house.gateway_id, OTHER, TransferStatus.OVER, ""]
    assert [second(transfer[name]) for name in ("joined_ms", "started_ms", "answered_ms", "ended_ms")] == [7, 7, 12, 52]
    entries = [(row["kind"], row["amount"], row["reference"]) for row in house.rows(LedgerEntry)[1:]]
    assert entries == [("call", -MINUTE, f"call:{b_leg['callid']}"), ("call", -MINUTE, f"call:{a_leg['callid']}")]
    (campaign,) = house.rows(Campaign)
    assert [campaign[name] for name in ("calls", "answered", "cost", "live_answered")] == [1, 1, 2 * MINUTE, 0]
    assert money(house) == (2 * MINUTE, 2 * MINUTE, 0)


async def test_both_legs_are_held_for_while_they_last(house: House) -> None:
    """Each leg holds two minutes."""
    await transferring(house)
    held = []
    for _ in range(9):
        held.append(house.row(User, house.user_id)["held"])
        await house.advance(6.5)
    assert held == [2 * MINUTE] * 2 + [4 * MINUTE] * 6 + [2 * MINUTE] * 0 + [0]


PHASES: Final = (3, 6, 9, 20)
"""Seconds at which the call rings, plays its prompt, rings the B-leg, and is connected."""


@pytest.mark.parametrize("at_s", PHASES)
@pytest.mark.parametrize("restarts", [False, True])
async def test_a_campaign_that_is_paused_lets_both_legs_finish(house: House, at_s: int, *, restarts: bool) -> None:
    campaign_id = await transferring(house)
    await house.advance(at_s)
    if restarts:
        house.restart()
    await house.move(campaign_id, CampaignStatus.PAUSE)
    await house.advance(60)
    assert [(row["duration"], row["billsec"]) for row in house.rows(Cdr)] == [(45, 40), (52, 47)]
    assert money(house) == (2 * MINUTE, 2 * MINUTE, 0)


@pytest.mark.parametrize(
    ("at_s", "legs", "reasons", "cost"),
    [
        (3, [(1, 3, 0)], [], 0),
        (6, [(1, 6, 1)], [], MINUTE),
        (9, [(2, 2, 0), (1, 9, 4)], ["hung_up"], MINUTE),
        (20, [(2, 13, 8), (1, 20, 15)], [""], 2 * MINUTE),
    ],
)
@pytest.mark.parametrize("restarts", [False, True])
async def test_a_campaign_that_is_aborted_ends_both_legs_at_once(
    house: House, at_s: int, legs: list[tuple[int, int, int]], reasons: list[str], cost: int, *, restarts: bool
) -> None:
    campaign_id = await transferring(house)
    await house.advance(at_s)
    if restarts:
        house.restart()
    for _ in range(3):
        await house.move(campaign_id, CampaignStatus.ABORT)
    assert [(row["leg_type"], row["duration"], row["billsec"]) for row in house.rows(Cdr)] == legs
    assert [(row["reason"], row["status"]) for row in house.rows(Transfer)] == [
        (reason, TransferStatus.OVER) for reason in reasons
    ]
    assert money(house) == (cost, cost, 0)
    assert [row["status"] for row in house.rows(Subscriber)] == [SubscriberStatus.ABORT]
    await house.advance(100)
    assert len(house.rows(Cdr)) == len(legs)


async def test_money_that_a_transfer_does_not_need_any_more_lets_others_call(house: House) -> None:
    """The balance is four minutes, and each leg holds two. The next dial waits for the end of the unanswered B-leg."""
    house.pay(4 * MINUTE - 100_000 * CENTS)
    house.change(Gateway, house.gateway_id, parameters=BEHAVIOUR)
    section = SECTION | {"phonenumber": "+12025550111"}
    numbers = (CALLER, "+33199001235")
    survey_id = house.survey(section, {"type": 1, "script": "word " * 100}, branches={0: {"timeout": 1}})
    await house.started(survey_id, house.phonebook(*numbers), callmaxduration=120, frequency=7)
    await house.advance(30)
    assert house.dials_s() == [0, pytest.approx(8.571, abs=0.001)]


async def test_a_row_that_is_missing_does_not_stop_the_service(house: House) -> None:
    """The call begins its transfer again."""
    await transferring(house)
    await house.advance(20)
    house.database.write_now(lambda connection: connection.execute(delete(Transfer)))
    house.restart()
    await house.advance(100)
    assert house.worker.problem() is None
    assert [second(row["joined_ms"]) for row in house.rows(Transfer)] == [20]
    assert [(row["leg_type"], row["duration"]) for row in house.rows(Cdr)] == [(2, 45), (1, 65)]


@pytest.mark.parametrize("restarts", [False, True])
async def test_limits_that_are_changed_during_a_call_hold_for_its_transfer(house: House, *, restarts: bool) -> None:
    """The ringing time is still that of the call."""
    campaign_id = await transferring(house, SECTION | {"phonenumber": "+12025550112"}, calltimeout=20)
    await house.advance(6)
    house.change(Campaign, campaign_id, calltimeout=40)
    if restarts:
        house.restart()
    await house.advance(60)
    assert [(row["leg_type"], row["duration"]) for row in house.rows(Cdr)] == [(2, 20), (1, 27)]


# --- text messages during a call ------------------------------------------------------------------------------------

TEXTING: Final[dict[str, Any]] = {"type": 10, "script": "word " * 50, "sms_text": "Thank you"}
"""A section that sends a text 5 s after the dial, with 20 s of prompt."""


async def texting(
    house: House, *, text: str = "Thank you", variables: str = "", parameters: str = "{}", **settings: object
) -> int:
    """Start a campaign that has just dialled its only subscriber, and sends them a text."""
    house.change(Gateway, house.gateway_id, parameters=BEHAVIOUR)
    house.change(User, house.user_id, sms_rate=3 * CENTS)
    sms_gateway_id = house.add(Gateway, medium=SMS, name="texts", parameters=parameters)
    phonebook_id = house.phonebook()
    house.contact(phonebook_id, CALLER, additional_vars=variables)
    settings = {"sms_gateway_id": sms_gateway_id, **settings}
    return await house.started(house.survey({**TEXTING, "sms_text": text}), phonebook_id, **settings)


async def test_a_text_sent_during_a_call_is_a_message_of_its_own(house: House) -> None:
    await texting(house, parameters='{"sms_delivered": 1}', callerid="+33199000000")
    await house.advance(6)
    assert house.row(User, house.user_id)["held"] == 30 * MINUTE + 3 * CENTS
    await house.advance(60)
    (message,) = house.rows(SmsMessage)
    names = ("id", "callrequest_id", "callerid", "phone_number", "text_message", "parts", "status", "cost", "hold")
    shown = [message[name] for name in names]
    assert shown == [2, 1, "+33199000000", CALLER, "Thank you", 1, "Delivered", 3 * CENTS, 0]
    assert [second(message[name]) for name in ("send_date", "delivery_date")] == [5, 8]
    (campaign,) = house.rows(Campaign)
    assert [campaign[name] for name in ("calls", "answered", "cost")] == [1, 1, MINUTE + 3 * CENTS]
    assert money(house) == (MINUTE + 3 * CENTS, MINUTE + 3 * CENTS, 0)


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_text_to_another_number_keeps_it_after_a_restart(house: House, *, restarts: bool) -> None:
    """The other number replies STOP."""
    dnc_id = house.dnc_list()
    variables = '{"sms_phonenumber": "+1 202 555 0132"}'
    await texting(house, variables=variables, dnc_id=dnc_id)
    await house.advance(6)
    if restarts:
        house.restart()
    await house.advance(60)
    numbers = house.database.read_now(lambda c: c.exec_driver_sql("SELECT number FROM dnc_contact").scalars().all())
    assert numbers == ["+12025550132"]  # on the list of simulated people


@pytest.mark.parametrize("restarts", [False, True])
async def test_a_number_put_on_the_list_during_the_call_gets_no_text(house: House, *, restarts: bool) -> None:
    dnc_id = house.dnc_list()
    await texting(house, dnc_id=dnc_id)
    await house.advance(3)
    house.call_off(dnc_id, CALLER)
    if restarts:
        house.restart()
    await house.advance(60)
    assert house.rows(SmsMessage) == []
    assert [row["billsec"] for row in house.rows(Cdr)] == [20]


async def test_a_contact_who_is_deleted_during_the_call_gets_the_text_all_the_same(house: House) -> None:
    await texting(house)
    await house.advance(3)
    house.database.write_now(lambda connection: connection.execute(delete(Contact)))
    await house.advance(60)
    assert house.worker.problem() is None
    assert [row["contact_id"] for row in house.rows(SmsMessage)] == [None]
    assert len(house.rows(CallRequest)) == len(house.rows(Cdr)) == 1


@pytest.mark.parametrize("text", [" {full_name}\n", " "])
async def test_a_text_that_renders_empty_is_not_sent(house: House, text: str) -> None:
    await texting(house, text=text)
    await house.advance(60)
    assert house.rows(SmsMessage) == []
    assert [row["billsec"] for row in house.rows(Cdr)] == [20]
    assert money(house) == (MINUTE, MINUTE, 0)
