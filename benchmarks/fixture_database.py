"""Fixture database of the HTTP benchmarks: one user, one phonebook with contacts, and CDRs."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sqlalchemy import Connection

from benchmarks.advance import START_MS, add, new_database
from dialer.domain.numbers.search_keys import name_key
from dialer.domain.words.enums import Cause
from dialer.passwords import hash_password
from dialer.store.database.bulk import bulk_insert
from dialer.store.tables import Cdr, Contact, Phonebook, User

USERNAME: Final = "ann"
PASSWORD: Final = "benchmarks only"  # noqa: S105 - only for databases made here
AUTHORIZATION: Final = f"Basic {base64.b64encode(f'{USERNAME}:{PASSWORD}'.encode()).decode()}"
USER: Final = 1
PHONEBOOK: Final = 1
PORTION: Final = 50_000
"""Rows written in one transaction."""
INSERT_CONTACTS: Final = bulk_insert(
    Contact.__table__,
    "phonebook_id",
    "contact",
    "number",
    "zone",
    "full_name",
    "full_name_key",
    "additional_vars",
    "user_id",
    "created_date",
    "updated_date",
)
_CDRS: Final = bulk_insert(
    Cdr.__table__,
    "user_id",
    "callid",
    "callerid",
    "phone_number",
    "starting_date",
    "duration",
    "billsec",
    "call_cost",
    "billed_duration",
    "connection_fee",
    "first_increment",
    "next_increment",
    "hangup_cause_q850",
    "leg_type",
    "amd_status",
    "subscriber_id",
    "contact_id",
)


def create_database(folder: Path, *, contacts: int = 0, cdrs: int = 0) -> Path:
    """Create a database in a folder with the product's own tables and bulk statements, and return its path."""
    database = new_database(str(folder))
    user_id = database.write_now(add_people)
    for first in range(0, contacts, PORTION):
        rows = [_contact(place) for place in range(first, min(contacts, first + PORTION))]
        database.write_now(lambda connection, rows=rows: INSERT_CONTACTS.run(connection, rows))  # type: ignore[misc]
    for first in range(0, cdrs, PORTION):
        calls = [_cdr(user_id, place) for place in range(first, min(cdrs, first + PORTION))]
        database.write_now(lambda connection, calls=calls: _CDRS.run(connection, calls))  # type: ignore[misc]
    database.close()
    return folder / "dialer.db"


def new_contacts(first: int) -> Iterator[bytes]:
    """Yield bodies of new contacts. Each has another number, and the database holds none of them."""
    place = first
    while True:
        yield (
            f'{{"contact": "+1303{place:07d}", "phonebook": {PHONEBOOK}, "full_name": "Ann Other {place}",'
            f' "additional_vars": "{{\\"city\\": \\"Denver\\"}}"}}'
        ).encode()
        place += 1


def add_people(connection: Connection) -> int:
    """Add the user and the phonebook, and return the user's id."""
    user_id = add(connection, User, username=USERNAME, password_hash=hash_password(PASSWORD))
    add(connection, Phonebook, id=PHONEBOOK, user_id=user_id, name="Patients")
    return user_id


def _contact(place: int) -> tuple[object, ...]:
    number = f"+1202{place:07d}"
    variables = f'{{"city": "Washington", "ward": {place % 8}}}'
    name = f"Ann Other {place}"
    return PHONEBOOK, number, number, "America/New_York", name, name_key(name), variables, USER, START_MS, START_MS


def _cdr(user_id: int, place: int) -> tuple[object, ...]:
    billsec = place % 7 * 13
    duration = billsec + 9
    cause = Cause.NORMAL_CLEARING if billsec else Cause.NO_ANSWER
    return (
        user_id,
        f"00000000-0000-4000-8000-{place:012d}",
        "+12025550199",
        f"+1202{place % 10_000_000:07d}",
        START_MS + place * 250,
        duration,
        billsec,
        (billsec + 59) // 60 * 2_000,
        (billsec + 59) // 60 * 60,
        0,
        60,
        60,
        cause,
        1,
        1 if billsec else 0,
        place + 1,
        place + 1,
    )
