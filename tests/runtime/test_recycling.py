"""Tests of recycled subscribers, with the worker that calls them."""

from typing import Final

from dialer.app.campaigns.recycle import RecycleFilter, recycle_chunk
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.enums import SubscriberStatus as S
from dialer.store.reconciliation.reconcile import audit
from dialer.store.tables import CallRequest, Campaign, Gateway, Subscriber
from tests.runtime.house import House

HELLO: Final = {"type": 1, "script": "Hello", "completed": True}
PEOPLE: Final = ("+12025551000", "+12025551001", "+12025551002")
ALL_BUSY: Final = '{"answer": 0, "machine": 0, "busy": 1, "rejected": 0, "invalid": 0, "ring": 4}'


def recycle(house: House, *statuses: int) -> dict[int, int]:
    chosen = RecycleFilter(frozenset(statuses))
    return dict(house.perform(lambda unit: recycle_chunk(unit, 1, chosen)).recycled)


def states(house: House) -> list[tuple[int, int]]:
    return [(row["status"], row["count_attempt"]) for row in house.rows(Subscriber)]


def keep_open(house: House) -> None:
    """Add a paused subscriber, who keeps the campaign from ending."""
    values = {"duplicate_contact": "+12025550109", "number": "+12025550109", "zone": "", "status": S.PAUSE}
    house.add(Subscriber, campaign_id=1, additional_vars="", **values)


async def test_recycled_subscribers_are_called_once_more(house: House) -> None:
    house.change(Gateway, house.gateway_id, parameters=ALL_BUSY)
    await house.started(house.survey(HELLO), house.phonebook(*PEOPLE))
    keep_open(house)
    await house.advance(600)
    assert states(house)[:3] == [(S.FAIL, 1)] * 3
    assert recycle(house, S.FAIL) == {S.FAIL: 3}
    await house.worker.settle()
    await house.advance(600)
    assert states(house)[:3] == [(S.FAIL, 2)] * 3
    assert sorted((row["subscriber_id"], row["attempt"]) for row in house.rows(CallRequest)) == [
        (subscriber_id, attempt) for subscriber_id in (1, 2, 3) for attempt in (1, 2)
    ]
    assert list(house.database.read_now(audit).differences) == []


async def test_those_who_completed_are_called_again(sociable: House) -> None:
    house = sociable
    await house.started(house.survey(HELLO), house.phonebook(*PEOPLE))
    keep_open(house)
    await house.advance(600)
    done = [status for status, _ in states(house)].count(S.COMPLETED)
    assert done == house.row(Campaign, 1)["completed"] > 0
    await house.move(1, CampaignStatus.PAUSE)
    recycle(house, S.COMPLETED, S.FAIL, S.SENT)
    assert house.row(Campaign, 1)["completed"] == 0
    await house.move(1, CampaignStatus.START)
    await house.advance(600)
    assert all(attempts == 2 for _, attempts in states(house)[:3])
    assert list(house.database.read_now(audit).differences) == []
