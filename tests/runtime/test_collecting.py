"""Tests of the collection of a phonebook in chunks: each contact becomes a subscriber once, in order."""

import anyio
import anyio.lowlevel
import pytest
from sqlalchemy import delete

from dialer.app.campaigns.change import change_campaign
from dialer.domain.engine.hopper import CLAIM_FIRST
from dialer.domain.figures.statistics import HOUR_MS
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.runtime.steps.contact_collection import COLLECT_SECONDS
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.rows.joining.contact_collection import collect_contact, has_uncollected
from dialer.store.tables import CallRequest, Campaign, Contact, Gateway, Subscriber
from tests.runtime.house import ALL_ANSWER, House
from tests.runtime.test_settling import SHORT, HandClock

NUMBERS = [f"+1202555100{place}" for place in range(9)]
NEW = "+12025552000"
ELSEWHERE = ("+12135550100", "+13125550100", "+13125550101")
"""Numbers of two other time zones."""
MANY = [f"+1202556{place:04d}" for place in range(60)]


@pytest.fixture
def slow(house: House, monkeypatch: pytest.MonkeyPatch) -> House:
    """Return a service with a running clock, in which a start collects two contacts at first."""
    monkeypatch.setattr("dialer.app.campaigns.change.START_SLICE", 2)
    monkeypatch.setattr("dialer.store.rows.joining.contact_collection.COLLECT_CHUNK", 2)
    monkeypatch.setattr("dialer.runtime.steps.contact_collection.COLLECT_SLICE", 2)
    house.change(Gateway, house.gateway_id, parameters=ALL_ANSWER)
    house.worker = Worker(house.database, HandClock(), seed=1, service_zone="UTC", new_carrier=SimulatedCarrier)
    return house


def subscribers(house: House) -> list[tuple[str, int]]:
    """Return the numbers of all subscribers, and their contacts."""
    return [(row["number"], row["contact_id"]) for row in house.rows(Subscriber)]


async def collected(house: House) -> None:
    """Run the collection to its end."""
    for _ in NUMBERS:
        await house.worker.settle()
    assert not house.database.read_now(lambda c: has_uncollected(c, 1))


@pytest.mark.parametrize("is_virtual", [True, False])
async def test_a_campaign_does_not_end_before_all_are_collected(slow: House, *, is_virtual: bool) -> None:
    """The first seven of nine may not be called, so one claim after another finds nobody."""
    if is_virtual:
        slow.restart()
    dnc_id = slow.dnc_list(*NUMBERS[:7])
    campaign_id = await slow.started(slow.survey(SHORT), slow.phonebook(*NUMBERS), dnc_id=dnc_id)
    await collected(slow)
    if is_virtual:
        await slow.advance(600)
    else:
        slow.worker.clock.at_ms += 600_000  # type: ignore[attr-defined] # a clock of this test
        await slow.worker.settle()
    refused, called = SubscriberStatus.NOT_AUTHORIZED, SubscriberStatus.SENT
    assert [row["status"] for row in slow.rows(Subscriber)] == [refused] * 7 + [called] * 2
    ended = slow.row(Campaign, campaign_id)
    assert (ended["status"], ended["status_reason"]) == (CampaignStatus.END, "completed")


