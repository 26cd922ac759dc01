"""The people of a campaign at its start, counted as the start does: each number once, however many lists have it."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Select, Subquery, exists, func, select

from dialer.store.queries.do_not_call import entries_against, is_in_another_form, lists_of
from dialer.store.rows.joining.call_again import was_called_before
from dialer.store.tables import Campaign, CampaignPhonebook, Contact, DncContact, Subscriber

COUNTED_MAX: Final = 500_000
"""Contacts whose numbers are compared. Of more, each counts as a person."""
FORMS_COMPARED_MAX: Final = 10_000
"""People whose numbers are compared in every form with lists that have numbers in other forms."""
COMPARED_AT_ONCE: Final = 1_000
_WITHOUT_COUNTRY: Final = chr(ord("+") + 1)
"""The first character after `+`. Numbers from here on have no country code."""


class PeopleToJoin(NamedTuple):
    """The people of a campaign, and of its phonebooks."""

    people: int
    """Those who are in it, and those who join it at its start."""
    doubles: int = 0
    """Contacts of its phonebooks whose numbers other contacts of them have, too: these are called once."""
    do_not_call: int = 0
    """Those of `people` whose numbers are on a do-not-call list that holds for the campaign, so that nobody calls
    them."""

    @property
    def called(self) -> int:
        """Return the number of people who are on no do-not-call list."""
        return self.people - self.do_not_call


def people_to_join(connection: Connection, campaign_id: int) -> PeopleToJoin:
    """Count the people who are in a campaign and those who join it at its start.

    Contacts with one number are one person. A number that is in the campaign already does not join again, nor does one
    that is in the campaign whose people this one calls again.
    """
    in_it = _number(connection, Subscriber.campaign_id == campaign_id)
    contacts = _contacts(connection, campaign_id)
    subscribed = select(Subscriber.number).where(Subscriber.campaign_id == campaign_id)
    if contacts > COUNTED_MAX:
        every = subscribed.union_all(select(Contact.number).where(_joins(campaign_id)))
        return PeopleToJoin(in_it + contacts, 0, _on_lists(connection, campaign_id, every.subquery()))
    numbers = _count(connection, _numbers(campaign_id))
    source = connection.scalar(select(Campaign.source_campaign_id).where(Campaign.id == campaign_id))
    joining = _numbers(campaign_id)
    fresh = numbers
    if in_it or source is not None:
        joining = _fresh(campaign_id)
        fresh = _count(connection, joining)
    listed = _on_lists(connection, campaign_id, subscribed.union(joining).subquery())
    return PeopleToJoin(in_it + fresh, contacts - numbers, listed)


def numbers_to_call(campaign_id: int) -> Select[str]:
    """Return a query of the numbers of people who are in a campaign, and of those who join it at its start."""
    subscribed = select(Subscriber.number).where(Subscriber.campaign_id == campaign_id)
    both = subscribed.union(_fresh(campaign_id)).subquery()
    return select(both.c.number)


def _on_lists(connection: Connection, campaign_id: int, people: Subquery) -> int:
    """Count the numbers of people that are on do-not-call lists of the campaign, as claims of the engine find them.

    Lists with hashes of erased numbers, or with numbers without a country, are compared in every form, and so are
    people without a country: the first `FORMS_COMPARED_MAX` of them.
    """
    dnc_id = connection.scalar(select(Campaign.dnc_id).where(Campaign.id == campaign_id))
    lists = lists_of(connection, {campaign_id: dnc_id})[campaign_id].ids
    if not lists:
        return 0
    number = people.c.number
    is_listed = exists().where(DncContact.dnc_id.in_(lists), DncContact.number == number)
    plain = connection.scalar(select(func.count()).select_from(people).where(is_listed)) or 0
    other_forms = exists().where(DncContact.dnc_id.in_(lists), is_in_another_form(DncContact.number))
    others = select(number).where(~is_listed)
    if not connection.scalar(select(other_forms)):
        others = others.where(number >= _WITHOUT_COUNTRY)
    compared = connection.scalars(others.limit(FORMS_COMPARED_MAX)).all()
    return plain + _in_other_forms(connection, lists, compared)


def _in_other_forms(connection: Connection, lists: Sequence[int], numbers: Sequence[str]) -> int:
    parts = (numbers[place : place + COMPARED_AT_ONCE] for place in range(0, len(numbers), COMPARED_AT_ONCE))
    return sum(len({number for _, number in entries_against(connection, lists, part)}) for part in parts)


def _contacts(connection: Connection, campaign_id: int) -> int:
    """Count the contacts that the campaign has yet to take up: a range of the index of each list, without its rows."""
    waiting = (
        select(func.count())
        .where(Contact.phonebook_id == CampaignPhonebook.phonebook_id)
        .where(Contact.id > CampaignPhonebook.collected_contact_id)
        .correlate(CampaignPhonebook)
        .scalar_subquery()
    )
    lists = select(waiting).where(CampaignPhonebook.campaign_id == campaign_id)
    return sum(connection.scalars(lists).all())


def _joins(campaign_id: int) -> ColumnElement[bool]:
    """Return the condition that the campaign has yet to take up a contact."""
    return exists().where(
        CampaignPhonebook.campaign_id == campaign_id,
        CampaignPhonebook.phonebook_id == Contact.phonebook_id,
        CampaignPhonebook.collected_contact_id < Contact.id,
    ) & Contact.phonebook_id.in_(
        select(CampaignPhonebook.phonebook_id).where(CampaignPhonebook.campaign_id == campaign_id)
    )


def _fresh(campaign_id: int) -> Select[str]:
    """Return a query of the numbers that join the campaign at its start."""
    is_in_it = exists().where(Subscriber.campaign_id == campaign_id, Subscriber.number == Contact.number)
    return _numbers(campaign_id, ~is_in_it, ~was_called_before(campaign_id, Contact.number))


def _numbers(campaign_id: int, *conditions: ColumnElement[bool]) -> Select[str]:
    return select(Contact.number).where(_joins(campaign_id), *conditions).distinct()


def _count(connection: Connection, query: Select[str]) -> int:
    return connection.scalar(select(func.count()).select_from(query.subquery())) or 0


def _number(connection: Connection, condition: ColumnElement[bool]) -> int:
    return connection.scalar(select(func.count()).select_from(Subscriber).where(condition)) or 0
