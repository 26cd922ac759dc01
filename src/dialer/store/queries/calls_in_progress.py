"""Queries of calls and messages in progress, and of their gateways, for the engine."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection, RowMapping, Select, Table, bindparam, exists, func, or_, select, true, union_all

from dialer.domain.billing.charge import Rate
from dialer.domain.calling_times.calling_hours import CallingHours
from dialer.domain.calls.campaign_events import GatewayOpened
from dialer.domain.calls.circuit_breaker import CircuitBreaker
from dialer.domain.calls.plans import (
    NO_SUBSCRIBER,
    SIMULATED,
    SMS,
    VOICE,
    Call,
    CampaignPlan,
    GatewayKey,
    GatewayPlan,
    Subscriber,
)
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.queries.ordered_recordings import orders_in
from dialer.store.queries.rates import rate_of
from dialer.store.queries.readable_rows import Unreadable, readable
from dialer.store.queries.selection import OwnedRows, Selection, Shards
from dialer.store.tables import (
    HALT_COMPLETED,
    CallRequest,
    DncContact,
    Gateway,
    LiveLeg,
    SmsMessage,
    Transfer,
    WaitingText,
)
from dialer.store.tables import Subscriber as SubscriberRow

UNREADABLE_PROTOCOL: Final = "unreadable"
"""The protocol of a gateway whose row cannot be read."""
_RECENT_MS: Final = 1_000

_is_on_its_way = SmsMessage.ended_ms.is_(None)
_GATEWAYS: Final = select(Gateway.__table__).order_by(Gateway.medium.desc(), Gateway.id)
"""The query of all gateways: those for calls first."""
_GATEWAY: Final = select(Gateway.__table__).where(
    Gateway.medium == bindparam("kind"), Gateway.id == bindparam("number")
)
_BUSY: Final = tuple(
    Selection(
        select(table.c.campaign_id, table.c.user_id).where(condition).distinct(), table.c.campaign_id, table.c.user_id
    )
    for table, condition in (
        (CallRequest.__table__, IS_CALLING),
        (SmsMessage.__table__, _is_on_its_way),
        (WaitingText.__table__, true()),
    )
)
TAKES_CHANNEL: Final = or_(
    CallRequest.attempt > 0, exists().where(LiveLeg.call_id == CallRequest.id).correlate(CallRequest)
)
"""The condition that a call takes a channel of its gateway, as all but those of simulated callers do."""
# The look-up starts at the few rows in progress, as a campaign may have a million subscribers.
_campaign_of_call = select(SubscriberRow.campaign_id).where(SubscriberRow.id == CallRequest.subscriber_id)
_campaign_of_message = select(SubscriberRow.campaign_id).where(SubscriberRow.id == SmsMessage.subscriber_id)
_OF_CAMPAIGN: Final = select(
    exists().where(
        IS_CALLING,
        or_(
            CallRequest.campaign_id == bindparam("campaign"),
            _campaign_of_call.scalar_subquery() == bindparam("campaign"),
        ),
    ),
    exists().where(
        _is_on_its_way,
        or_(
            SmsMessage.campaign_id == bindparam("campaign"),
            _campaign_of_message.scalar_subquery() == bindparam("campaign"),
        ),
    ),
)
_OF_SUBSCRIBER: Final = select(
    exists().where(IS_CALLING, CallRequest.subscriber_id == bindparam("subscriber")),
    exists().where(_is_on_its_way, SmsMessage.subscriber_id == bindparam("subscriber")),
)
BUSY_SUBSCRIBERS: Final = union_all(
    select(CallRequest.subscriber_id).where(IS_CALLING, CallRequest.subscriber_id.is_not(None)),
    select(SmsMessage.subscriber_id).where(_is_on_its_way, SmsMessage.subscriber_id.is_not(None)),
)
"""Query of the ids of subscribers with a call or a message in progress, in any campaign."""


def _recently(table: Table, started: str) -> Select[Any]:
    """Return a query of the newest start times over a gateway after `since_ms`, from the column `started`.

    After the clock was set back, finished rows may have started later than now. They are left out.
    """
    since, ended_ms = table.c[started], table.c.ended_ms
    query = select(since).where(table.c.gateway_id == bindparam("gateway"), since > bindparam("since_ms"))
    query = query.where(or_(since <= bindparam("now_ms"), ended_ms.is_(None)))
    return query.order_by(since.desc()).limit(bindparam("most"))


# A gateway does not place incoming calls, which have a negative attempt.
_RECENT: Final = {
    VOICE: (
        _recently(CallRequest.__table__, "started_ms").where(CallRequest.attempt > 0),
        _recently(Transfer.__table__, "started_ms"),
    ),
    SMS: (_recently(SmsMessage.__table__, "send_date"),),
}
"""The queries of the latest attempts over a gateway, by its medium."""


_SUBSCRIBER: Final = (
    SubscriberRow.number,
    SubscriberRow.zone,
    SubscriberRow.count_attempt,
    SubscriberRow.failure_count,
    SubscriberRow.completion_count,
    SubscriberRow.due_ms,
    SubscriberRow.full_name,
    SubscriberRow.additional_vars,
    SubscriberRow.halt_reason,
    SubscriberRow.phonebook_id,
    SubscriberRow.promised_agent_id,
    SubscriberRow.promised_until_ms,
    SubscriberRow.abandoned_count,
)
_has_kept_wish = (
    exists()
    .where(
        DncContact.number == func.coalesce(SubscriberRow.number, CallRequest.callerid),
        DncContact.callrequest_id == CallRequest.id,
    )
    .correlate(CallRequest, SubscriberRow)
    .label("has_kept_wish")
)
"""True if a do-not-call list has an entry with this call as its proof."""
_IN_PROGRESS: Final = tuple(
    OwnedRows(
        select(table, *_SUBSCRIBER, *more)
        .outerjoin(SubscriberRow, SubscriberRow.id == table.c.subscriber_id)
        .where(condition, or_(table.c.subscriber_id.is_(None), SubscriberRow.id.is_not(None))),
        table.c.user_id,
    )
    for table, condition, more in (
        (CallRequest.__table__, IS_CALLING, (_has_kept_wish,)),
        (SmsMessage.__table__, _is_on_its_way, ()),
    )
)


_WAITING_TEXTS: Final = OwnedRows(
    select(WaitingText.__table__, *_SUBSCRIBER)
    .outerjoin(SubscriberRow, SubscriberRow.id == WaitingText.subscriber_id)
    .order_by(WaitingText.id),
    WaitingText.user_id,
)


class UnderWay(NamedTuple):
    """The presence of calls and of messages in progress."""

    calls: bool
    messages: bool


class LoadedGateway(NamedTuple):
    """A gateway for the engine, with its parameters for the carrier as JSON text."""

    opened: GatewayOpened
    parameters: str


def gateway_of(campaign: RowMapping | Mapping[str, Any]) -> GatewayKey | None:
    """Return the gateway over which a campaign calls or sends its text messages; None if it has none."""
    if campaign["medium"] == SMS:
        return sms_gateway_of(campaign)
    gateway_id = campaign["aleg_gateway_id"]
    return None if gateway_id is None else GatewayKey(VOICE, int(gateway_id))


def sms_gateway_of(campaign: RowMapping | Mapping[str, Any]) -> GatewayKey | None:
    """Return the gateway over which a campaign sends text messages; None if it has none."""
    gateway_id = campaign["sms_gateway_id"]
    return None if gateway_id is None else GatewayKey(SMS, int(gateway_id))


def gateway_row(connection: Connection, gateway: GatewayKey | None) -> RowMapping | None:
    """Return the row of a gateway; None if there is none."""
    if gateway is None:
        return None
    return connection.execute(_GATEWAY, {"kind": gateway.medium, "number": gateway.id}).mappings().first()


def gateways_of(
    connection: Connection,
    now_ms: int,
    hours: CallingHours,
    among: Collection[GatewayKey] | None = None,
    unreadable: Unreadable | None = None,
) -> list[LoadedGateway]:
    """Return all gateways, or those in `among`, with the number of attempts in the last second.

    `hours` are the calling hours of the service. A gateway that cannot be read has a protocol that no process knows, so
    it dials nothing.
    """
    if among is None:
        rows: Sequence[RowMapping] = connection.execute(_GATEWAYS).mappings().all()
    else:
        rows = [row for key in sorted(among) if (row := gateway_row(connection, key)) is not None]
    found, odd = [], {} if unreadable is None else unreadable
    for row in rows:
        found += readable([row], Gateway.__table__, partial(_loaded, connection, now_ms, hours), odd) or [
            _closed(_key_of(row))
        ]
    return found


def _key_of(row: RowMapping) -> GatewayKey:
    return GatewayKey(row["medium"], row["id"])


def _closed(gateway: GatewayKey) -> LoadedGateway:
    """Return a gateway that no process has a carrier for."""
    return LoadedGateway(GatewayOpened(GatewayPlan(gateway, protocol=UNREADABLE_PROTOCOL)), "{}")


def busy_campaigns(
    connection: Connection, among: Collection[int] | None = None, shards: Shards = None
) -> dict[int, int]:
    """Return the campaigns with calls or messages in progress, all or those in `among`, with the ids of their users.

    Messages in progress are those on their way, and those that wait for room on their gateway.
    """
    rows = (row for busy in _BUSY for row in busy.rows(connection, among, shards))
    found: list[tuple[Any, Any]] = [(row["campaign_id"], row["user_id"]) for row in rows]
    # Rows that somebody has edited so that they belong to nobody are left out.
    return {
        campaign_id: user_id
        for campaign_id, user_id in found
        if isinstance(campaign_id, int) and isinstance(user_id, int)
    }


def under_way_of_campaign(connection: Connection, campaign_id: int) -> UnderWay:
    """Return the kinds of attempts in progress of a campaign, call-backs of its subscribers included."""
    return UnderWay(*map(bool, connection.execute(_OF_CAMPAIGN, {"campaign": campaign_id}).one()))


def under_way_of_subscriber(connection: Connection, subscriber_id: int) -> UnderWay:
    """Tell whether a subscriber has a call or messages in progress, in any campaign."""
    return UnderWay(*map(bool, connection.execute(_OF_SUBSCRIBER, {"subscriber": subscriber_id}).one()))


def has_other_call(connection: Connection, subscriber_id: int, callrequest_id: int) -> bool:
    """Return whether a subscriber is in another call than a given one."""
    others = exists().where(IS_CALLING, CallRequest.subscriber_id == subscriber_id, CallRequest.id != callrequest_id)
    return bool(connection.scalar(select(others)))


def rows_in_progress(connection: Connection, shards: Shards) -> list[RowMapping]:
    """Return call requests and messages in progress, each with the columns of its subscriber, in id order."""
    found = [row for query in _IN_PROGRESS for row in query.run(connection, shards).mappings()]
    return sorted(found, key=lambda row: int(row["id"]))


def waiting_rows(connection: Connection, shards: Shards) -> Sequence[RowMapping]:
    """Return the text messages that wait for room on a gateway, oldest first, with the columns of their subscribers."""
    return _WAITING_TEXTS.run(connection, shards).mappings().all()


def waiting_text_of(row: RowMapping, plan: CampaignPlan) -> Call:
    """Return the engine's message from a row of `waiting_rows`."""
    subscriber = _subscriber(row)
    subscriber.number = row["phone_number"]
    return Call(
        id=row["message_id"],
        callid=row["callid"],
        plan=msgspec.structs.replace(plan, gateway_id=GatewayKey(SMS, row["gateway_id"])),
        subscriber=subscriber,
        attempt=row["attempt"],
        started_ms=0,
        ring_limit_ms=0,
        talk_limit_ms=0,
        hold=0,
        rate=Rate(0),
        callerid=row["callerid"],
        text=row["text_message"],
        parent_id=row["callrequest_id"],
    )


