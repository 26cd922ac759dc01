"""Tests of what the look for events to send costs, which each process makes twice a second."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from sqlalchemy import Connection, insert, select

from dialer.store.rows.account_events import event_row, write_events
from dialer.store.rows.webhooks import read_waiting, take_job
from dialer.store.tables import AccountEvent, Webhook, WebhookDelivery
from tests.databases.choice import is_postgresql
from tests.databases.steps import steps
from tests.runtime.house import House

NOW_MS: Final = 1_800_000_000_000


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path)
    yield house
    house.database.close()


def let_wait(house: House, count: int, *, last_ms: int = NOW_MS) -> None:
    """Write events of a webhook that all wait for their next attempt, in a minute."""
    given = {"webhook_id": 1, "status": "waiting", "attempts": 1, "first_ms": last_ms}
    given |= {"last_ms": last_ms, "next_ms": last_ms + 60_000}

    def write(connection: Connection) -> None:
        if not connection.scalar(select(Webhook.id)):
            named = {"user_id": house.user_id, "name": "CRM", "target_url": "-", "secret": "-", "base": "-"}
            dates = {"created_date": NOW_MS, "updated_date": NOW_MS}
            connection.execute(insert(Webhook).values(**named, **dates))
        write_events(connection, [event_row(house.user_id, "call.ended", NOW_MS, "callrequest/1")] * count)
        known = select(WebhookDelivery.event_id)
        new = connection.scalars(select(AccountEvent.id).where(AccountEvent.id.not_in(known))).all()
        connection.execute(insert(WebhookDelivery), [{**given, "event_id": one} for one in new])

    house.database.write_now(write)


def look(connection: Connection) -> None:
    (webhook,), _ = read_waiting(connection, NOW_MS)
    assert (webhook.next_delivery_ms, webhook.clock_went_back) == (NOW_MS + 60_000, False)


def take(connection: Connection) -> None:
    assert take_job(connection, 1, "me", NOW_MS, 30_000, 200) is None


@pytest.mark.skipif(is_postgresql(), reason="counts the steps of SQLite")
@pytest.mark.parametrize("work", [look, take])
def test_a_look_costs_the_same_however_many_events_wait(house: House, work: Callable[[Connection], object]) -> None:
    let_wait(house, 1)
    house.database.write_now(lambda c: c.execute(Webhook.__table__.update().values(after_event_id=10**6)))
    steps(house.database, work)
    few = steps(house.database, work)
    let_wait(house, 3_000)
    assert steps(house.database, work) <= few + 5


@pytest.mark.contract
def test_a_clock_that_is_turned_back_makes_everything_due_and_a_slow_one_beside_it_does_not(house: House) -> None:
    """The clocks of two machines differ a little. A clock that was turned back differs by more."""
    let_wait(house, 1, last_ms=NOW_MS + 30_000)
    assert not house.database.read_now(lambda c: read_waiting(c, NOW_MS))[0][0].clock_went_back
    let_wait(house, 1, last_ms=NOW_MS + 3_600_000)
    webhook = house.database.read_now(lambda c: read_waiting(c, NOW_MS))[0][0]
    assert (webhook.clock_went_back, (webhook.next_delivery_ms or 0) <= NOW_MS) == (True, True)
    job = house.database.write_now(lambda c: take_job(c, 1, "me", NOW_MS, 30_000, 200))
    assert job is not None
    assert [one.due_ms for one in job.events if not one.is_new] == [NOW_MS + 3_660_000]


@pytest.mark.contract
def test_webhooks_are_read_with_their_events_and_their_next_attempt(house: House) -> None:
    """One waits for a delivery, one has new events only, one has neither, and one is off."""
    let_wait(house, 2)
    named = {"user_id": house.user_id, "target_url": "-", "secret": "-", "base": "-"}
    dates = {"created_date": NOW_MS, "updated_date": NOW_MS}

    def write(connection: Connection) -> None:
        for name, more in (
            ("new", {"types": "call.ended"}),
            ("done", {"after_event_id": 2}),
            ("off", {"enabled": False}),
        ):
            connection.execute(insert(Webhook).values(name=name, **named, **more, **dates))

    house.database.write_now(write)
    waiting, after_id = house.database.read_now(lambda c: read_waiting(c, NOW_MS))
    told = [(one.id, one.types, one.after_event_id, one.newest_event_id, one.next_delivery_ms) for one in waiting]
    assert told == [
        (1, (), 0, 2, NOW_MS + 60_000),
        (2, ("call.ended",), 0, 2, None),
        (3, (), 2, 2, None),
    ]
    assert (after_id, [one.clock_went_back for one in waiting]) == (None, [False] * 3)
    rest, _ = house.database.read_now(lambda c: read_waiting(c, NOW_MS, after_id=2))
    assert [one.id for one in rest] == [3]
