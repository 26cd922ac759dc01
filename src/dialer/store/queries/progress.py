"""Calls in progress and messages on their way, and the lines they take: rows become what the engine is told."""

from collections.abc import Collection
from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection, RowMapping, Select, Table, bindparam, exists, literal_column, or_, select, union_all

from dialer.domain.billing.money import Rate
from dialer.domain.circuit_breaker import CircuitBreaker
from dialer.domain.enums import CallRequestStatus
from dialer.domain.events import GatewayOpened
from dialer.domain.plans import Call, CampaignPlan, GatewayPlan, Subscriber
from dialer.store.queries.rates import rate_of
from dialer.store.queries.selection import Selection
from dialer.store.tables import HALT_COMPLETED, SMS, CallRequest, Gateway, SmsGateway, SmsMessage, Transfer
from dialer.store.tables import Subscriber as SubscriberRow

SMS_LINES_FROM: Final = 1 << 40
"""To the engine all gateways are one kind: those for text messages have their ids from here on."""
_RECENT_MS: Final = 1_000

_requests = CallRequest.__table__
_messages = SmsMessage.__table__
_subscribers = SubscriberRow.__table__
_transfers = Transfer.__table__
_gateways = Gateway.__table__
_sms_gateways = SmsGateway.__table__
# Literals, as an index over some of the rows serves only a query that says which without a parameter.
_is_calling = _requests.c.status == literal_column(str(int(CallRequestStatus.CALLING)))
_is_on_its_way = _messages.c.ended_ms.is_(None)
_GATEWAYS: Final = Selection(select(_gateways).order_by(_gateways.c.id), _gateways.c.id)
_SMS_GATEWAYS: Final = Selection(select(_sms_gateways).order_by(_sms_gateways.c.id), _sms_gateways.c.id)
_BUSY: Final = tuple(
    Selection(select(table.c.campaign_id, table.c.user_id).where(condition).distinct(), table.c.campaign_id)
    for table, condition in ((_requests, _is_calling), (_messages, _is_on_its_way))
)
# From the rows in progress to the subscribers, never the other way: these are few, and those may be a million.
_whose_call = select(_subscribers.c.campaign_id).where(_subscribers.c.id == _requests.c.subscriber_id)
_whose_message = select(_subscribers.c.campaign_id).where(_subscribers.c.id == _messages.c.subscriber_id)
_OF_CAMPAIGN: Final = select(
    exists().where(
        _is_calling,
        or_(_requests.c.campaign_id == bindparam("campaign"), _whose_call.scalar_subquery() == bindparam("campaign")),
    ),
    exists().where(
        _is_on_its_way,
        or_(
            _messages.c.campaign_id == bindparam("campaign"), _whose_message.scalar_subquery() == bindparam("campaign")
        ),
    ),
)
_OF_SUBSCRIBER: Final = select(
    exists().where(_is_calling, _requests.c.subscriber_id == bindparam("subscriber")),
    exists().where(_is_on_its_way, _messages.c.subscriber_id == bindparam("subscriber")),
)
BUSY_SUBSCRIBERS: Final = union_all(
    select(_requests.c.subscriber_id).where(_is_calling), select(_messages.c.subscriber_id).where(_is_on_its_way)
)
"""Whoever is in a call, or has a message on its way to them, whichever campaign it runs under."""


def _recently(table: Table, started: str) -> Select[Any]:
    """When the newest of a table's rows began that went out over a gateway after some moment.

    Where the clock was put back, what is over may have begun later than now: that is past all the same.
    """
    since, ended_ms = table.c[started], table.c.ended_ms
    query = select(since).where(table.c.gateway_id == bindparam("gateway"), since > bindparam("since_ms"))
    query = query.where(or_(since <= bindparam("now_ms"), ended_ms.is_(None)))
    return query.order_by(since.desc()).limit(bindparam("most"))


# Calls that came in are nothing that the gateway has placed.
_RECENT_CALLS: Final = _recently(_requests, "started_ms").where(_requests.c.attempt > 0)
_RECENT_MESSAGES: Final = _recently(_messages, "send_date")
_RECENT_LEGS: Final = _recently(_transfers, "started_ms")


_SUBSCRIBER: Final = (
    _subscribers.c.number,
    _subscribers.c.zone,
    _subscribers.c.count_attempt,
    _subscribers.c.failure_count,
    _subscribers.c.completion_count,
    _subscribers.c.due_ms,
    _subscribers.c.full_name,
    _subscribers.c.additional_vars,
    _subscribers.c.halt_reason,
)
_IN_PROGRESS: Final = tuple(
    select(table, *_SUBSCRIBER).join(_subscribers, _subscribers.c.id == table.c.subscriber_id).where(condition)
    for table, condition in ((_requests, _is_calling), (_messages, _is_on_its_way))
)


