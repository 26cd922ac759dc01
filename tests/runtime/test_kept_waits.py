"""Tests of the waits that are kept for the proof: one row for a wait, with the number that waited."""

from typing import Any

import pytest

from dialer.app.call_centre.chosen_people import HeldBackError
from dialer.app.call_centre.held_back import keep_refusal
from dialer.app.campaigns.subscribers import change_subscriber
from dialer.app.erasure.erasure import erase_number
from dialer.store.tables import CallRequest, ContactWait, Gateway, Subscriber
from tests.runtime.house import ALL_ANSWER, DAY_MS, MONDAY_NOON_MS, House
from tests.runtime.test_contact_rules import ADA, BEA, calling, dialled, rule
from tests.runtime.test_manual_dialling import ELSE, dial, manual
from tests.runtime.test_proofs_judged import judged

LONG = {"expirationdate": MONDAY_NOON_MS + 30 * DAY_MS, "end_when_done": False}


def kept(house: House) -> list[tuple[int | None, int | None]]:
    """Return the rule and the end of each wait that is kept."""
    return [(row["rule_id"], row["until_ms"]) for row in house.rows(ContactWait)]


def waited(house: House, campaign_id: int) -> list[tuple[str, Any]]:
    """Return the number and the end of each wait in the archive of a campaign, which the judge finds necessary."""
    judge = judged(house, campaign_id)
    assert judge.complaints() == []
    return [(one["phone_number"], one["until"]) for one in judge.members["decisions"] if one["decision"] == "frequency"]


async def test_a_wait_for_the_end_of_a_call_is_kept_once_and_its_rest_once_more(house: House) -> None:
    """The person is looked at each minute, also after a restart."""
    rule_id = rule(house, most=1, period=7, unit="days", counts="conversations")
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    talk = house.survey({"type": 1, "script": "word " * 320})
    await house.started(talk, house.phonebook(ADA), **LONG)
    await house.advance(30)
    campaign_id = await house.started(talk, house.phonebook(ADA), **LONG)
    looked = set()
    while house.rows(CallRequest)[0]["ended_ms"] is None:
        await house.advance(20)
        (person,) = (row for row in house.rows(Subscriber) if row["campaign_id"] == campaign_id)
        looked.add(person["due_ms"])
        if len(looked) == 2:
            house.restart()
        if house.rows(CallRequest)[0]["ended_ms"] is None and len(looked) > 1:
            assert kept(house) == [(rule_id, None)]
    assert len(looked) > 2
    await house.advance(120)
    until_ms = house.rows(CallRequest)[0]["started_ms"] + 7 * DAY_MS
    assert (kept(house), len(dialled(house))) == ([(rule_id, None), (rule_id, until_ms)], 1)
    assert [number for number, _ in waited(house, campaign_id)] == [ADA, ADA]


async def test_a_wait_keeps_its_number_when_the_person_gets_another_one(house: House) -> None:
    rule(house, most=1, period=7, unit="days")
    calling(house, ADA)
    await house.advance(60)
    campaign_id = calling(house, ADA)
    await house.advance(60)
    ((number, until),) = waited(house, campaign_id)
    assert number == ADA
    (person,) = (row["id"] for row in house.rows(Subscriber) if row["campaign_id"] == campaign_id)
    new = {"duplicate_contact": BEA, "number": BEA, "status": 1}
    house.perform(lambda unit: change_subscriber(unit, person, new))
    assert waited(house, campaign_id) == [(ADA, until)]
    erase_number(house.database, ADA, lambda _: None, house.now_ms())
    (wait,) = (one for one in judged(house, campaign_id).members["decisions"] if one["decision"] == "frequency")
    assert (wait["phone_number"], wait["until"]) == ("erased", until)


async def test_whom_an_agent_wanted_to_call_and_a_rule_held_back_has_a_wait(house: House) -> None:
    """A second refusal for the same rule until the same moment adds nothing."""
    rule_id = rule(house, most=1, period=1, unit="days")
    agent_id = await manual(house)
    dial(house, agent_id, ELSE)
    await house.advance(60)
    for _ in range(2):
        with pytest.raises(HeldBackError) as refused:
            dial(house, agent_id, ELSE)
        house.perform(lambda unit, held=refused.value: keep_refusal(unit, held, "UTC"))  # type: ignore[misc]
    (call,) = house.rows(CallRequest)
    assert kept(house) == [(rule_id, call["started_ms"] + DAY_MS)]


async def test_whom_a_rule_holds_back_at_the_dial_that_an_agent_ordered_has_a_wait(house: House) -> None:
    """The person has a time of their own since, which stays."""
    agent_id = await manual(house)
    person_id = dial(house, agent_id, ELSE)
    await house.advance(60)
    dial(house, agent_id, ELSE, again=True)
    rule_id = rule(house, most=1, period=1, unit="days")
    house.change(Subscriber, person_id, due_ms=house.now_ms() + 2 * 3_600_000)
    await house.advance(5)
    (call,) = house.rows(CallRequest)
    assert kept(house) == [(rule_id, call["started_ms"] + DAY_MS)]