def call_of(row: RowMapping, plan: CampaignPlan) -> Call:
    """Return the engine's call or message from a row of `rows_in_progress`."""
    is_message = "message_id" in row
    gateway_id = GatewayKey(SMS if is_message else VOICE, row["gateway_id"])
    subscriber = _subscriber(row)
    if is_message:
        subscriber.number = row["phone_number"]  # A section may send the message to another number.
    common: dict[str, Any] = {
        "id": row["id"],
        "plan": plan if gateway_id == plan.gateway_id else msgspec.structs.replace(plan, gateway_id=gateway_id),
        "subscriber": subscriber,
        "attempt": row["attempt"],
        "hold": row["hold"],
        "callerid": row["callerid"],
        "dialled": row["dialled_number"],
        "parameters": row["parameters"],
        "is_simulated": row["is_simulated"],
        "consent_id": row["consent_id"],
    }
    if is_message:
        return Call(
            **common,
            callid=row["message_id"],
            started_ms=row["send_date"],
            ring_limit_ms=0,
            talk_limit_ms=0,
            rate=Rate(0),
            text=row["text_message"],
            parts=row["parts"],
            parent_id=row["callrequest_id"],
        )
    return Call(
        **common,
        callid=row["callid"],
        started_ms=row["started_ms"],
        ring_limit_ms=row["ring_limit_ms"],
        talk_limit_ms=row["talk_limit_ms"],
        rate=rate_of(row),
        amd=row["amd"],
        did_id=row["did_id"],
        did_number=row["phone_number"] if row["attempt"] < 0 else "",
        has_kept_wish=bool(row["has_kept_wish"]),
        recording_orders=orders_in(row["recording_orders"]),
    )


