"""Rows of the legs that real carriers have, and of the names of text messages."""

import secrets
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Connection, RowMapping, bindparam, delete, null, select, true, union_all, update

from dialer.domain.calls.identity import leg_key, leg_name
from dialer.domain.calls.plans import GatewayKey
from dialer.domain.messages.carrier_names import plain_names_meant
from dialer.domain.sessions.leg_protocol import Dialling, Leg
from dialer.domain.words.enums import LegType
from dialer.store.backends.expressions import insert_or, plain_name
from dialer.store.database.bulk import ASKED_AT_ONCE, Bulk, bulk_insert
from dialer.store.queries.readable_rows import Unreadable, readable
from dialer.store.queries.selection import OwnedRows, Shards
from dialer.store.tables import CallRequest, Cdr, LiveLeg, ServiceState, SmsMessage, Subscriber, TextPart

KEY_BYTES: Final = 32


class LegRow(NamedTuple):
    """The row of a new leg."""

    key: str
    call_id: int
    place: int
    medium: str
    gateway_id: int
    dialling: str
    wanted_ms: int
    standing: str
    handle: str = ""


class LegChange(NamedTuple):
    """The changed columns of a leg."""

    new_standing: str
    new_heard_ms: int | None
    new_handle: str
    new_is_leaving: bool
    leg_key: str


class StoredLeg(NamedTuple):
    """A leg as it is stored. `handed_ms` is None if it certainly was not given to its line."""

    key: str
    call_id: int
    place: int
    """The place of its transfer in the call; 0 for the leg of the call itself, and negative for a supervisor's."""
    gateway_id: GatewayKey
    order: Leg
    wanted_ms: int
    handed_ms: int | None
    heard_ms: int | None
    standing: str
    handle: str
    is_odd: bool = False
    """True if the row cannot be read: nobody knows what became of the leg."""


_INSERT: Final = bulk_insert(LiveLeg.__table__, *LegRow._fields)
_CHANGE: Final = Bulk(
    update(LiveLeg)
    .where(LiveLeg.key == bindparam("leg_key"))
    .values(
        standing=bindparam("new_standing"),
        heard_ms=bindparam("new_heard_ms"),
        handle=bindparam("new_handle"),
        is_leaving=bindparam("new_is_leaving"),
    ),
    LegChange._fields,
)
_HAND: Final = Bulk(
    update(LiveLeg)
    .where(LiveLeg.key == bindparam("leg_key"), LiveLeg.handed_ms == null())
    .values(handed_ms=bindparam("now_ms")),
    ("now_ms", "leg_key"),
)
_LEAVING: Final = OwnedRows(
    select(LiveLeg.__table__)
    .join(CallRequest, CallRequest.id == LiveLeg.call_id)
    .where(LiveLeg.is_leaving == true())
    .order_by(LiveLeg.id),
    CallRequest.user_id,
)
_ORDER: Final = msgspec.json.Decoder[Leg](Leg)


def add_legs(connection: Connection, legs: Sequence[LegRow]) -> None:
    """Insert the rows of new legs."""
    _INSERT.run(connection, legs)


def change_legs(connection: Connection, legs: Sequence[LegChange]) -> None:
    """Store the new states of legs."""
    _CHANGE.run(connection, legs)


def delete_legs(connection: Connection, keys: Sequence[str]) -> None:
    """Delete legs that are over, and the names of text messages among them."""
    for start in range(0, len(keys), ASKED_AT_ONCE):
        some = keys[start : start + ASKED_AT_ONCE]
        messages = select(LiveLeg.call_id).where(LiveLeg.key.in_(some))
        connection.execute(delete(TextPart).where(TextPart.message_id.in_(messages)))
        connection.execute(delete(LiveLeg).where(LiveLeg.key.in_(some)))


def leg_keys(connection: Connection, campaign_id: int, number: str) -> list[str]:
    """Return the names that carriers know the calls to and from a number by, in the order in which they began.

    Each is followed by the legs of its transfers that have a CDR.
    """
    key = connection.scalar(select(ServiceState.leg_key))
    if key is None:
        return []
    is_second = (Cdr.callrequest_id == CallRequest.id) & (Cdr.leg_type == LegType.B_LEG)
    of_call = (
        CallRequest.started_ms,
        CallRequest.id.label("call_id"),
        Cdr.id.label("cdr_id"),
        CallRequest.attempt,
        CallRequest.callid,
    )
    columns = (*of_call, Cdr.callid.label("other"), Cdr.agent_id, Cdr.starting_date)
    has_number = (Subscriber.campaign_id == campaign_id) & (Subscriber.number == number)
    of_subscriber = select(*columns).join_from(CallRequest, Subscriber, Subscriber.id == CallRequest.subscriber_id)
    of_stranger = select(*columns).select_from(CallRequest)
    query = union_all(
        of_subscriber.outerjoin(Cdr, is_second).where(has_number),
        of_stranger.outerjoin(Cdr, is_second).where(CallRequest.campaign_id == campaign_id, is_strangers(number)),
    ).order_by("started_ms", "call_id", "cdr_id")
    names: dict[str, None] = {}
    for _, call_id, _, attempt, callid, other, agent_id, offered_ms in connection.execute(query):
        names[leg_key(key, leg_name(callid, call_id)) if attempt > 0 else callid] = None
        if other is not None:
            names[leg_key(key, leg_name(other, call_id, agent_id, offered_ms))] = None
    return list(names)


