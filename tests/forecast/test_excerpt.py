"""What a forecast copies of a database."""

from sqlalchemy import Connection, select

from dialer.forecast.excerpt import copy_campaign, parts_of, people_of
from dialer.forecast.scratch import Scratch
from dialer.store.models import (
    Campaign,
    Cdr,
    Contact,
    DncContact,
    IdempotentResponse,
    LedgerEntry,
    Payment,
    Phonebook,
    Row,
    Subscriber,
    SurveyResult,
    User,
)
from tests.worker.house import MONDAY_NOON_MS, House

LEFT_OUT = (Payment, LedgerEntry, Cdr, SurveyResult, IdempotentResponse)
"""What has happened, and is never asked for by the dialling."""


def test_every_table_is_copied_or_known_to_be_of_no_use() -> None:
    copied = [table.name for table, _ in parts_of(1, 0)]
    assert len(copied) == len(set(copied))
    assert {*copied, *(model.__table__.name for model in LEFT_OUT)} == set(Row.metadata.tables)


def ids(connection: Connection, model: type[Row]) -> list[int]:
    return list(connection.scalars(select(model.__table__.c.id).order_by(model.__table__.c.id)))


async def test_what_is_of_another_campaign_is_left_out(house: House) -> None:
    """Its subscribers, its people on the same do-not-call list, and contacts that are subscribers already."""
    survey_id = house.survey({"type": 1, "script": "hello"})
    first, other = house.phonebook("+12025550101", "+12025550102"), house.phonebook("+12025550103")
    dnc_id = house.dnc_list("+12025550102", "+12025550103", "+12025550104")
    await house.started(survey_id, other, dnc_id=dnc_id)
    campaign_id = await house.started(survey_id, first, dnc_id=dnc_id, expirationdate=MONDAY_NOON_MS + 1)
    house.add(Contact, phonebook_id=first, contact="+12025550104", number="+12025550104", zone="")
    scratch = Scratch()
    house.database.read_now(lambda s: scratch.write_now(lambda t: copy_campaign(s, t, campaign_id, MONDAY_NOON_MS)))
    found = scratch.read_now(lambda c: {model: ids(c, model) for model in (Campaign, Subscriber, Contact, DncContact)})
    assert found == {Campaign: [campaign_id], Subscriber: [2, 3], Contact: [4], DncContact: [1, 3]}
    assert scratch.read_now(lambda c: (ids(c, Phonebook), people_of(c, campaign_id))) == ([first], 3)
    assert scratch.read_now(lambda c: c.scalar(select(User.__table__.c.password_hash))) == ""
    scratch.close()
