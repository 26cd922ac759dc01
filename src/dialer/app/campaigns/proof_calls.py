"""The calls and texts of a campaign, in the archive that proves it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, Select, func, select

from dialer.app.campaigns.proof_facts import (
    ROWS_AT_ONCE,
    Batches,
    ProvedCampaign,
    Read,
    all_of,
    moments,
    pages,
    windows,
)
from dialer.domain.formats.proof_archive import Record
from dialer.domain.numbers.spellings import ERASED
from dialer.domain.words.contact_words import CALL, TEXT
from dialer.domain.words.enums import LegType
from dialer.store.backends.expressions import without_index
from dialer.store.queries.contact_rules import state_in
from dialer.store.queries.in_progress import IS_CALLING
from dialer.store.tables import Agent, CallDisposition, CallRequest, Cdr, Queue, SmsMessage, Subscriber, Transfer

CALLED: Final = "called"
_OVER: Final[Select[*tuple[Any, ...]]] = (
    select(
        Cdr.id,
        *(Cdr.callid, Cdr.phone_number, Cdr.callerid, Cdr.starting_date, Cdr.duration, Cdr.billsec),
        *(Cdr.hangup_cause_q850, Cdr.amd_status, Cdr.attempt, Cdr.gateway_id, Cdr.zone, Cdr.is_abandoned),
        *(CallRequest.dialled_number, CallRequest.is_simulated, CallRequest.status, CallRequest.amd),
        *(CallDisposition.disposition, CallDisposition.call_back_ms, Subscriber.additional_vars),
    )
    .outerjoin(CallRequest, CallRequest.id == Cdr.callrequest_id)
    .outerjoin(CallDisposition, CallDisposition.callrequest_id == Cdr.callrequest_id)
    .outerjoin(Subscriber, Subscriber.id == Cdr.subscriber_id)
    .order_by(Cdr.id)
    .limit(ROWS_AT_ONCE)
)
_CALLEES: Final[Select[*tuple[Any, ...]]] = select(
    *(CallRequest.id, CallRequest.phone_number, CallRequest.callerid, CallRequest.dialled_number)
)
_ERASED: Final[dict[str, Any]] = {"phone_number": ERASED, "callerid": ERASED, "dialled_number": ""}
_DIALS: Final[Select[*tuple[Any, ...]]] = (
    select(Cdr.id, Cdr.callid, Cdr.phone_number, Cdr.starting_date, Cdr.consent_id).order_by(Cdr.id).limit(ROWS_AT_ONCE)
)
_MADE_TEXTS: Final[Select[*tuple[Any, ...]]] = select(
    *(SmsMessage.id, SmsMessage.message_id, SmsMessage.phone_number, SmsMessage.callerid, SmsMessage.send_date),
    *(SmsMessage.delivery_date, SmsMessage.status, SmsMessage.text_message, SmsMessage.attempt),
    *(SmsMessage.gateway_id, SmsMessage.is_simulated, SmsMessage.callrequest_id),
    SmsMessage.consent_id,
)


def calls_in_progress(connection: Connection, campaign_id: int) -> tuple[RowMapping, ...]:
    """Return the calls of a campaign in progress, without numbers, which may be erased before they are told."""
    columns = (CallRequest.id, CallRequest.callid, CallRequest.started_ms)
    more = (CallRequest.attempt, CallRequest.gateway_id, CallRequest.is_simulated, CallRequest.consent_id)
    query = select(*columns, *more).where(CallRequest.campaign_id == campaign_id, IS_CALLING)
    return tuple(all_of(connection, query.order_by(CallRequest.id)))


def call_records(read: Read, campaign: ProvedCampaign) -> Batches:
    """Yield each call of the campaign: those that are over, and then those in progress."""
    purpose = campaign.row["purpose"]
    for rows in _over(read, campaign, _OVER):
        yield [_call(row, purpose) for row in rows]
    for calls in _in_progress(read, campaign):
        yield [_call_in_progress(call, purpose) for call in calls]


def dial_records(read: Read, campaign: ProvedCampaign) -> Batches:
    """Yield the decision to call, or to send a text, for each dial and each text of the campaign itself."""
    for rows in _over(read, campaign, _DIALS.where(Cdr.attempt > 0)):
        yield [_dial(row, CALL, "starting_date", "callid") for row in rows]
    for calls in _in_progress(read, campaign):
        yield [_dial(call, CALL, "started_ms", "callid") for call in calls if call["attempt"] > 0]
    for rows in _texts(read, campaign):
        yield [_dial(row, TEXT, "send_date", "message_id") for row in rows if row["callrequest_id"] is None]


def message_records(read: Read, campaign: ProvedCampaign) -> Batches:
    """Yield each text message of the campaign, also those that its survey sent within calls."""
    for rows in _texts(read, campaign):
        yield [
            {
                "message_id": row["message_id"],
                "phone_number": row["phone_number"],
                **moments(row, send_date="send_date", delivery_date="delivery_date"),
                "callerid": row["callerid"],
                "purpose": campaign.row["purpose"],
                "attempt": row["attempt"],
                "gateway": row["gateway_id"],
                "status": row["status"],
                "text_message": row["text_message"],
                "is_within_call": row["callrequest_id"] is not None,
                "is_simulated": bool(row["is_simulated"]),
            }
            for row in rows
        ]


def transfer_records(read: Read, campaign: ProvedCampaign) -> Batches:
    """Yield each transfer of a call of the campaign, with the queue, agent or number to which it went."""
    columns = (Transfer.place, Transfer.phone_number, Transfer.reason, Transfer.joined_ms, Transfer.started_ms)
    more = (Transfer.answered_ms, Transfer.ended_ms, Transfer.is_abandoned, CallRequest.callid)
    query: Select[*tuple[Any, ...]] = (
        select(*columns, *more, Queue.name.label("queue"), Agent.name.label("agent"))
        .join(CallRequest, CallRequest.id == Transfer.callrequest_id)
        .outerjoin(Queue, Queue.id == Transfer.queue_id)
        .outerjoin(Agent, Agent.id == Transfer.agent_id)
        .where(CallRequest.started_ms <= campaign.made_ms)
        .order_by(Transfer.callrequest_id, Transfer.place)
    )
    of_calls = _windows_of(read, campaign, CallRequest, query)
    for rows in of_calls:
        yield [
            {
                "callid": row["callid"],
                "place": row["place"],
                "queue": row["queue"],
                "agent": row["agent"],
                "phone_number": row["phone_number"],
                **moments(row, joined="joined_ms", dialled="started_ms", answered="answered_ms", ended="ended_ms"),
                "is_abandoned": bool(row["is_abandoned"]),
                "reason": row["reason"],
            }
            for row in rows
        ]


def _over(read: Read, campaign: ProvedCampaign, query: Select[*tuple[Any, ...]]) -> Iterator[Sequence[RowMapping]]:
    """Yield the calls of a campaign that were over when its archive was begun.

    Workers take ids in blocks, so an id does not tell: a call that ends meanwhile may have one below the last.
    """
    theirs = query.where(
        *(Cdr.campaign_id == campaign.id, Cdr.leg_type == LegType.A_LEG, Cdr.starting_date <= campaign.made_ms),
        Cdr.id <= campaign.last_ids[Cdr.__tablename__],
    )
    going_on = {call["callid"] for call in campaign.in_progress}
    for rows in pages(read, lambda connection, after: all_of(connection, theirs.where(Cdr.id > after)), "id"):
        yield [row for row in rows if row["callid"] not in going_on]


def _in_progress(read: Read, campaign: ProvedCampaign) -> Iterator[list[dict[str, Any]]]:
    """Yield the calls that were in progress when the archive was begun, with their numbers as they are stored now."""
    for start in range(0, len(campaign.in_progress), ROWS_AT_ONCE):
        calls = campaign.in_progress[start : start + ROWS_AT_ONCE]
        asked = _CALLEES.where(CallRequest.id.in_([call["id"] for call in calls]))
        numbers = {row["id"]: row for row in read(partial(all_of, query=asked))}
        yield [_with_numbers(call, numbers.get(call["id"])) for call in calls]


def _with_numbers(call: RowMapping, row: RowMapping | None) -> dict[str, Any]:
    numbers = _ERASED if row is None else {name: row[name] for name in _ERASED}
    return {**{str(name): value for name, value in call.items()}, **numbers}


def _texts(read: Read, campaign: ProvedCampaign) -> Iterator[Sequence[RowMapping]]:
    theirs = _MADE_TEXTS.where(SmsMessage.send_date <= campaign.made_ms).order_by(SmsMessage.id)
    return _windows_of(read, campaign, SmsMessage, theirs)


def _windows_of(
    read: Read, campaign: ProvedCampaign, table: type[CallRequest | SmsMessage], query: Select[*tuple[Any, ...]]
) -> Iterator[Sequence[RowMapping]]:
    """Yield the rows that belong to the calls or texts of a campaign, by the ids of these."""
    # Without the index of ids, which would be walked through the rows of others up to the first of the campaign.
    identity = without_index(table.id)
    ends = select(func.min(identity), func.max(identity)).where(table.campaign_id == campaign.id)
    found: list[int | None] = read(lambda connection: list(connection.execute(ends).one()))
    first, last = found
    if first is None or last is None:
        return
    last = min(last, campaign.last_ids[table.__tablename__])
    # By the ids alone, as the index of campaigns would be read from its beginning each time.
    narrow = query.where(without_index(table.campaign_id) == campaign.id)
    yield from windows(
        read,
        lambda connection, start, end: all_of(connection, narrow.where(table.id >= start, table.id < end)),
        first,
        last,
    )


def _call(row: RowMapping, purpose: str) -> Record:
    return {
        "callid": row["callid"],
        "phone_number": row["phone_number"],
        **moments(row, starting_date="starting_date"),
        "callerid": row["callerid"],
        "purpose": purpose,
        "dialled_number": row["dialled_number"] or "",
        "attempt": row["attempt"],
        "came_in": row["attempt"] < 0,
        "gateway": row["gateway_id"],
        "is_simulated": None if row["is_simulated"] is None else bool(row["is_simulated"]),
        "is_over": True,
        "duration": row["duration"],
        "billsec": row["billsec"],
        "hangup_cause": row["hangup_cause_q850"],
        "amd_status": row["amd_status"],
        "amd_behavior": row["amd"],
        "is_abandoned": bool(row["is_abandoned"]),
        "disposition": row["disposition"] or "",
        **moments(row, call_back="call_back_ms"),
        "zone": row["zone"],
        "state": state_in(row["additional_vars"] or ""),
    }


def _call_in_progress(row: Mapping[str, Any], purpose: str) -> Record:
    return {
        "callid": row["callid"],
        "phone_number": row["phone_number"],
        **moments(row, starting_date="started_ms"),
        "callerid": row["callerid"],
        "purpose": purpose,
        "dialled_number": row["dialled_number"],
        "attempt": row["attempt"],
        "came_in": row["attempt"] < 0,
        "gateway": row["gateway_id"],
        "is_simulated": bool(row["is_simulated"]),
        "is_over": False,
    }


def _dial(row: Mapping[Any, Any], medium: str, at: str, name: str) -> Record:
    return {
        **moments(row, at=at),
        "phone_number": row["phone_number"],
        "decision": CALLED,
        "medium": medium,
        name: row[name],
        "consent": row["consent_id"],
    }
