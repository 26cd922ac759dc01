"""Tests of the collection of a phonebook in chunks: each contact becomes a subscriber once, in order."""

import anyio
import anyio.lowlevel
import pytest
from sqlalchemy import delete

from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.runtime.steps.worker import Worker
from dialer.sim.carrier import SimulatedCarrier
from dialer.store.rows.joining.contact_collection import collect_contact, has_uncollected
from dialer.store.tables import CallRequest, Campaign, Contact, Gateway, Subscriber
from tests.runtime.house import ALL_ANSWER, House
from tests.runtime.test_settling import SHORT, HandClock

NUMBERS = [f"+1202555100{place}" for place in range(9)]
NEW = "+12025552000"


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


@pytest.mark.parametrize("others", [1, 2])
async def test_others_are_called_while_a_large_phonebook_is_collected(
    slow: House, monkeypatch: pytest.MonkeyPatch, others: int
) -> None:
    """Each reading of the clock adds a second, and a step collects one contact. All campaigns dial."""
    monkeypatch.setattr("dialer.runtime.steps.contact_collection.COLLECT_SLICE", 1)
    large = [f"+1202556{place:04d}" for place in range(60)]
    survey_id = slow.survey(SHORT)
    first_id = await slow.started(survey_id, slow.phonebook(*NUMBERS), frequency=60)
    ids = [await slow.started(survey_id, slow.phonebook(*large), frequency=60) for _ in range(others)]
    slow.worker.clock.hurry_ms = 1_000  # type: ignore[attr-defined] # a clock of this test
    called: list[int] = []
    async with slow.worker.running():
        while slow.database.read_now(lambda c: any(has_uncollected(c, one) for one in ids)):
            called = [row["campaign_id"] for row in slow.rows(CallRequest)]
            await anyio.lowlevel.checkpoint()
    assert set(called) == {first_id, *ids}
    assert called.count(first_id) == len(NUMBERS)
