"""The people of lists in files: contacts of phonebooks, and numbers of do-not-call lists.

A file adds people and changes them. It never removes anybody, and it leaves the people of a running campaign alone.
"""

from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from dialer.domain.enums import CampaignStatus
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.sentences import message_of
from dialer.files.kinds import CONTACT, RecordKind, Wanted, file_fields, refuse_unknown
from dialer.files.nodes import FileError, FilePlace, Members, Node
from dialer.files.writing import RecordWriter
from dialer.store.queries.do_not_call import forms_of
from dialer.store.tables import Campaign, CampaignPhonebook, Contact, DncContact

PEOPLE_MAX: Final = 2_000
"""Contacts of one phonebook, or numbers of one list, that stand in one file. They are written in one transaction."""
_RUNNING: Final = (CampaignStatus.START, CampaignStatus.PAUSE)
_ENTRY: Final = RecordKind("numbers", "number", "dnc-contact", without=frozenset({"dnc"}))


def write_contacts(writer: RecordWriter, phonebook_id: int, wanted: Wanted) -> list[str]:
    """Add the contacts of a file to a phonebook, change those whose number it has, and return the changes as lines.

    Raises:
        FileError: a contact is wrong or twice in the file, or a running campaign calls the phonebook.
    """
    if wanted.parts is None:
        return []
    found = {}
    for node in wanted.parts.items(PEOPLE_MAX):
        members = node.members()
        refuse_unknown(members, tuple(file_fields(CONTACT)), "further values belong into additional_vars; a contact")
        if "contact" not in members:
            raise FileError.at(node.place, "a contact needs the field contact: the phone number")
        number = _number(writer, members["contact"])
        if number in found:
            raise FileError.at(node.place, f"the number {number} is twice in the list")
        found[number] = (members, node.place)
    known = _known(writer, phonebook_id)
    lines = list(_write_contacts(writer, phonebook_id, found, known))
    if lines:
        refuse_while_called(writer, [phonebook_id], wanted.place)
    return lines


class _Known(NamedTuple):
    """A contact of a phonebook."""

    id: int
    contact: str


def _known(writer: RecordWriter, phonebook_id: int) -> dict[str, _Known]:
    """Return the earliest contact of each number of a phonebook."""
    query = select(Contact.number, Contact.id, Contact.contact).where(Contact.phonebook_id == phonebook_id)
    rows = writer.unit.connection.execute(query.order_by(Contact.id.desc()))
    return {row.number: _Known(row.id, row.contact) for row in rows}


def spelling_of(given: str, number: str, region: str | None) -> str:
    """Return a number as it was given, or in its normal form if it would mean another number in this region."""
    try:
        return given if normalise(given, region) == number else number
    except NumberError:
        return number


def _write_contacts(
    writer: RecordWriter, phonebook_id: int, found: dict[str, tuple[Members, FilePlace]], known: dict[str, _Known]
) -> Iterator[str]:
    added, region = 0, writer.unit.conventions.region
    for number, (members, place) in found.items():
        if number in known:
            stored = known[number]
            is_plain = spelling_of(stored.contact, number, region) == stored.contact
            given = members if is_plain else {name: node for name, node in members.items() if name != CONTACT.called}
            written = writer.change(CONTACT, given, place, stored.id)
            yield from (f"contact {number}: {line}" for line in written.lines)
        else:
            writer.create(CONTACT, members, place, {"phonebook": phonebook_id})
            added += 1
    if added:
        yield f"contacts: {added} new"


def refuse_while_called(writer: RecordWriter, phonebook_ids: Collection[int], place: FilePlace) -> None:
    """Raise FileError if a running campaign calls one of these phonebooks."""
    name = running_campaign(writer.unit.connection, phonebook_ids)
    if name is not None:
        raise FileError.at(
            place,
            f"the campaign {name!r} runs and calls this list, and a file does not change the people of a running"
            " campaign. Import them over the API or in the console, or wait for its end",
        )


def running_campaign(connection: Connection, phonebook_ids: Collection[int]) -> str | None:
    """Return the name of a running campaign that calls one of these phonebooks; None if there is none."""
    running = (
        select(Campaign.name)
        .join(CampaignPhonebook, CampaignPhonebook.campaign_id == Campaign.id)
        .where(CampaignPhonebook.phonebook_id.in_(phonebook_ids), Campaign.status.in_(_RUNNING))
    )
    name = connection.scalar(running.limit(1))
    return None if name is None else str(name)


def refuse_other_people(writer: RecordWriter, wanted: Wanted, campaign_id: int) -> None:
    """Raise FileError if a campaign runs, whose phonebooks a file has changed."""
    status = writer.unit.connection.scalar(select(Campaign.status).where(Campaign.id == campaign_id))
    if status in _RUNNING:
        raise FileError.at(
            wanted.given["phonebooks"].place if "phonebooks" in wanted.given else wanted.place,
            "the campaign runs, and a file does not change the people of a running campaign. Leave its phonebooks as"
            " they are, or wait for its end",
        )


def write_numbers(writer: RecordWriter, dnc_id: int, wanted: Wanted) -> list[str]:
    """Put the numbers of a file on a do-not-call list, and return the changes as lines.

    Raises:
        FileError: a number is none.
    """
    if wanted.parts is None:
        return []
    nodes = wanted.parts.items(PEOPLE_MAX)
    numbers = {_number(writer, node): node for node in nodes}
    known = _on_list(writer, dnc_id, list(numbers))
    new = [number for number in numbers if number not in known]
    for number in new:
        writer.create(_ENTRY, {"phone_number": numbers[number]}, numbers[number].place, {"dnc": dnc_id})
    return [f"numbers: {len(new)} new"] if new else []


def _on_list(writer: RecordWriter, dnc_id: int, numbers: list[str]) -> set[str]:
    """Return those of the numbers that are on a list, erased ones as well."""
    connection = writer.unit.connection
    known: set[str] = set()
    stored = set(connection.scalars(select(DncContact.number).where(DncContact.dnc_id == dnc_id)))
    for number in numbers:
        if number in stored or (stored and not stored.isdisjoint(forms_of(connection, [number]))):
            known.add(number)
    return known


def _number(writer: RecordWriter, node: Node) -> str:
    if not isinstance(node.value, (str, int)) or isinstance(node.value, bool):
        raise FileError.at(node.place, f"expected a phone number, got {node.kind()}")
    try:
        return normalise(str(node.value), writer.unit.conventions.region)
    except NumberError as error:
        raise FileError.at(node.place, str(message_of(error))) from None
