"""A text is the same number by every way in: the API, one by one and in bulk, files, and forms of the console."""

import csv
import io
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from dialer.store.database.database import Database
from dialer.store.tables import Contact, DncContact
from tests.api.harness import Caller
from tests.console.visitor import Visitor

FORMS = [
    "{}",
    "{}.0",
    "{},00",
    "p:{}",
    "tel:{}",
    "{} (privat)",
    "'{}",
    "\u202a{}\u202c",
    "{};ext=5",
    "{} x12",
    "{},,3#",
    "{} / {}",
    "no {}",
    "{}@c.us",
]
NUMBERS = [
    "+49302300074",
    "0302300074",
    "302300074",
    "491701234567",
    "0049302300074",
    "+5215512345678",
    "+5491115234567",
    "+5491123456789",
    "\u0660\u0663\u0660\u0662\u0663\u0660\u0660\u0660\u0667\u0664",
    "\u096d\u096d\u096d\u096d\u096d\u096d\u096d",
    "1 202 555 0100",
    "+1 436 555 0100",
    "12",
    "",
]
TEXTS = st.builds(str.format, st.sampled_from(FORMS), st.sampled_from(NUMBERS), st.sampled_from(NUMBERS))


def file_of(column: str, text: str) -> bytes:
    written = io.StringIO()
    csv.writer(written).writerows([[column, "note"], [text, "x"]])
    return written.getvalue().encode()


def numbers_in(database: Database, column: Any, parent: Any, identity: int) -> list[str]:  # noqa: ANN401 - columns
    query = select(column).where(parent == identity).order_by(column)
    return list(database.read_now(lambda connection: connection.scalars(query).all()))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=TEXTS, region=st.sampled_from(["", "DE", "MX", "US"]))
def test_a_text_is_the_same_number_by_every_way_in(
    alice: Visitor, api: Caller, database: Database, text: str, region: str
) -> None:
    assert api.request("PATCH", "own-settings/", json={"default_region": region}).status_code == 200
    for path, parents, field, parent, columns in (
        ("contact", "phonebook", "contact", "phonebook", (Contact.number, Contact.phonebook_id)),
        ("dnc-contact", "dnc-list", "phone_number", "dnc", (DncContact.number, DncContact.dnc_id)),
    ):
        by_post, in_bulk, by_file, by_form, by_patch = (api.create(parents, name="list")["id"] for _ in range(5))
        api.request("POST", f"{path}/", json={parent: by_post, field: text})
        api.request("POST", f"{path}/bulk/", json=[{parent: in_bulk, field: text}])
        answer = api.request(
            "POST", f"{parents}/{by_file}/import/", content=file_of(field, text), headers={"Content-Type": "text/csv"}
        )
        assert answer.status_code == 200
        alice.get(f"records/{path}/new/")
        alice.send(f"records/{path}/", **{parent: str(by_form), field: text})
        record = api.create(path, **{parent: by_patch, field: "+12125550199"})
        changed = api.request("PATCH", record["url"], json={field: text}).status_code == 202
        found = [numbers_in(database, *columns, identity) for identity in (by_post, in_bulk, by_file, by_form)]
        found.append(numbers_in(database, *columns, by_patch) if changed else [])
        assert found == [found[0]] * len(found), (path, text, region)
