"""The people of a campaign at its start, counted as the start does: each number once, however many lists have it."""

from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, exists, func, select

from dialer.store.call_again import was_called_before
from dialer.store.tables import Campaign, CampaignPhonebook, Contact, Subscriber

COUNTED_MAX: Final = 500_000
"""Contacts whose numbers are compared. Of more, each counts as a person."""


class PeopleToJoin(NamedTuple):
    """The people of a campaign, and of its phonebooks."""

    people: int
    """Those who are in it, and those who join it at its start."""
    doubles: int = 0
    """Contacts of its phonebooks whose numbers other contacts of them have, too: these are called once."""


def people_to_join(connection: Connection, campaign_id: int) -> PeopleToJoin:
    """Count the people who are in a campaign and those who join it at its start.

    Contacts with one number are one person. A number that is in the campaign already does not join again, nor does one
    that is in the campaign whose people this one calls again.
    """
    in_it = _number(connection, Subscriber.campaign_id == campaign_id)
    contacts = connection.scalar(select(func.count()).select_from(Contact).where(_joins(campaign_id))) or 0
    if contacts > COUNTED_MAX:
        return PeopleToJoin(in_it + contacts)
    numbers = _numbers(connection, campaign_id)
    source = connection.scalar(select(Campaign.source_campaign_id).where(Campaign.id == campaign_id))
    fresh = numbers
    if in_it or source is not None:
        is_in_it = exists().where(Subscriber.campaign_id == campaign_id, Subscriber.number == Contact.number)
        fresh = _numbers(connection, campaign_id, ~is_in_it, ~was_called_before(campaign_id, Contact.number))
    return PeopleToJoin(in_it + fresh, contacts - numbers)


def _joins(campaign_id: int) -> ColumnElement[bool]:
    """Return the condition that the campaign has yet to take up a contact."""
    return exists().where(
        CampaignPhonebook.campaign_id == campaign_id,
        CampaignPhonebook.phonebook_id == Contact.phonebook_id,
        CampaignPhonebook.collected_contact_id < Contact.id,
    ) & Contact.phonebook_id.in_(
        select(CampaignPhonebook.phonebook_id).where(CampaignPhonebook.campaign_id == campaign_id)
    )


def _numbers(connection: Connection, campaign_id: int, *conditions: ColumnElement[bool]) -> int:
    different = select(Contact.number).where(_joins(campaign_id), *conditions).distinct().subquery()
    return connection.scalar(select(func.count()).select_from(different)) or 0


def _number(connection: Connection, condition: ColumnElement[bool]) -> int:
    return connection.scalar(select(func.count()).select_from(Subscriber).where(condition)) or 0
