"""Tests of text messages that a survey sends during a call."""

from typing import Any, Final

import pytest

from dialer.domain.words.enums import MessageStatus, SubscriberStatus
from dialer.sim.simulation import USER_ID, Simulation
from tests.sim.legs import CALLER, MINUTE, PATIENT, POPULATION, a_leg, call, legs, responses
from tests.sim.scenes import START_MS, run

PART: Final = 4_000
"""The cost of a part of a message."""
ACCOUNT: Final = {"balance": "10", "call_rate": "0.06", "sms_rate": "0.04"}
THANKS: Final[dict[str, Any]] = {"type": 10, "sms_text": "Thank you, {first_name}", "audio_seconds": 2}
ALWAYS: Final = {"sms_delivered": 1}


def texts(simulation: Simulation) -> list[tuple[float, str, str, MessageStatus | None]]:
    """Return the time, the number, the text and the status of each message."""
    return [
        ((message.started_ms - START_MS) / 1_000, message.subscriber.number, message.text, outcome.message_status)
        for message, outcome in simulation.store.messages
    ]


def test_a_message_goes_to_the_callee_while_the_call_goes_on() -> None:
    """It is sent when the section is reached, 5 s after the dial; its prompt and 3 s of good-bye follow."""
    simulation = call(
        THANKS | {"branches": {"0": 2}},
        {"type": 7, "audio_seconds": 3},
        account=ACCOUNT,
        population=ALWAYS,
        contact={"full_name": "Ada Byron"},
    )
    assert texts(simulation) == [(5, CALLER, "Thank you, Ada", MessageStatus.DELIVERED)]
    assert responses(simulation) == [f"SMS: {CALLER}"]
    assert legs(simulation) == [a_leg(10, 5)]
    assert simulation.store.spent[USER_ID] == MINUTE + PART
    assert simulation.store.standing(1).status is SubscriberStatus.SENT


def test_the_variables_may_name_another_number() -> None:
    contact = {"additional_vars": {"sms_phonenumber": "+33 1 99 00 77 77"}}
    simulation = call(THANKS, account=ACCOUNT, population=ALWAYS, contact=contact)
    assert texts(simulation) == [(5, "+33199007777", "Thank you, ", MessageStatus.DELIVERED)]


@pytest.mark.parametrize(
    ("number", "status", "cost"),
    [
        ("+12025550130", MessageStatus.FAILED, 0),
        ("+12025550131", MessageStatus.NO_ROUTE, 0),
        ("+12025550132", MessageStatus.DELIVERED, PART),
    ],
)
def test_only_a_message_that_has_left_is_paid_for_and_the_subscriber_does_not_mind(
    number: str, status: MessageStatus, cost: int
) -> None:
    contact = {"additional_vars": {"sms_phonenumber": number}}
    simulation = call(THANKS, account=ACCOUNT, contact=contact, campaign={"maxretry": 3})
    assert [(one[1], one[3]) for one in texts(simulation)] == [(number, status)]
    assert simulation.store.spent[USER_ID] == MINUTE + cost
    assert len(legs(simulation)) == 1
    assert simulation.store.standing(1).status is SubscriberStatus.SENT


def test_a_long_message_has_parts() -> None:
    simulation = call(THANKS | {"sms_text": "x" * 161}, account=ACCOUNT, population=ALWAYS)
    assert simulation.store.spent[USER_ID] == MINUTE + 2 * PART


@pytest.mark.parametrize(
    ("section", "variables", "parts"),
    [
        ({"sms_text": ""}, {}, {}),
        ({}, {"sms_phonenumber": "the boss"}, {}),
        ({}, {"sms_phonenumber": "+44 999"}, {}),
        ({}, {"sms_phonenumber": "+33199007777"}, {"dnc": ["+33 199 007 777"]}),
        ({}, {}, {"account": ACCOUNT | {"balance": "0.08"}, "campaign": {"callmaxduration": 60}}),
    ],
)
def test_nothing_is_sent_without_a_text_a_number_or_money_nor_to_a_callee_on_the_list(
    section: dict[str, Any], variables: dict[str, Any], parts: dict[str, Any]
) -> None:
    """The call holds a minute of the balance of 0.08, and the rest does not pay for a message. The call goes on."""
    contact = {"additional_vars": variables}
    simulation = call(THANKS | section, **{"account": ACCOUNT, "population": ALWAYS, "contact": contact, **parts})
    assert texts(simulation) == []
    assert legs(simulation) == [a_leg(7, 2)]
    assert simulation.store.spent[USER_ID] == MINUTE


def test_a_callee_who_replies_stop_is_not_contacted_again() -> None:
    """The reply comes 13 s after the message. A message 20 s later is not sent, and no call is placed."""
    stops = "+12025550132"
    callers = [f"+3319900123{place}" for place in range(3)]
    contacts = [{"contact": number, "additional_vars": {"sms_phonenumber": stops}} for number in callers]
    simulation = run(
        contacts=[*contacts, {"contact": stops}],
        survey={"sections": [{**THANKS, "id": 1, "question": "?"}]},
        account=ACCOUNT,
        gateway={"parameters": POPULATION | ALWAYS | {"numbers": dict.fromkeys(callers, PATIENT)}},
        campaign={"frequency": 6},
    )
    assert [one[:2] for one in texts(simulation)] == [(5, stops), (15, stops)]
    assert len(legs(simulation)) == 3
    assert simulation.store.standing(4).status is SubscriberStatus.NOT_AUTHORIZED
