"""Subscribers: the numbers of a campaign, one by one."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, RowMapping, delete, insert, select, update

from dialer.app.errors import RefusedError, UnknownRecordError
from dialer.app.events import SubscriberAdded, SubscriberDeleted, SubscriberStatusChanged
from dialer.app.touching import touched_campaigns
from dialer.app.unit import UnitOfWork
from dialer.domain.enums import SubscriberStatus
from dialer.domain.states import move_subscriber
from dialer.store.queries.progress import UnderWay, under_way_of_subscriber
from dialer.store.tables import Campaign, Subscriber
from dialer.store.touched import NOTHING

_campaigns = Campaign.__table__
_subscribers = Subscriber.__table__


def add_subscriber(unit: UnitOfWork, values: Mapping[str, Any]) -> Row[Any]:
    """Add a number to a campaign, from its columns; return its row."""
    row = unit.connection.execute(insert(_subscribers).values(values).returning(*_subscribers.c)).one()
    _add_to_total(unit, row.campaign_id, 1)
    unit.note(touched_campaigns(row.campaign_id), SubscriberAdded(row.campaign_id, row.id))
    return row


def change_subscriber_status(unit: UnitOfWork, subscriber_id: int, wanted: SubscriberStatus) -> None:
    """Pause a subscriber, abort them, or have them called again.

    Raises:
        IllegalMoveError: the status may not follow the one that the subscriber has.
    """
    change_subscriber(unit, subscriber_id, {"status": wanted})


def change_subscriber(unit: UnitOfWork, subscriber_id: int, values: Mapping[str, Any]) -> None:
    """Write columns of a subscriber. One that was given up and is set back is due at once; its counters stay.

    Raises:
        UnknownRecordError: there is no such subscriber.
        RefusedError: the number may not change during a call, or the status is one that this version does not know.
        IllegalMoveError: the status may not follow the one that the subscriber has.
    """
    before = _read(unit, subscriber_id)
    after = {**before, **values}
    if after["duplicate_contact"] != before["duplicate_contact"]:
        _refuse_while_called(unit, before)
    if before["status"] not in set(SubscriberStatus):
        raise RefusedError("The subscriber is in a state that this version does not know.")
    current, wanted = SubscriberStatus(before["status"]), SubscriberStatus(after["status"])
    is_moved = move_subscriber(current, wanted)
    written = {**values, "status": wanted} | (_moved(current, unit.now_ms) if is_moved else {})
    if all(before[name] == value for name, value in written.items()):
        unit.note(NOTHING)
        return
    written["updated_date"] = unit.now_ms
    unit.connection.execute(update(_subscribers).where(_subscribers.c.id == subscriber_id).values(written))
    event = SubscriberStatusChanged(before["campaign_id"], subscriber_id, wanted)
    unit.note(touched_campaigns(before["campaign_id"]), *([event] if is_moved else []))


def delete_subscriber(unit: UnitOfWork, subscriber_id: int) -> None:
    """Delete a subscriber who is not being called, and to whom no message is on its way: money is held for it.

    Raises:
        UnknownRecordError: there is no such subscriber.
        RefusedError: a call or a message is in progress.
    """
    before = _read(unit, subscriber_id)
    if _refuse_while_called(unit, before).messages:
        raise RefusedError("A text message to the subscriber is on its way.")
    unit.connection.execute(delete(_subscribers).where(_subscribers.c.id == subscriber_id))
    _add_to_total(unit, before["campaign_id"], -1)
    unit.note(touched_campaigns(before["campaign_id"]), SubscriberDeleted(before["campaign_id"], subscriber_id))


def _read(unit: UnitOfWork, subscriber_id: int) -> RowMapping:
    row = unit.connection.execute(select(_subscribers).where(_subscribers.c.id == subscriber_id)).mappings().first()
    if row is None:
        raise UnknownRecordError(f"There is no subscriber {subscriber_id}.")
    return row


def _moved(current: SubscriberStatus, now_ms: int) -> dict[str, Any]:
    """Return what else a new status changes."""
    again = {"due_ms": now_ms} if current is SubscriberStatus.FAIL else {}
    return {"status_reason": "", "halt_reason": "", **again}


def _refuse_while_called(unit: UnitOfWork, before: RowMapping) -> UnderWay:
    """Refuse if the subscriber is in a call, also one that came in; else return what is under way."""
    under_way = under_way_of_subscriber(unit.connection, before["id"])
    if before["status"] == SubscriberStatus.IN_PROCESS or under_way.calls:
        raise RefusedError("The subscriber is being called.")
    return under_way


def _add_to_total(unit: UnitOfWork, campaign_id: int, difference: int) -> None:
    more = update(_campaigns).where(_campaigns.c.id == campaign_id)
    unit.connection.execute(more.values(totalcontact=_campaigns.c.totalcontact + difference))
