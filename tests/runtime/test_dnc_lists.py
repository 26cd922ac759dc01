"""Tests of campaigns with several do-not-call lists, and of lists that hold for every campaign."""

from collections.abc import Mapping
from typing import Any, Final

import pytest

from dialer.app.contacts.do_not_call import add_dnc_list, change_dnc_list, delete_dnc_list
from dialer.app.erasure.erasure import erase_number
from dialer.app.work.errors import RefusedError, StillUsedError
from dialer.domain.words.enums import CampaignStatus, SubscriberStatus
from dialer.store.queries.do_not_call import on_dnc
from dialer.store.rows.wishes import own_list
from dialer.store.tables import SMS, CampaignDncList, DncContact, DncList, Gateway, Subscriber, User
from dialer.store.tables import CallRequest as Call
from tests.runtime.house import MONDAY_NOON_MS, House

SHORT: Final = {"type": 1, "script": "word"}  # 1 s
GOODBYE: Final = {"type": 9, "script": "we will not call again"}  # 5 words: 2 s
FIRST, SECOND, THIRD, FOURTH = (f"+1202555{number}" for number in (1000, 1001, 1002, 1003))


@pytest.fixture
def sociable(house: House) -> House:
    """Return a service whose callees all answer and listen, as real people do."""
    house.meet_real_people()
    return house


def naming(house: House, *dnc_ids: int, survey: Mapping[str, Any] = SHORT, **values: Any) -> int:  # noqa: ANN401 - of columns
    """Create a campaign that calls the four numbers, and names these lists besides its own."""
    campaign_id = house.campaign(house.survey(dict(survey)), house.phonebook(FIRST, SECOND, THIRD, FOURTH), **values)
    for dnc_id in dnc_ids:
        house.add(CampaignDncList, campaign_id=campaign_id, dnc_id=dnc_id)
    return campaign_id


def global_list(house: House, *numbers: str) -> int:
    """Create a list that holds for every campaign."""
    row = {"user_id": house.user_id, "name": "everybody", "is_global": True, "created_date": 1, "updated_date": 1}
    dnc_id = house.perform(lambda unit: int(add_dnc_list(unit, row).id))
    for number in numbers:
        house.call_off(dnc_id, number)
    return dnc_id


def own_list_of(house: House) -> int:
    """Return the id of the only list that was made by a wish."""
    (own,) = [row["id"] for row in house.rows(DncList) if row["keeps_wishes_of"] == "account"]
    return int(own)


async def run(house: House, campaign_id: int, seconds: float = 60) -> list[str]:
    """Start a campaign, and return the numbers that it dials."""
    await house.move(campaign_id, CampaignStatus.START)
    await house.advance(seconds)
    return [row["phone_number"] for row in house.rows(Call) if row["campaign_id"] == campaign_id]


def refused(house: House) -> list[str]:
    """Return the numbers that were refused for a list."""
    states = {(SubscriberStatus.NOT_AUTHORIZED, "dnc")}
    return [row["number"] for row in house.rows(Subscriber) if (row["status"], row["status_reason"]) in states]


async def test_a_number_on_any_list_is_refused(sociable: House) -> None:
    """Its own list, one that it names, and one that holds for every campaign; a fourth list is nobody's."""
    sociable.dnc_list(FOURTH)
    global_list(sociable, THIRD)
    own, named = sociable.dnc_list(FIRST), sociable.dnc_list(SECOND)
    campaign_id = naming(sociable, named, dnc_id=own)
    assert await run(sociable, campaign_id) == [FOURTH]
    assert refused(sociable) == [FIRST, SECOND, THIRD]
    ids = [row["id"] for row in sociable.rows(Subscriber)]
    assert sociable.database.read_now(lambda c: on_dnc(c, ids)) == set(ids[:3])


async def test_a_number_without_its_country_on_a_list_is_refused(sociable: House) -> None:
    """As a list that somebody imported without a country has them, also when the entry was erased."""
    own = sociable.dnc_list(FIRST.removeprefix("+1"), SECOND.removeprefix("+"), FOURTH[-7:])
    campaign_id = naming(sociable, dnc_id=own)
    erase_number(sociable.database, SECOND.removeprefix("+"), lambda _: None, MONDAY_NOON_MS)
    assert await run(sociable, campaign_id) == [THIRD, FOURTH]
    assert refused(sociable) == [FIRST]


@pytest.mark.parametrize("first_has_country", [False, True])
async def test_a_wish_without_a_country_holds_for_the_number_with_it(
    sociable: House, *, first_has_country: bool
) -> None:
    """Everybody asks. The first person is in the phonebook twice, with a country and without; calls are 10 s apart."""
    bare = FIRST.removeprefix("+1")
    called, other = (FIRST, bare) if first_has_country else (bare, FIRST)
    people = sociable.phonebook(called, SECOND, THIRD, FOURTH, other)
    campaign_id = sociable.campaign(sociable.survey(dict(GOODBYE)), people, frequency=6)
    assert await run(sociable, campaign_id) == [called, SECOND, THIRD, FOURTH]
    assert refused(sociable) == [other]


