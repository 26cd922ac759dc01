"""Property tests: the check of a campaign counts the people whom its start subscribes, and those whom it then calls."""

import tempfile
from pathlib import Path
from typing import Final, NamedTuple

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dialer.app.campaigns import people_to_join as module
from dialer.app.campaigns.people_to_join import PeopleToJoin, people_to_join
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.reasons import SubscriberReason
from dialer.store.queries.do_not_call import ensure_key, hashed
from dialer.store.tables import CallRequest, Campaign, DncContact, DncList, Subscriber
from tests.runtime.house import House

HELLO: Final = {"type": 1, "script": "Hello"}
NUMBERS: Final = (*(f"+4930230012{place}" for place in range(10)), "030230099", "+12025550177")
HOURS_S: Final = 8 * 3_600

_people = st.lists(st.sampled_from(NUMBERS), max_size=8)


class Listed(NamedTuple):
    """A number on a do-not-call list: as it is, without its country, or as a hash, as an erased person leaves it."""

    number: str
    form: str
    is_named: bool
    """True if the campaign names the list; otherwise the list holds for no campaign."""


_listed = st.builds(
    Listed,
    st.sampled_from(NUMBERS),
    st.sampled_from(("plain", "national", "hash")),
    st.sampled_from((True, True, False)),
)


def put_on_list(house: House, dnc_id: int, one: Listed) -> None:
    """Put a number on a list in its form, if the list does not have it."""
    number = one.number.replace("+49", "0") if one.form == "national" else one.number
    if one.form == "hash":
        number = house.database.write_now(lambda c: hashed(ensure_key(c, house.now_ms()), one.number))
    if (dnc_id, number) in {(row["dnc_id"], row["number"]) for row in house.rows(DncContact)}:
        return
    house.add(DncContact, dnc_id=dnc_id, user_id=house.user_id, phone_number=number, number=number)


def counted(house: House, campaign_id: int) -> PeopleToJoin:
    """Return the people as the check counts them."""
    return house.database.read_now(lambda connection: people_to_join(connection, campaign_id))


@settings(max_examples=25, deadline=None)
@given(books=st.lists(_people, max_size=3), late=_people, listed=st.lists(_listed, max_size=6))
def test_the_check_counts_whom_the_start_subscribes_and_whom_it_does_not_call(
    books: list[list[str]], late: list[str], listed: list[Listed]
) -> None:
    async def look(house: House) -> None:
        lists = [house.add(DncList, user_id=house.user_id, name=name) for name in ("other", "named")]
        for one in listed:
            put_on_list(house, lists[one.is_named], one)
        phonebooks = [house.phonebook(*numbers) for numbers in books]
        campaign_id = house.campaign(house.survey(HELLO), *phonebooks, dnc_id=lists[1], end_when_done=False)
        before = counted(house, campaign_id)
        assert before.doubles == sum(map(len, books)) - len({number for book in books for number in book})
        await house.move(campaign_id, CampaignStatus.START)
        joined = {row["number"] for row in house.rows(Subscriber)}
        assert before.people == len(joined) == house.row(Campaign, campaign_id)["totalcontact"]
        assert counted(house, campaign_id) == PeopleToJoin(before.people, 0, before.do_not_call)
        for number in late if phonebooks else ():
            house.contact(phonebooks[0], number)
        await house.worker.settle()
        after = counted(house, campaign_id)
        await house.advance(HOURS_S)
        refused = [row for row in house.rows(Subscriber) if row["status_reason"] == SubscriberReason.DNC]
        called = {row["subscriber_id"] for row in house.rows(CallRequest)}
        assert (after.people, after.do_not_call) == (len(house.rows(Subscriber)), len(refused))
        assert after.called == len(called)

    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        try:
            anyio.run(look, house)
        finally:
            house.database.close()


def test_of_very_many_contacts_each_is_a_person_on_lists_too(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers are not compared with each other then. The count of those to call is never below nothing."""
    monkeypatch.setattr(module, "COUNTED_MAX", 2)
    phonebook_id = house.phonebook(NUMBERS[0], NUMBERS[0], NUMBERS[1])
    dnc_id = house.add(DncList, user_id=house.user_id, name="list")
    put_on_list(house, dnc_id, Listed(NUMBERS[0], "plain", is_named=True))
    campaign_id = house.campaign(house.survey(HELLO), phonebook_id, dnc_id=dnc_id)
    assert counted(house, campaign_id) == PeopleToJoin(3, 0, 2)
