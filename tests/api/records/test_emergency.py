"""Emergency numbers are not stored where a number to dial is stored."""

import pytest
from sqlalchemy import update

from dialer.store.database.database import Database
from dialer.store.tables import Contact
from tests.api.builders import Estate
from tests.api.harness import Caller

SPELLINGS = ["911", "+1911", "1-1-2", "0112", "+44 (999)", "988", "00 44 999"]


def refusal(field: str, number: str) -> tuple[int, dict[str, list[str]]]:
    return 400, {field: [f"{number!r} is an emergency number. Enter a number that may be called."]}


@pytest.mark.parametrize("number", SPELLINGS)
def test_an_emergency_number_is_refused_when_a_record_is_made(alice: Caller, estate: Estate, number: str) -> None:
    records = {
        "contact": ("contact", {"phonebook": estate.phonebook["url"]}),
        "subscriber-list": ("duplicate_contact", {"campaign": estate.campaign["url"]}),
        "section-template": ("phonenumber", {"survey": estate.survey["url"], "question": "A transfer", "type": 6}),
        "agent": ("contact", {"name": "Ann"}),
    }
    if number == "988":
        del records["agent"]  # Without a default region it is an extension.
    for path, (field, others) in records.items():
        assert alice.refused("POST", f"{path}/", **others, **{field: number}) == refusal(field, number)


@pytest.mark.parametrize("number", SPELLINGS)
def test_an_emergency_number_is_refused_when_a_record_is_changed(alice: Caller, estate: Estate, number: str) -> None:
    records = [
        (estate.contact, "contact"),
        (estate.subscriber, "duplicate_contact"),
        (estate.section, "phonenumber"),
        *([] if number == "988" else [(estate.agent, "contact")]),
    ]
    for record, field in records:
        assert alice.refused("PATCH", record["url"], **{field: number}) == refusal(field, number)


def test_an_emergency_number_that_is_stored_may_stay(alice: Caller, estate: Estate, database: Database) -> None:
    statement = update(Contact).values(contact="911", number="911")
    database.write_now(lambda connection: connection.execute(statement))
    alice.change(estate.contact["url"], full_name="Ann")
    alice.change(estate.contact["url"], contact="+1 988 555 0100")
    assert alice.get(estate.contact["url"])["contact"] == "+1 988 555 0100"


def test_a_do_not_call_list_may_hold_an_emergency_number(alice: Caller, estate: Estate) -> None:
    assert alice.create("dnc-contact", phone_number="911", dnc=estate.dnc["url"])["phone_number"] == "911"


def test_an_agent_may_have_an_extension(alice: Caller, estate: Estate) -> None:
    """Without a default region, 101 is nobody's emergency number; 112 and 911 are so everywhere."""
    for extension in ("10", "101", "999", "4711", "123456"):
        alice.change(estate.agent["url"], contact=extension)
        assert alice.get(estate.agent["url"])["contact"] == extension
    for number in ("112", "911", "00112", "+101", "1-0-1"):
        assert alice.refused("PATCH", estate.agent["url"], contact=number) == refusal("contact", number)
