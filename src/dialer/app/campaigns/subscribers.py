"""Use cases of subscribers: the places of callees in campaigns."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, RowMapping, delete, insert, select, update

from dialer.app.campaigns.lost_calls import free_of_needless_outcomes
from dialer.app.work.errors import ErrorCode, RefusedError, UnknownRecordError
from dialer.app.work.touched_records import touched_campaigns
from dialer.app.work.unit import UnitOfWork
from dialer.domain.words.enums import SubscriberStatus
from dialer.domain.words.sentences import Sentence
from dialer.domain.words.states import move_subscriber
from dialer.store.database.touched import NOTHING
from dialer.store.queries.calls_in_progress import UnderWay, under_way_of_subscriber
from dialer.store.tables import Campaign, ContactWait, Subscriber


def add_subscriber(unit: UnitOfWork, values: Mapping[str, Any]) -> Row[Any]:
    """Add a subscriber to a campaign, from its columns; return its row."""
    row = unit.connection.execute(insert(Subscriber).values(values).returning(*Subscriber.__table__.c)).one()
    _add_to_total(unit, row.campaign_id, 1)
    unit.note(touched_campaigns(row.campaign_id))
    return row


def change_subscriber(unit: UnitOfWork, subscriber_id: int, values: Mapping[str, Any]) -> None:
    """Write columns of a subscriber. A failed subscriber that is set back is due at once, and keeps its counters.

    Raises:
        UnknownRecordError: there is no such subscriber.
        RefusedError: the number may not change during a call, the contact was deleted, or this version does not know
            the status.
        IllegalMoveError: the new status may not follow the present one.
    """
    before = _read(unit, subscriber_id)
    after = {**before, **values}
    if after["duplicate_contact"] != before["duplicate_contact"]:
        _refuse_while_called(unit, before)
    if before["status"] not in set(SubscriberStatus):
        problem = Sentence(
            "Status %(status)s of the subscriber is unknown to this version. Use a newer version.",
            status=before["status"],
        )
        raise RefusedError(problem)
    current, wanted = SubscriberStatus(before["status"]), SubscriberStatus(after["status"])
    is_moved = move_subscriber(current, wanted)
    if is_moved and wanted is SubscriberStatus.PENDING:
        refuse_without_contact(before["contact_id"], before["phonebook_id"])
    written = {**values, "status": wanted} | (_moved(current, unit.now_ms) if is_moved else {})
    if all(before[name] == value for name, value in written.items()):
        unit.note(NOTHING)
        return
    written["updated_date"] = unit.now_ms
    unit.connection.execute(update(Subscriber).where(Subscriber.id == subscriber_id).values(written))
    if written.get("number", before["number"]) != before["number"]:
        waited = update(ContactWait).where(ContactWait.subscriber_id == subscriber_id, ContactWait.number == "")
        unit.connection.execute(waited.values(number=before["number"]))
    unit.note(touched_campaigns(before["campaign_id"]))


def write_variables(unit: UnitOfWork, subscriber_id: int, text: str) -> None:
    """Write the variables of a subscriber, as JSON text.

    The engine reads its campaign again only if it may have read this subscriber already, to call them next.
    """
    of_person = update(Subscriber).where(Subscriber.id == subscriber_id)
    written = of_person.values(additional_vars=text, updated_date=unit.now_ms)
    row = unit.connection.execute(written.returning(Subscriber.status, Subscriber.campaign_id)).one()
    unit.note(touched_campaigns(row.campaign_id) if row.status == SubscriberStatus.PENDING else NOTHING)


def delete_subscriber(unit: UnitOfWork, subscriber_id: int) -> None:
    """Delete a subscriber without a call or a message in progress, because money is held for these.

    Raises:
        UnknownRecordError: there is no such subscriber.
        RefusedError: a call or a message is in progress.
    """
    before = _read(unit, subscriber_id)
    if _refuse_while_called(unit, before).messages:
        raise RefusedError(
            "A text message to the subscriber is on its way. Try again when it is delivered.",
            code=ErrorCode.IN_PROGRESS,
        )
    unit.connection.execute(delete(Subscriber).where(Subscriber.id == subscriber_id))
    owner = select(Campaign.user_id).where(Campaign.id == before["campaign_id"])
    free_of_needless_outcomes(unit, unit.connection.scalars(owner).one())
    _add_to_total(unit, before["campaign_id"], -1)
    unit.note(touched_campaigns(before["campaign_id"]))


def lost_contact(contact_id: int | None, phonebook_id: int | None) -> bool:
    """Return whether the contact of a subscriber was deleted, or has another number.

    Subscribers without a phonebook never had one.
    """
    return contact_id is None and phonebook_id is not None


def refuse_without_contact(contact_id: int | None, phonebook_id: int | None) -> None:
    """Refuse another call to a subscriber whose contact was deleted, or has another number.

    Raises:
        RefusedError: the subscriber is without a contact.
    """
    if lost_contact(contact_id, phonebook_id):
        raise RefusedError(
            "The contact was deleted, or has another number. Add this number again to have it called.",
            code=ErrorCode.NO_CONTACT,
        )


def _read(unit: UnitOfWork, subscriber_id: int) -> RowMapping:
    row = unit.connection.execute(select(Subscriber.__table__).where(Subscriber.id == subscriber_id)).mappings().first()
    if row is None:
        raise UnknownRecordError(f"There is no subscriber {subscriber_id}.")
    return row


def _moved(current: SubscriberStatus, now_ms: int) -> dict[str, Any]:
    """Return the other columns that a new status changes."""
    again = {"due_ms": now_ms} if current is SubscriberStatus.FAIL else {}
    return {"status_reason": "", "halt_reason": "", **again}


def _refuse_while_called(unit: UnitOfWork, before: RowMapping) -> UnderWay:
    """Return the calls and messages under way.

    Raises:
        RefusedError: the subscriber is in a call, which may be inbound.
    """
    under_way = under_way_of_subscriber(unit.connection, before["id"])
    if before["status"] == SubscriberStatus.IN_PROCESS or under_way.calls:
        raise RefusedError("The subscriber is in a call. Try again when the call is over.", code=ErrorCode.IN_PROGRESS)
    return under_way


def _add_to_total(unit: UnitOfWork, campaign_id: int, difference: int) -> None:
    more = update(Campaign).where(Campaign.id == campaign_id)
    unit.connection.execute(more.values(totalcontact=Campaign.totalcontact + difference))