async def test_an_entry_with_its_country_stops_calls_to_the_number_without_it(sociable: House) -> None:
    own = sociable.dnc_list(FIRST, SECOND)
    erase_number(sociable.database, SECOND, lambda _: None, MONDAY_NOON_MS)
    numbers = [number.removeprefix("+1") for number in (FIRST, SECOND, THIRD)]
    campaign_id = sociable.campaign(sociable.survey(dict(SHORT)), sociable.phonebook(*numbers), dnc_id=own)
    assert await run(sociable, campaign_id) == numbers[2:]
    assert refused(sociable) == numbers[:2]


async def test_a_campaign_of_messages_obeys_all_lists(sociable: House) -> None:
    global_list(sociable, THIRD)
    gateway_id = sociable.add(Gateway, medium=SMS, name="texts", parameters='{"sms_delivered": 1}')
    message: dict[str, Any] = {
        "medium": SMS,
        "sms_gateway_id": gateway_id,
        "aleg_gateway_id": None,
        "text_message": "hello",
    }
    campaign_id = naming(sociable, sociable.dnc_list(SECOND), **message, object_id=0)
    await run(sociable, campaign_id)
    assert refused(sociable) == [SECOND, THIRD]


async def test_an_instant_before_its_turn_counts_on_every_kind_of_list(sociable: House) -> None:
    """The second dial is due at 1 s, the third at 2 s. Their numbers are put on lists 1 ms before."""
    everybody, named = global_list(sociable), sociable.dnc_list()
    campaign_id = naming(sociable, named)
    await run(sociable, campaign_id, 0.999)
    sociable.call_off(named, SECOND)
    await sociable.advance(0.5)
    sociable.call_off(everybody, FOURTH)
    await sociable.advance(60)
    assert refused(sociable) == [SECOND, FOURTH]


async def test_a_list_can_begin_and_cease_to_hold_for_every_campaign(sociable: House) -> None:
    """It holds from 0.5 s to 1.1 s. The turn of the second number is at 1 s, that of the fourth at 2 s."""
    dnc_id = sociable.dnc_list(SECOND, FOURTH)
    campaign_id = naming(sociable)
    await run(sociable, campaign_id, 0.5)
    sociable.perform(lambda unit: change_dnc_list(unit, dnc_id, {"is_global": True}))
    await sociable.advance(0.6)
    sociable.perform(lambda unit: change_dnc_list(unit, dnc_id, {"is_global": False}))
    await sociable.advance(60)
    assert refused(sociable) == [SECOND]


@pytest.mark.parametrize(("has_own", "place"), [(True, 0), (False, 1)])
async def test_a_wish_goes_to_the_accounts_own_list_and_to_the_first_that_the_campaign_names(
    sociable: House, *, has_own: bool, place: int
) -> None:
    """A list that holds for every campaign takes no wishes."""
    global_list(sociable)
    lists = [sociable.dnc_list(), sociable.dnc_list(), sociable.dnc_list()]
    campaign_id = naming(sociable, lists[1], lists[2], survey=GOODBYE, dnc_id=lists[0] if has_own else None)
    await run(sociable, campaign_id)
    assert {row["dnc_id"] for row in sociable.rows(DncContact)} == {lists[place], own_list_of(sociable)}


async def test_without_a_named_list_a_wish_goes_to_the_accounts_own_list(sociable: House) -> None:
    global_list(sociable)
    await run(sociable, naming(sociable, survey=GOODBYE))
    assert {row["dnc_id"] for row in sociable.rows(DncContact)} == {own_list_of(sociable)}


async def test_a_wish_counts_at_once_for_campaigns_that_name_the_list_in_another_way(sociable: House) -> None:
    """The callee asks at 5 s not to be called again. The other campaign's turn would be at 6 s."""
    shared = sociable.dnc_list()
    first = naming(sociable, survey=GOODBYE, dnc_id=shared, frequency=1)
    second = naming(sociable, sociable.dnc_list(), shared, frequency=1, startingdate=MONDAY_NOON_MS + 6_000)
    await run(sociable, second, 0)
    await run(sociable, first, 20)
    assert refused(sociable) == [FIRST]


async def test_a_wish_counts_at_once_for_another_accounts_campaign_that_names_the_accounts_own_list(
    sociable: House,
) -> None:
    """The callee asks at 5 s not to be called again. The other account has the person in its hopper, for 7 s."""
    own = sociable.perform(lambda unit: own_list(unit.connection, sociable.user_id, MONDAY_NOON_MS))
    bob = sociable.add(User, username="bob", password_hash="-", balance=1_000_000)
    survey, people = (
        sociable.survey(dict(SHORT)),
        sociable.phonebook(*(f"+1202555{n}" for n in range(2000, 2007)), FIRST),
    )
    await sociable.started(survey, people, user_id=bob, dnc_id=own)
    await run(sociable, naming(sociable, survey=GOODBYE, frequency=1), 100)
    assert refused(sociable) == [FIRST]


def test_a_list_in_use_is_not_deleted(house: House) -> None:
    named, everybody = house.dnc_list(), global_list(house)
    campaign_id = naming(house, named)
    with pytest.raises(StillUsedError, match=f"Still used by campaigns {campaign_id}"):
        house.perform(lambda unit: delete_dnc_list(unit, named))
    with pytest.raises(RefusedError, match="Switch off is_global"):
        house.perform(lambda unit: delete_dnc_list(unit, everybody))
    house.perform(lambda unit: change_dnc_list(unit, everybody, {"is_global": False}))
    house.perform(lambda unit: delete_dnc_list(unit, everybody))
    assert [row["id"] for row in house.rows(DncList)] == [named]
