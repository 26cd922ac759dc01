"""Erasing a person: no byte of the number is left, nothing that was billed has changed, and they are not called."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import Boolean, Column, ForeignKey, Integer, LargeBinary, MetaData, String, Table, select
from sqlalchemy import create_engine as engine_of

from dialer.domain.enums import CallRequestStatus, CampaignStatus, SubscriberStatus
from dialer.domain.spellings import ERASED, Spellings
from dialer.store import files, traces
from dialer.store.aggregate import count_answers
from dialer.store.database import Database
from dialer.store.erasure import Erased, ErasureError, erase_ended, erase_number
from dialer.store.models import (
    CallRequest,
    Campaign,
    Cdr,
    Contact,
    DncContact,
    Gateway,
    IdempotentResponse,
    LedgerEntry,
    Payment,
    Row,
    SmsMessage,
    Subscriber,
    SurveyResult,
    User,
)
from dialer.worker.worker import open_worker
from tests.worker.house import ALL_ANSWER, DAY_MS, MONDAY_NOON_MS, House

NUMBER: Final = "+12025550187"
OTHER: Final = "+12025550188"
WRITTEN: Final = "(202) 555-0187"
SECTIONS: Final = (
    {"type": 2, "script": "press one or two", "key_1": "yes", "key_2": "no"},
    {"type": 4, "script": "your postcode", "number_digits": 5, "max_number": 99_999},
    {"type": 5, "script": "say something"},
    {"type": 10, "script": "we send you a text", "sms_text": "Hello {phone_number}"},
    {"type": 9, "script": "we will not call again"},
)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    one = House(tmp_path)
    one.change(Gateway, one.gateway_id, parameters=ALL_ANSWER)
    yield one
    one.database.close()


def erase(house: House, number: str = NUMBER, deleted: list[str] | None = None) -> Erased:
    """Erase a number as the command does."""
    names: list[str] = [] if deleted is None else deleted
    done = erase_number(house.database, number, names.append, house.now_ms())
    files.compact(Path(str(house.database.url.database)))
    return done


def left(folder: Path, number: str = NUMBER) -> list[str]:
    """The database's files in which the number stands, in any spelling."""
    spellings = Spellings(number)
    texts = {path.name: path.read_bytes().decode("latin-1") for path in folder.glob("dialer.db*")}
    return sorted(name for name, text in texts.items() if spellings.without(text) != text)


def value(column: Column[Any], text: str) -> object:
    """Something for a column: the text wherever texts are, and 1 for everything else."""
    if f"{column.table.name}.{column.name}" in traces.MACHINE_MADE:
        return b"m" if isinstance(column.type, LargeBinary) else "m"
    if isinstance(column.type, LargeBinary):
        return text.encode()
    if isinstance(column.type, String):
        return "x" if column.table in traces.CONFIGURATION else text
    return False if isinstance(column.type, Boolean) else 1


def fill(database: Database, text: str) -> None:
    """Put a row into every table, with the text in every column that is not the service's own."""
    for table in Row.metadata.sorted_tables:
        row = {column.name: value(column, text) for column in table.c}
        database.write_now(lambda c, table=table, row=row: c.execute(table.insert().values(row)))


@pytest.mark.parametrize("text", [NUMBER, WRITTEN, f"please call {WRITTEN} at noon", '{"spouse":12025550187}'])
def test_no_table_and_no_file_holds_it_any_more(tmp_path: Path, text: str) -> None:
    """Whatever the tables are: one that is new tomorrow is looked at too."""
    database = Database(f"sqlite:///{tmp_path}/dialer.db")
    database.write_now(Row.metadata.create_all)
    fill(database, text)
    assert left(tmp_path) != []
    erase_number(database, NUMBER, lambda _: None, 0)
    files.compact(tmp_path / "dialer.db")
    assert left(tmp_path) == []
    for table in Row.metadata.sorted_tables:
        rows = database.read_now(lambda c, table=table: c.execute(select(table)).all())
        assert len(rows) == (0 if table.name == "contact" and text in {NUMBER, WRITTEN} else 1), table.name
    database.close()


def test_what_was_deleted_before_leaves_no_byte_either(house: House, tmp_path: Path) -> None:
    """SQLite keeps deleted rows in the file until something else needs the room."""
    contact_id = house.contact(house.phonebook(), NUMBER)
    table = Contact.__table__
    house.database.write_now(lambda c: c.execute(table.delete().where(table.c.id == contact_id)))
    assert left(tmp_path) != []
    assert erase(house) == Erased()
    assert left(tmp_path) == []


async def surveyed(house: House, **settings: object) -> int:
    """A campaign that has called both numbers and is over, with a do-not-call list."""
    dnc_id = house.dnc_list()
    book = house.phonebook(OTHER)
    house.contact(book, NUMBER, contact=WRITTEN, full_name="Ann Ash", additional_vars='{"street":"Elm"}')
    survey_id = house.survey(*SECTIONS)
    sms_gateway_id = house.sms_gateway() if hasattr(house, "sms_gateway") else None
    campaign_id = await house.started(survey_id, book, dnc_id=dnc_id, sms_gateway_id=sms_gateway_id, **settings)
    await house.advance(3_600)
    return campaign_id