async def test_time_that_is_advanced_waits_until_all_are_collected(slow: House) -> None:
    """Else it would pass in one step for those who are collected, and the campaign would be over for the others."""
    slow.restart()
    campaign_id = slow.campaign(slow.survey(SHORT), slow.phonebook(*NUMBERS), expirationdate=slow.now_ms() + HOUR_MS)
    slow.perform(lambda unit: change_campaign(unit, campaign_id, {"status": CampaignStatus.START}))
    await slow.advance(2 * HOUR_MS // 1_000)
    assert [row["status"] for row in slow.rows(Subscriber)] == [SubscriberStatus.SENT] * len(NUMBERS)


async def test_a_contact_added_during_a_collection_is_collected_in_turn(slow: House) -> None:
    """This includes a number that an older, uncollected contact has, too."""
    phonebook_id = slow.phonebook(*NUMBERS)
    await slow.started(slow.survey(SHORT), phonebook_id)
    before = len(subscribers(slow))
    assert before < len(NUMBERS)
    slow.contact(phonebook_id, NEW)
    slow.contact(phonebook_id, NUMBERS[-1])
    assert len(subscribers(slow)) == before
    await collected(slow)
    assert subscribers(slow) == [(number, place) for place, number in enumerate([*NUMBERS, NEW], 1)]
    assert slow.row(Campaign, 1)["totalcontact"] == len(NUMBERS) + 1


@pytest.mark.parametrize("is_collected", [True, False])
async def test_a_subscriber_who_was_deleted_does_not_come_back(slow: House, *, is_collected: bool) -> None:
    phonebook_id = slow.phonebook(*NUMBERS)
    await slow.started(slow.survey(SHORT), phonebook_id)
    if is_collected:
        await collected(slow)
    contact_id = slow.contact(phonebook_id, NEW)
    gone = slow.database.write_now(
        lambda c: c.execute(delete(Subscriber).where(Subscriber.contact_id == contact_id)).rowcount
    )
    await collected(slow)
    there = [number for number, _ in subscribers(slow)]
    assert (there.count(NEW), there.count(NUMBERS[-1])) == (1 - gone, 1)
    assert gone == is_collected


async def test_a_contact_that_moves_in_is_called_at_once(slow: House) -> None:
    """Its id is lower than those of the collected contacts."""
    slow.phonebook(NEW)
    phonebook_id = slow.phonebook(*NUMBERS)
    await slow.started(slow.survey(SHORT), phonebook_id)
    await collected(slow)
    slow.change(Contact, 1, phonebook_id=phonebook_id)
    slow.database.write_now(lambda c: collect_contact(c, 1, slow.now_ms()))
    assert subscribers(slow)[-1] == (NEW, 1)


async def rests_of(house: House, step_ms: int = 0) -> list[float]:
    """Return the rest after each step of a collection, for as long as contacts are left."""
    rests: list[float] = []
    while house.database.read_now(lambda c: has_uncollected(c, 1)):
        house.worker.clock.at_ms += step_ms  # type: ignore[attr-defined] # a clock of this test
        rests.append(await house.worker.proceed())
    return rests


@pytest.mark.parametrize("first", [(), ELSEWHERE])
async def test_a_campaign_with_people_to_call_rests_between_the_slices(
    slow: House, monkeypatch: pytest.MonkeyPatch, first: tuple[str, ...]
) -> None:
    """This includes a campaign that has run out of people in one of its zones."""
    monkeypatch.setattr("dialer.app.campaigns.change.START_SLICE", CLAIM_FIRST + 1 + len(first))
    await slow.started(slow.survey(SHORT), slow.phonebook(*first, *MANY), frequency=6)
    assert set((await rests_of(slow))[:-1]) == {COLLECT_SECONDS}
    assert len(subscribers(slow)) == len(first) + len(MANY)


async def test_a_campaign_without_people_to_call_does_not_wait_for_the_next_slice(
    slow: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step collects one contact, and calls the subscriber."""
    monkeypatch.setattr("dialer.app.campaigns.change.START_SLICE", 1)
    monkeypatch.setattr("dialer.runtime.steps.contact_collection.COLLECT_SLICE", 1)
    await slow.started(slow.survey(SHORT), slow.phonebook(*MANY), frequency=60)
    assert set((await rests_of(slow, 1_000))[:-1]) == {0.0}
    assert len(subscribers(slow)) == len(MANY)


@pytest.mark.parametrize("at_once", [1, 3, 40])
async def test_everybody_is_called_whatever_zones_the_next_slices_bring(
    slow: House, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """The first people are of one zone, and those after them of two others."""
    monkeypatch.setattr("dialer.app.campaigns.change.START_SLICE", CLAIM_FIRST + 1)
    monkeypatch.setattr("dialer.runtime.steps.contact_collection.COLLECT_SLICE", at_once)
    later = [f"+1{213 if place % 3 else 312}555{place:04d}" for place in range(30)]
    await slow.started(slow.survey(SHORT), slow.phonebook(*MANY[:40], *later), frequency=60)
    for _ in range(150):
        slow.worker.clock.at_ms += 1_000  # type: ignore[attr-defined] # a clock of this test
        await slow.worker.proceed()
    assert [row["number"] for row in slow.rows(Subscriber)] == [*MANY[:40], *later]
    assert {row["status"] for row in slow.rows(Subscriber)} == {SubscriberStatus.SENT}
    assert len(slow.rows(CallRequest)) == 40 + len(later)


@pytest.mark.parametrize("others", [1, 2])
async def test_others_are_called_while_a_large_phonebook_is_collected(
    slow: House, monkeypatch: pytest.MonkeyPatch, others: int
) -> None:
    """Each reading of the clock adds a second, and a step collects one contact. All campaigns dial."""
    monkeypatch.setattr("dialer.runtime.steps.contact_collection.COLLECT_SLICE", 1)
    survey_id = slow.survey(SHORT)
    first_id = await slow.started(survey_id, slow.phonebook(*NUMBERS), frequency=60)
    ids = [await slow.started(survey_id, slow.phonebook(*MANY), frequency=60) for _ in range(others)]
    slow.worker.clock.hurry_ms = 1_000  # type: ignore[attr-defined] # a clock of this test
    called: list[int] = []
    async with slow.worker.running():
        while slow.database.read_now(lambda c: any(has_uncollected(c, one) for one in ids)):
            called = [row["campaign_id"] for row in slow.rows(CallRequest)]
            await anyio.lowlevel.checkpoint()
    assert set(called) == {first_id, *ids}
    assert called.count(first_id) == len(NUMBERS)
