"""The people of lists in files: contacts of phonebooks, and numbers of do-not-call lists.

A file adds people and changes them. It never removes anybody, and it leaves the people of a running campaign alone.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, select

from dialer.app.imports.bulk import NewContact, NewEntry, add_contacts, add_entries, first_contacts
from dialer.domain.calling_times.own_zones import person_zone_key
from dialer.domain.calling_times.zones import zone_of_number
from dialer.domain.numbers.emergency import emergency_error, spells_emergency
from dialer.domain.numbers.entries import entries_in
from dialer.domain.numbers.normal_form import NumberError, normalise
from dialer.domain.numbers.several_numbers import FoundNumber
from dialer.domain.words.enums import CampaignStatus
from dialer.domain.words.proof import PROOF_COLUMNS, earlier_proof
from dialer.domain.words.sentences import message_of
from dialer.files.kinds import CONTACT, RecordKind, Wanted, file_fields, refuse_unknown
from dialer.files.nodes import FileError, FilePlace, Members, Node
from dialer.files.writing import RecordWriter
from dialer.resources.records.own_zone import zone_errors
from dialer.store.database.bulk import ASKED_AT_ONCE
from dialer.store.queries.do_not_call import entries_on
from dialer.store.tables import Campaign, CampaignPhonebook, Contact

PEOPLE_MAX: Final = 2_000
"""Contacts of one phonebook, or numbers of one list, that stand in one file. They are written in one transaction."""
_RUNNING: Final = (CampaignStatus.START, CampaignStatus.PAUSE)
_NUMBER: Final = "phone_number"
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
    known = _known(writer, phonebook_id, list(found))
    lines = list(_write_contacts(writer, phonebook_id, found, known))
    if lines:
        refuse_while_called(writer, [phonebook_id], wanted.place)
    return lines


class _Known(NamedTuple):
    """A contact of a phonebook."""

    id: int
    contact: str


def _known(writer: RecordWriter, phonebook_id: int, numbers: Sequence[str]) -> dict[str, _Known]:
    """Return the earliest contacts of a phonebook that have some numbers, by number."""
    ids = first_contacts(writer.unit.connection, phonebook_id, numbers)
    asked, found = list(ids.values()), dict[str, _Known]()
    for start in range(0, len(asked), ASKED_AT_ONCE):
        query = select(Contact.number, Contact.id, Contact.contact)
        rows = writer.unit.connection.execute(query.where(Contact.id.in_(asked[start : start + ASKED_AT_ONCE])))
        found |= {row.number: _Known(row.id, row.contact) for row in rows}
    return found


def spelling_of(given: str, number: str, region: str | None) -> str:
    """Return a number as it was given, or in its normal form if it would mean another number in this region."""
    try:
        return given if normalise(given, region) == number else number
    except NumberError:
        return number


def _write_contacts(
    writer: RecordWriter, phonebook_id: int, found: dict[str, tuple[Members, FilePlace]], known: dict[str, _Known]
) -> Iterator[str]:
    new, region = list[NewContact](), writer.unit.conventions.region
    for number, (members, place) in found.items():
        if number in known:
            stored = known[number]
            is_plain = spelling_of(stored.contact, number, region) == stored.contact
            given = members if is_plain else {name: node for name, node in members.items() if name != CONTACT.called}
            written = writer.change(CONTACT, given, place, stored.id)
            yield from (f"contact {number}: {line}" for line in written.lines)
        else:
            new.append(_new_contact(writer, phonebook_id, number, members))
    if new:
        add_contacts(writer.unit, new)
        yield f"contacts: {len(new)} new"


def _new_contact(writer: RecordWriter, phonebook_id: int, number: str, members: Members) -> NewContact:
    values = writer.complete(CONTACT, members)
    if spells_emergency(values["contact"], writer.unit.conventions.region):
        raise FileError.at(members["contact"].place, str(emergency_error(values["contact"])))
    for messages in zone_errors(values["tz_code"]).values():
        raise FileError.at(members["tz_code"].place, str(messages[0]))
    zone = person_zone_key(values["tz_code"], "", zone_of_number(number))
    texts = (values["full_name"], values["additional_vars"], values["tz_code"])
    return NewContact(phonebook_id, values["contact"], number, zone, *texts)


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
    numbers = {
        entry.number: (entry.text if place else None, node, said)
        for node, said in map(_with_proof, wanted.parts.items(PEOPLE_MAX))
        for place, entry in enumerate(_entries(writer, node))
    }
    on_list = {number for _, number in entries_on(writer.unit.connection, [dnc_id], list(numbers))}
    new = [
        NewEntry(dnc_id, text or writer.complete(_ENTRY, {"phone_number": node})["phone_number"], number, said)
        for number, (text, node, said) in numbers.items()
        if number not in on_list
    ]
    if not new:
        return []
    add_entries(writer.unit, new)
    return [f"numbers: {len(new)} new"]


def _with_proof(node: Node) -> tuple[Node, str]:
    """Return the number of an entry of a file, and its earlier proof in words, empty if there is none."""
    if not isinstance(node.value, dict):
        return node, ""
    members = node.members()
    refuse_unknown(members, (_NUMBER, *PROOF_COLUMNS), "an entry of a do-not-call list")
    if _NUMBER not in members:
        raise FileError.at(node.place, f"an entry needs the field {_NUMBER}")
    proof = [members[name].text() if name in members else "" for name in PROOF_COLUMNS]
    return members[_NUMBER], earlier_proof(proof)


def _entries(writer: RecordWriter, node: Node) -> Sequence[FoundNumber]:
    """Return the numbers that a text puts on a do-not-call list."""
    try:
        return entries_in(_text(node), writer.unit.conventions.region)[0]
    except NumberError as error:
        raise FileError.at(node.place, str(message_of(error))) from None


def _number(writer: RecordWriter, node: Node) -> str:
    try:
        return normalise(_text(node), writer.unit.conventions.region)
    except NumberError as error:
        raise FileError.at(node.place, str(message_of(error))) from None


def _text(node: Node) -> str:
    if not isinstance(node.value, (str, int)) or isinstance(node.value, bool):
        raise FileError.at(node.place, f"expected a phone number, got {node.kind()}")
    return str(node.value)