def _is_simulated(row: RowMapping) -> bool:
    return bool(row["protocol"] == SIMULATED)


def _gateway_plan(row: RowMapping, hours: CallingHours) -> GatewayPlan:
    is_simulated = _is_simulated(row)
    return GatewayPlan(
        _key_of(row),
        row["max_channels"],
        row["max_cps"],
        row["addprefix"],
        row["removeprefix"],
        protocol=SIMULATED if is_simulated else row["protocol"],
        hours=hours.over(is_simulated=is_simulated),
    )


def _loaded(connection: Connection, now_ms: int, hours: CallingHours, row: RowMapping) -> LoadedGateway:
    plan = _gateway_plan(row, hours)
    breaker = CircuitBreaker(row["failures"], row["rest_ms"], row["rests_until_ms"])
    if not plan.max_cps:
        return LoadedGateway(GatewayOpened(plan, breaker=breaker), row["parameters"])
    asked = {"gateway": plan.id.id, "since_ms": now_ms - _RECENT_MS, "now_ms": now_ms, "most": plan.max_cps}
    recent = [at_ms for query in _RECENT[plan.id.medium] for at_ms in connection.scalars(query, asked)]
    newest = sorted(recent)[-plan.max_cps :]
    return LoadedGateway(GatewayOpened(plan, tuple(newest), breaker), row["parameters"])


def _subscriber(row: RowMapping) -> Subscriber:
    if row["subscriber_id"] is None:
        return Subscriber(NO_SUBSCRIBER, row["callerid"], "")
    return Subscriber(
        id=row["subscriber_id"],
        number=row["number"],
        zone=row["zone"],
        contact_id=row["contact_id"],
        attempts=row["count_attempt"],
        failures=row["failure_count"],
        completions=row["completion_count"],
        due_ms=row["due_ms"],
        full_name=row["full_name"],
        additional_vars=row["additional_vars"],
        has_completed=row["halt_reason"] == HALT_COMPLETED,
        phonebook_id=row["phonebook_id"],
        promised_agent_id=row["promised_agent_id"],
        promised_until_ms=row["promised_until_ms"],
        abandoned=row["abandoned_count"],
    )
