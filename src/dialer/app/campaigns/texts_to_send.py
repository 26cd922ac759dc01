"""The parts of a campaign's text messages before its start, and what they cost."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, select

from dialer.domain.engine.credit import message_of
from dialer.domain.messages.sms_parts import MESSAGE_CHARACTERS_MAX, parts_of
from dialer.store.tables import CampaignPhonebook, Contact, Subscriber, User

SAMPLE_MAX: Final = 1_000
"""People whose texts are measured: the first of the campaign's lists."""


class ExamplePerson(NamedTuple):
    """A contact whose text or call is shown as an example. `additional_vars` is a JSON object as text."""

    contact_id: int
    full_name: str
    additional_vars: str
    number: str


class TextsToSend(NamedTuple):
    """The texts of a campaign, as far as they are known before they are sent."""

    least: int
    """The fewest parts of a text."""
    most: int
    parts: int
    """Parts of all texts, from the mean of those that were measured."""
    cost: int | None
    """Cost of these in integers of 1e-5; None if parts have no price."""


def texts_to_send(connection: Connection, campaign: Mapping[str, Any], people: int) -> TextsToSend | None:
    """Return the texts that go to a number of people; None without a text or people."""
    text = campaign["text_message"]
    if not text.strip() or not people:
        return None
    measured = [parts_of(filled) for filled in _filled(connection, campaign["id"], text)]
    if not measured:
        return None
    parts = (2 * people * sum(measured) + len(measured)) // (2 * len(measured))
    rate = connection.scalar(select(User.sms_rate).where(User.id == campaign["user_id"]))
    return TextsToSend(min(measured), max(measured), parts, parts * rate if rate else None)


def example_person(connection: Connection, phonebooks: list[int]) -> ExamplePerson | None:
    """Return the first contact of the first of some phonebooks that has one."""
    columns = Contact.id, Contact.full_name, Contact.additional_vars, Contact.number
    for book in phonebooks:
        query = select(*columns).where(Contact.phonebook_id == book).order_by(Contact.id).limit(1)
        found = connection.execute(query).first()
        if found is not None:
            return ExamplePerson(*found)
    return None


def _filled(connection: Connection, campaign_id: int, text: str) -> Iterator[str]:
    if "{" not in text:
        yield text[:MESSAGE_CHARACTERS_MAX]
        return
    books = select(CampaignPhonebook.phonebook_id).where(CampaignPhonebook.campaign_id == campaign_id)
    contacts = select(Contact.full_name, Contact.additional_vars, Contact.number).where(Contact.phonebook_id.in_(books))
    subscribers = select(Subscriber.full_name, Subscriber.additional_vars, Subscriber.number)
    for query in (contacts, subscribers.where(Subscriber.campaign_id == campaign_id)):
        rows = connection.execute(query.limit(SAMPLE_MAX)).all()
        yield from (message_of(text, row.full_name, row.additional_vars, row.number) for row in rows)
        if rows:
            return
