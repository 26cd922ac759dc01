"""Calls in progress and messages on their way, and the lines they take: rows become what the engine is told."""

from typing import Any, Final, NamedTuple

import msgspec
from sqlalchemy import Connection, RowMapping, Table, literal_column, select

from dialer.domain.enums import CallRequestStatus
from dialer.domain.events import GatewayOpened
from dialer.domain.money import Rate
from dialer.domain.plans import Call, CampaignPlan, GatewayPlan, Subscriber
from dialer.domain.resting import Rest
from dialer.store.models import SMS, CallRequest, Gateway, SmsGateway, SmsMessage, Transfer
from dialer.store.models import Subscriber as SubscriberRow
from dialer.store.rates import rate_of

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


class Line(NamedTuple):
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


def lines_of(connection: Connection, now_ms: int) -> list[Line]:
    """All gateways, with what went out over each within the last second."""
    voice = connection.execute(select(_gateways).order_by(_gateways.c.id)).mappings()
    texts = connection.execute(select(_sms_gateways).order_by(_sms_gateways.c.id)).mappings()
    found = []
    for row in voice:
        plan = GatewayPlan(row["id"], row["max_channels"], row["max_cps"], row["addprefix"], row["removeprefix"])
        found.append(_line(connection, row, plan, _requests, "started_ms", now_ms))
    for row in texts:
        line = SMS_LINES_FROM + row["id"]
        plan = GatewayPlan(line, 0, row["max_cps"], row["addprefix"], row["removeprefix"])
        found.append(_line(connection, row, plan, _messages, "send_date", now_ms))
    return found


def busy_campaigns(connection: Connection) -> dict[int, int]:
    """The campaigns that have anything in progress, and whose they are."""
    calling = select(_requests.c.campaign_id, _requests.c.user_id).where(_is_calling).distinct()
    sending = select(_messages.c.campaign_id, _messages.c.user_id).where(_is_on_its_way).distinct()
    return {row[0]: row[1] for query in (calling, sending) for row in connection.execute(query)}


def rows_in_progress(connection: Connection) -> list[RowMapping]:
    """Call requests and messages that are not over, each with its subscriber's columns, in id order."""
    found: list[RowMapping] = []
    for table, condition in ((_requests, _is_calling), (_messages, _is_on_its_way)):
        query = (
            select(table, *_subscriber_columns())
            .join(_subscribers, _subscribers.c.id == table.c.subscriber_id)
            .where(condition)
        )
        found.extend(connection.execute(query).mappings())
    return sorted(found, key=lambda row: int(row["id"]))


def call_of(row: RowMapping, plan: CampaignPlan) -> Call:
    """A row of `rows_in_progress` as the engine knew it."""
    is_text = "message_id" in row
    line = row["gateway_id"]
    subscriber = _subscriber(row)
    if is_text:
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
    if is_text:
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


def _line(
    connection: Connection, row: RowMapping, plan: GatewayPlan, attempts: Table, started: str, now_ms: int
) -> Line:
    rest = Rest(row["failures"], row["rest_ms"], row["rests_until_ms"])
    if not plan.max_cps:
        return Line(GatewayOpened(plan, rest=rest), row["parameters"])
    query = select(attempts.c[started]).where(
        attempts.c.gateway_id == plan.id, attempts.c[started] > now_ms - _RECENT_MS
    )
    if attempts is _requests:
        query = query.where(attempts.c.attempt > 0)  # Calls that came in are nothing that the gateway has placed.
    recent = connection.scalars(query.order_by(attempts.c[started].desc()).limit(plan.max_cps)).all()
    legs = connection.scalars(
        select(_transfers.c.started_ms)
        .where(_transfers.c.gateway_id == plan.id, _transfers.c.started_ms > now_ms - _RECENT_MS)
        .order_by(_transfers.c.started_ms.desc())
        .limit(plan.max_cps)
    )
    newest = sorted((*recent, *legs))[-plan.max_cps :]
    return Line(GatewayOpened(plan, tuple(newest), rest), row["parameters"])


def _subscriber_columns() -> list[Any]:
    return [
        _subscribers.c.number,
        _subscribers.c.zone,
        _subscribers.c.count_attempt,
        _subscribers.c.failure_count,
        _subscribers.c.completion_count,
        _subscribers.c.due_ms,
        _subscribers.c.full_name,
        _subscribers.c.additional_vars,
    ]


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
    )
