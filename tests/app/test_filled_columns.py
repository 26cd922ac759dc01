"""Tests of what the engine reads again once an agent has filled in columns of a contact."""

from collections.abc import Callable

import pytest

from dialer.app.call_centre.contact_fields import fill_in
from dialer.app.work.events import PersonFilledIn
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.enums import SubscriberStatus
from dialer.store.database.touched import NOTHING, Touched
from dialer.store.tables import Campaign, Contact, Subscriber
from tests.app.using import Used, use
from tests.runtime.house import House

HELLO = {"type": 1, "script": "word " * 150}
FILLED = '{"email":"ada@example.com"}'


def filling(**values: str) -> Callable[[UnitOfWork], None]:
    """Return the use case of an agent who fills in columns of the first call."""
    return lambda unit: fill_in(unit, 1, values)


@pytest.mark.parametrize("status", list(SubscriberStatus))
async def test_a_campaign_is_read_again_only_if_the_person_waits_to_be_called(
    house: House, status: SubscriberStatus
) -> None:
    campaign_id = await house.started(house.survey(HELLO), house.phonebook("+12025550101"))
    await house.advance(20)
    assert house.row(Subscriber, 1)["status"] == SubscriberStatus.IN_PROCESS
    house.change(Campaign, campaign_id, agent_fields="email")
    house.change(Subscriber, 1, status=status)
    waits = status is SubscriberStatus.PENDING
    touched = Touched(campaigns=frozenset({campaign_id})) if waits else NOTHING
    filled = use(house, filling(email="ada@example.com"))
    assert filled == Used(touched, [PersonFilledIn(1, house.user_id, 1, 1)])
    person, contact = house.row(Subscriber, 1), house.row(Contact, 1)
    found = (person["status"], person["additional_vars"], contact["additional_vars"])
    assert found == (status, FILLED, FILLED)