class UnderWay(NamedTuple):
    """Whether there are calls in progress, and messages on their way."""

    calls: bool
    messages: bool


class GatewayPlaces(NamedTuple):
    """A gateway as the engine and the carrier are told of it; `parameters` is JSON text."""

    opened: GatewayOpened
    parameters: str


def line_of(campaign: RowMapping) -> int:
    """The engine's id of the gateway that a campaign goes out over."""
    if campaign["medium"] == SMS:
        return SMS_LINES_FROM + int(campaign["sms_gateway_id"])
    return int(campaign["aleg_gateway_id"])


def sms_line_of(campaign: RowMapping) -> int | None:
    """The engine's id of the gateway over which a campaign sends text messages."""
    gateway_id = campaign["sms_gateway_id"]
    return None if gateway_id is None else SMS_LINES_FROM + int(gateway_id)


def lines_of(connection: Connection, now_ms: int, among: Collection[int] | None = None) -> list[GatewayPlaces]:
    """Read all gateways, or those among some ids, with what went out over each within the last second."""
    voice = texts = None
    if among is not None:
        voice = [line for line in among if line < SMS_LINES_FROM]
        texts = [line - SMS_LINES_FROM for line in among if line >= SMS_LINES_FROM]
    found = []
    for row in _GATEWAYS.rows(connection, voice):
        plan = GatewayPlan(row["id"], row["max_channels"], row["max_cps"], row["addprefix"], row["removeprefix"])
        found.append(_places(connection, row, plan, _RECENT_CALLS, now_ms))
    for row in _SMS_GATEWAYS.rows(connection, texts):
        line = SMS_LINES_FROM + row["id"]
        plan = GatewayPlan(line, 0, row["max_cps"], row["addprefix"], row["removeprefix"])
        found.append(_places(connection, row, plan, _RECENT_MESSAGES, now_ms))
    return found


def busy_campaigns(connection: Connection, among: Collection[int] | None = None) -> dict[int, int]:
    """Find the campaigns, all or among some, that have anything in progress, and whose they are."""
    return {row["campaign_id"]: row["user_id"] for busy in _BUSY for row in busy.rows(connection, among)}


def under_way_of_campaign(connection: Connection, campaign_id: int) -> UnderWay:
    """What a campaign has under way, or anybody of its subscribers through another one that they called back."""
    return UnderWay(*map(bool, connection.execute(_OF_CAMPAIGN, {"campaign": campaign_id}).one()))


def under_way_of_subscriber(connection: Connection, subscriber_id: int) -> UnderWay:
    """What a subscriber has under way, whichever campaign it runs under."""
    return UnderWay(*map(bool, connection.execute(_OF_SUBSCRIBER, {"subscriber": subscriber_id}).one()))


def rows_in_progress(connection: Connection) -> list[RowMapping]:
    """Call requests and messages that are not over, each with its subscriber's columns, in id order."""
    found = [row for query in _IN_PROGRESS for row in connection.execute(query).mappings()]
    return sorted(found, key=lambda row: int(row["id"]))


def call_of(row: RowMapping, plan: CampaignPlan) -> Call:
    """A row of `rows_in_progress` as the engine knew it."""
    is_message = "message_id" in row
    line = row["gateway_id"]
    subscriber = _subscriber(row)
    if is_message:
        subscriber.number = row["phone_number"]  # A section may send it to somebody else.
    common: dict[str, Any] = {
        "id": row["id"],
        "plan": plan if line == plan.gateway_id else msgspec.structs.replace(plan, gateway_id=line),
        "subscriber": subscriber,
        "attempt": row["attempt"],
        "hold": row["hold"],
        "callerid": row["callerid"],
        "dialled": row["dialled_number"],
        "parameters": row["parameters"],
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
    )


def _places(
    connection: Connection, row: RowMapping, plan: GatewayPlan, attempts: Select[Any], now_ms: int
) -> GatewayPlaces:
    breaker = CircuitBreaker(row["failures"], row["rest_ms"], row["rests_until_ms"])
    if not plan.max_cps:
        return GatewayPlaces(GatewayOpened(plan, breaker=breaker), row["parameters"])
    asked = {"gateway": plan.id, "since_ms": now_ms - _RECENT_MS, "now_ms": now_ms, "most": plan.max_cps}
    recent, legs = (connection.scalars(query, asked).all() for query in (attempts, _RECENT_LEGS))
    newest = sorted((*recent, *legs))[-plan.max_cps :]
    return GatewayPlaces(GatewayOpened(plan, tuple(newest), breaker), row["parameters"])


def _subscriber(row: RowMapping) -> Subscriber:
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
    )
