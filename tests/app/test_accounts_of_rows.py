"""The account in rows of large tables: always that of the record to which the row belongs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from dialer.app.contacts.contacts import change_contact
from dialer.app.contacts.do_not_call import change_dnc_entry
from dialer.app.imports.bulk import NewContact, NewEntry, add_contacts, add_entries
from dialer.store.tables import (
    CallRequest,
    Campaign,
    Contact,
    DncContact,
    DncList,
    Phonebook,
    Row,
    Subscriber,
    Transfer,
    User,
)
from tests.runtime.house import House

FIRST, SECOND = "+12025550101", "+12025550102"


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    one = House(tmp_path)
    yield one
    one.database.close()


def owners(house: House, model: type[Row]) -> list[int]:
    return [row["user_id"] for row in house.rows(model)]


def another(house: House) -> int:
    return house.add(User, username="ben", username_key="ben", password_hash="-")


async def test_rows_follow_their_record_to_another_account(house: House) -> None:
    survey_id, phonebook_id, dnc_id = house.survey({"type": 1, "script": "a"}), house.phonebook(FIRST), house.dnc_list()
    house.call_off(dnc_id, SECOND)
    campaign_id = await house.started(survey_id, phonebook_id, frequency=1)
    ben = another(house)
    for model, row_id in ((Phonebook, phonebook_id), (DncList, dnc_id), (Campaign, campaign_id)):
        house.change(model, row_id, user_id=ben)
    assert [owners(house, model) for model in (Contact, DncContact, Subscriber)] == [[ben], [ben], [ben]]


def test_a_row_that_moves_to_another_record_gets_its_account(house: House) -> None:
    ben = another(house)
    house.phonebook(FIRST)
    house.call_off(house.dnc_list(), SECOND)
    theirs = house.add(Phonebook, user_id=ben, name="b"), house.add(DncList, user_id=ben, name="b")
    house.perform(lambda unit: change_contact(unit, 1, {"phonebook_id": theirs[0]}))
    house.perform(lambda unit: change_dnc_entry(unit, 1, {"dnc_id": theirs[1]}))
    assert owners(house, Contact) == owners(house, DncContact) == [ben]


def test_many_rows_at_once_get_the_accounts_of_their_records(house: House) -> None:
    ben = another(house)
    books = [house.add(Phonebook, user_id=owner, name="b") for owner in (house.user_id, ben)]
    lists = [house.add(DncList, user_id=owner, name="b") for owner in (house.user_id, ben)]
    people = [NewContact(book, FIRST, FIRST, "", "", "") for book in books]
    house.perform(lambda unit: add_contacts(unit, people))
    house.perform(lambda unit: add_entries(unit, [NewEntry(one, FIRST, FIRST) for one in lists]))
    assert owners(house, Contact) == owners(house, DncContact) == [house.user_id, ben]


async def test_rows_of_a_call_have_the_account_of_the_call(house: House) -> None:
    """Two accounts call at the same time, and their callees are transferred."""
    ben = another(house)
    house.change(User, ben, balance=10**9)
    for owner in (house.user_id, ben):
        house.user_id = owner
        survey_id = house.survey({"type": 6, "phonenumber": "+12025550190"})
        campaign_id = await house.started(survey_id, house.phonebook(FIRST, SECOND), max_xfer=5)
        house.change(Campaign, campaign_id, voicemail=False)
    await house.advance(900)
    query = select(func.count()).select_from(Transfer).join(CallRequest, CallRequest.id == Transfer.callrequest_id)
    differing = query.where(Transfer.user_id != CallRequest.user_id)
    assert house.database.read_now(lambda unit: (unit.scalar(differing), unit.scalar(query))) == (0, 4)
