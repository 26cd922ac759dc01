"""Use cases of contacts and phonebooks: started campaigns call new contacts, and no campaign calls a deleted one."""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, Row, bindparam, case, delete, insert, select, update

from dialer.app.campaigns.campaign_references import refuse_while_unfinished
from dialer.app.work.errors import UnknownRecordError
from dialer.app.work.touched_records import known_campaigns, touched_campaigns
from dialer.app.work.unit import UnitOfWork
from dialer.domain.numbers.search_keys import name_key
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.reasons import SubscriberReason
from dialer.domain.words.states import OPEN_SUBSCRIBERS
from dialer.store.database.bulk import PreparedStatement
from dialer.store.database.touched import NOTHING, Touched
from dialer.store.rows.contact_names import CountedNames, count_added, count_changed, count_removed
from dialer.store.rows.joining.contact_collection import campaigns_to_correct, collect_contact, collect_corrected
from dialer.store.tables import Campaign, CampaignPhonebook, Contact, Phonebook, Subscriber

_ADD: Final = insert(Contact).returning(*Contact.__table__.c)
_OWNER: Final = PreparedStatement(select(Phonebook.user_id).where(Phonebook.id == bindparam("phonebook")))
_MOVES: Final = ("phonebook_id", "number")
"""The columns that make a contact a new one for campaigns."""


def add_contact(unit: UnitOfWork, values: Mapping[str, Any]) -> Row[Any]:
    """Add a contact to a phonebook, from its columns; return its row."""
    owners = _OWNER.run(unit.connection, {"phonebook": values["phonebook_id"]})
    row = unit.connection.execute(_ADD, {**values, "user_id": owners[0] if owners else None}).one()
    count_added(unit.connection, row.phonebook_id, [(row.full_name, row.additional_vars)])
    unit.note(_collect(unit, row.id))
    return row


def change_contact(unit: UnitOfWork, contact_id: int, values: Mapping[str, Any]) -> None:
    """Write columns of a contact; with a new phonebook or number, it becomes a subscriber of the campaigns there.

    Its old number is not called any more.

    Raises:
        UnknownRecordError: there is no such contact.
    """
    columns = [Contact.__table__.c[name] for name in (*_MOVES, *CountedNames._fields)]
    before = unit.connection.execute(select(*dict.fromkeys(columns)).where(Contact.id == contact_id)).mappings().first()
    if before is None:
        raise UnknownRecordError(f"There is no contact {contact_id}.")
    is_corrected = values.get("number", before["number"]) != before["number"]
    of_contact = Subscriber.contact_id == contact_id
    touched, again = NOTHING, list[int]()
    if is_corrected:
        again = campaigns_to_correct(unit.connection, contact_id)
        touched = _abandon(unit, of_contact, SubscriberReason.NUMBER_CORRECTED)
        of_old_number = of_contact & Subscriber.phonebook_id.is_not(None)
        unit.connection.execute(update(Subscriber).where(of_old_number).values(contact_id=None))
    written = {**values, "updated_date": unit.now_ms}
    if "full_name" in values:
        written["full_name_key"] = name_key(values["full_name"])
    if "phonebook_id" in values:
        owner = select(Phonebook.user_id).where(Phonebook.id == values["phonebook_id"])
        written["user_id"] = owner.scalar_subquery()
    unit.connection.execute(update(Contact).where(Contact.id == contact_id).values(written))
    collect_corrected(unit.connection, contact_id, again, unit.now_ms)
    was, is_now = (
        CountedNames(*(row[name] for name in CountedNames._fields)) for row in (before, {**before, **values})
    )
    count_changed(unit.connection, was, is_now)
    is_new_there = any(values.get(name, before[name]) != before[name] for name in _MOVES)
    unit.note(touched | (_collect(unit, contact_id) if is_new_there else NOTHING))


def delete_contact(unit: UnitOfWork, contact_id: int) -> None:
    """Delete a contact and abort its subscribers; a subscriber in a call is aborted when the call ends."""
    touched = _abandon(unit, Subscriber.contact_id == contact_id)
    count_removed(unit.connection, select(Contact.id).where(Contact.id == contact_id))
    unit.connection.execute(delete(Contact).where(Contact.id == contact_id))
    unit.note(touched)


def delete_phonebook(unit: UnitOfWork, phonebook_id: int) -> None:
    """Delete a phonebook and its contacts, and abort their subscribers.

    Raises:
        StillUsedError: a campaign that is not over names the phonebook.
    """
    callers = select(CampaignPhonebook.campaign_id).where(CampaignPhonebook.phonebook_id == phonebook_id)
    refuse_while_unfinished(unit.connection, Campaign.id.in_(callers))
    members = select(Contact.id).where(Contact.phonebook_id == phonebook_id)
    touched = _abandon(unit, Subscriber.contact_id.in_(members))
    unit.connection.execute(delete(Phonebook).where(Phonebook.id == phonebook_id))
    unit.note(touched)


def _collect(unit: UnitOfWork, contact_id: int) -> Touched:
    return touched_campaigns(*collect_contact(unit.connection, contact_id, unit.now_ms))


def _abandon(
    unit: UnitOfWork, of_contact: ColumnElement[bool], reason: SubscriberReason = SubscriberReason.CONTACT_DELETED
) -> Touched:
    """Abort waiting subscribers, and mark those in a call so that they are not called again; return their campaigns."""
    is_open = of_contact & Subscriber.status.in_(OPEN_SUBSCRIBERS)
    touched = known_campaigns(
        unit.connection, Campaign.id.in_(select(Subscriber.campaign_id).where(is_open).distinct())
    )
    is_calling = Subscriber.status == SubscriberStatus.IN_PROCESS
    unit.connection.execute(
        update(Subscriber)
        .where(is_open)
        .values(
            status=case((is_calling, Subscriber.status), else_=SubscriberStatus.ABORT),
            status_reason=case((is_calling, Subscriber.status_reason), else_=reason),
            halt_reason=case((is_calling, reason), else_=Subscriber.halt_reason),
            updated_date=unit.now_ms,
        )
    )
    return touched