def is_strangers(number: str) -> ColumnElement[bool]:
    """Return the condition that a call request is of a caller who is no subscriber, and has a number."""
    return CallRequest.subscriber_id.is_(None) & (CallRequest.callerid == number)


def mark_handed(connection: Connection, keys: Sequence[str], now_ms: int) -> bool:
    """Mark legs that are about to be given to their lines, and return whether all of them were still waiting for it."""
    return _HAND.run(connection, [(now_ms, key) for key in keys]) == len(keys)


def legs_of(connection: Connection, call_ids: Collection[int], unreadable: Unreadable) -> list[StoredLeg]:
    """Return the legs of some calls and messages in progress, in the order in which they were decided.

    Legs that are leaving are not among them.
    """
    if not call_ids:
        return []
    wanted = frozenset(call_ids)
    rows = connection.execute(
        select(LiveLeg.__table__).where(LiveLeg.is_leaving != true()).order_by(LiveLeg.id)
    ).mappings()
    return _readable([row for row in rows if row["call_id"] in wanted], unreadable)


def leaving_legs(connection: Connection, shards: Shards, unreadable: Unreadable) -> list[StoredLeg]:
    """Return the legs that were told to end, of the accounts in `shards`. Their calls may be over."""
    return _readable(_LEAVING.run(connection, shards).mappings(), unreadable)


def _readable(rows: Iterable[RowMapping], unreadable: Unreadable) -> list[StoredLeg]:
    """Return legs as they are stored. For a row that cannot be read, return its name alone."""
    found = []
    for row in rows:
        found += readable([row], LiveLeg.__table__, _stored, unreadable) or [_odd(row)]
    return found


def _odd(row: RowMapping) -> StoredLeg:
    place, number = (row[name] if isinstance(row[name], int) else 0 for name in ("place", "gateway_id"))
    gateway_id = GatewayKey(str(row["medium"]), number)
    order = Dialling(str(row["key"]), "", "", 0, 0)
    return StoredLeg(row["key"], row["call_id"], place, gateway_id, order, 0, 0, None, "", "", is_odd=True)


def _stored(row: RowMapping) -> StoredLeg:
    return StoredLeg(
        key=row["key"],
        call_id=row["call_id"],
        place=row["place"],
        gateway_id=GatewayKey(row["medium"], row["gateway_id"]),
        order=_ORDER.decode(row["dialling"]),
        wanted_ms=row["wanted_ms"],
        handed_ms=row["handed_ms"],
        heard_ms=row["heard_ms"],
        standing=row["standing"],
        handle=row["handle"],
    )


def service_leg_key(connection: Connection) -> bytes:
    """Return the secret of the service from which names of legs are made. The first call makes it up and stores it."""
    key: bytes | None = connection.scalar(select(ServiceState.leg_key))
    if key is None:
        fresh = secrets.token_bytes(KEY_BYTES)
        connection.execute(update(ServiceState).where(ServiceState.leg_key.is_(None)).values(leg_key=fresh))
        key = connection.scalar(select(ServiceState.leg_key))
    return key or b""


def name_part(connection: Connection, gateway_id: GatewayKey, message_id: int, name: str) -> None:
    """Store a name under which a carrier knows a part of a message. A name that it uses again moves."""
    owner = select(SmsMessage.user_id).where(SmsMessage.id == message_id).scalar_subquery()
    moved = {"message_id": message_id, "user_id": owner}
    named = insert_or(TextPart.__table__).values(gateway_id=gateway_id.id, name=name, **moved)
    connection.execute(named.on_conflict_do_update(index_elements=["gateway_id", "name"], set_=moved))


def message_named(connection: Connection, gateway_id: GatewayKey, name: str) -> int | None:
    """Return the message on its way that a carrier knows under a name; None if there is none.

    A receipt may spell the name in another way, if no other name on its way is alike.
    """
    query = select(TextPart.message_id).where(TextPart.gateway_id == gateway_id.id)
    found: int | None = connection.scalar(query.where(TextPart.name == name))
    if found is not None:
        return found
    meant = sorted(plain_names_meant(name))
    alike = connection.scalars(query.where(plain_name(TextPart.name).in_(meant)).limit(2)).all() if meant else ()
    return alike[0] if len(alike) == 1 else None
