"""Events of accounts that keep events: their rows, the accounts that keep them, and their removal when they are old."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection, bindparam, delete, insert, select, true, update

from dialer.store.database.bulk import bulk_insert
from dialer.store.database.touched import NOTHING, touch
from dialer.store.tables import SMS, AccountEvent, Campaign, User

EVENTS_PER_PAGE_MAX: Final = 1_000
"""Maximum number of events in one page."""
REMOVED_AT_ONCE: Final = 1_000
"""Old events that one unit of work removes."""


class EventRow(NamedTuple):
    """The columns of one stored event."""

    user_id: int
    type: str
    campaign_id: int | None
    subject: str
    created_date: int
    data: str


class EventsWanted(NamedTuple):
    """The choice of a page of events: types, campaign, time, position and length."""

    types: tuple[str, ...] = ()
    """Empty: events of all types."""
    campaign_id: int | None = None
    since_ms: int = 0
    after_id: int = 0
    limit: int = 100


_BALANCES: Final = (
    select(User.id, User.balance, User.low_balance)
    .where(User.id.in_(bindparam("ids", expanding=True)))
    .order_by(User.id)
)
_PUBLIC: Final = [column for column in AccountEvent.__table__.c if column.name != AccountEvent.secret_url.key]
"""The columns that all readers of events see."""
CURRENCY_OF_EVENT: Final = (
    select(User.currency).where(User.id == AccountEvent.user_id).correlate(AccountEvent).scalar_subquery()
).label("currency")
"""The currency of the account of an event; empty for that of the service."""
_INSERT: Final = bulk_insert(AccountEvent.__table__, *EventRow._fields)


def event_row(
    user_id: int,
    kind: str,
    at_ms: int,
    subject: str,
    campaign_id: int | None = None,
    **data: Any,  # noqa: ANN401 - JSON
) -> EventRow:
    """Return the row of an event. `data` are ids, states, reasons and amounts, and never personal data."""
    return EventRow(user_id, kind, campaign_id, subject, at_ms, msgspec.json.encode(data).decode())


def named_campaign(connection: Connection, campaign_id: int) -> int:
    """Return the id by which events name a campaign: for a test, which no list shows, that of the campaign it tries."""
    return connection.scalar(select(Campaign.trial_of_id).where(Campaign.id == campaign_id)) or campaign_id


def campaign_subject(connection: Connection, campaign_id: int) -> str:
    """Return the subject of an event about a campaign, which depends on its medium."""
    medium = connection.scalar(select(Campaign.medium).where(Campaign.id == campaign_id))
    return f"{'sms-campaigns' if medium == SMS else 'campaigns'}/{campaign_id}"


def write_events(connection: Connection, rows: Sequence[EventRow]) -> None:
    """Write events in the transaction that caused them."""
    _INSERT.run(connection, rows)


def write_secret_event(connection: Connection, row: EventRow, url: str) -> None:
    """Write an event with a link that only webhooks get. It is encrypted in the database."""
    connection.execute(insert(AccountEvent).values(**row._asdict(), secret_url=url))


def low_balance_events(connection: Connection, spent: Mapping[int, int], at_ms: int) -> list[EventRow]:
    """Return the events of balances that fell to their limit or below.

    `spent` has what was taken from each account in this transaction, in integers of 1e-5.
    """
    return [
        event_row(row.id, "balance.low", at_ms, f"users/{row.id}", balance=row.balance, low_balance=row.low_balance)
        for row in connection.execute(_BALANCES, {"ids": list(spent)}).all()
        if row.balance <= row.low_balance < row.balance + spent[row.id]
    ]


def keeps_events(connection: Connection, user_id: int) -> bool:
    """Return whether an account keeps events."""
    return connection.scalar(select(User.id).where(User.id == user_id, User.keeps_events == true())) is not None


def keep_events(connection: Connection, user_id: int, *, keep: bool) -> bool:
    """Switch the events of an account on or off; stored events stay. Return whether the switch changed."""
    changed = update(User).where(User.id == user_id, User.keeps_events != keep).values(keeps_events=keep)
    return bool(connection.execute(changed).rowcount)


def read_events(connection: Connection, user_id: int, wanted: EventsWanted) -> Sequence[Any]:
    """Return events of an account, in the order in which they were committed."""
    query = select(*_PUBLIC).where(AccountEvent.user_id == user_id, AccountEvent.id > wanted.after_id)
    query = query.where(AccountEvent.created_date >= wanted.since_ms)
    if wanted.types:
        query = query.where(AccountEvent.type.in_(wanted.types))
    if wanted.campaign_id is not None:
        query = query.where(AccountEvent.campaign_id == wanted.campaign_id)
    return connection.execute(query.order_by(AccountEvent.id).limit(min(wanted.limit, EVENTS_PER_PAGE_MAX))).all()


def has_old_events(connection: Connection, before_ms: int) -> bool:
    """Return whether stored events are older than `before_ms`."""
    return connection.scalar(select(AccountEvent.id).where(AccountEvent.created_date < before_ms).limit(1)) is not None


def last_event_id(connection: Connection, user_id: int) -> int:
    """Return the id of the newest event of an account; 0 without any."""
    newest = select(AccountEvent.id).where(AccountEvent.user_id == user_id)
    return connection.scalar(newest.order_by(AccountEvent.id.desc()).limit(1)) or 0


def remove_old_events(connection: Connection, before_ms: int) -> int:
    """Remove events that are older than a moment, at most `REMOVED_AT_ONCE`, and return their number."""
    touch(connection, NOTHING)
    old = select(AccountEvent.id).where(AccountEvent.created_date < before_ms).limit(REMOVED_AT_ONCE)
    return connection.execute(delete(AccountEvent).where(AccountEvent.id.in_(old))).rowcount
