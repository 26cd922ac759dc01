"""Queries of callers: who calls in, and whether a call that came in is over already."""

from typing import Final

from sqlalchemy import Connection, bindparam, func, select

from dialer.domain.calls.call_effects import FindCaller
from dialer.domain.calls.call_events import CallerFound
from dialer.domain.calls.plans import NO_SUBSCRIBER
from dialer.domain.calls.plans import Subscriber as Caller
from dialer.domain.words.enums import Cause, LegType
from dialer.store.tables import CallRequest, Cdr, Subscriber

_CALLER: Final = select(
    Subscriber.id,
    Subscriber.number,
    Subscriber.zone,
    Subscriber.contact_id,
    Subscriber.full_name,
    Subscriber.additional_vars,
    Subscriber.phonebook_id,
).where(Subscriber.campaign_id == bindparam("campaign"), Subscriber.number == bindparam("number"))
_LOWEST: Final = select(func.min(CallRequest.attempt)).where(CallRequest.subscriber_id == bindparam("subscriber"))
_CAUSE: Final = select(Cdr.hangup_cause_q850).where(Cdr.callid == bindparam("callid"), Cdr.leg_type == LegType.A_LEG)


def find_caller(connection: Connection, request: FindCaller) -> CallerFound:
    """Return the subscriber of a campaign who has the caller's number, and the number of their call.

    Anybody else is returned without a subscriber, and their calls are not numbered.
    """
    received, did_id = request.received, request.did_id
    asked = {"campaign": request.campaign_id, "number": request.number}
    row = connection.execute(_CALLER, asked).one_or_none() if request.number else None
    if row is None:
        return CallerFound(received, did_id, Caller(NO_SUBSCRIBER, request.number, ""), -1)
    lowest = connection.scalar(_LOWEST, {"subscriber": row.id})
    return CallerFound(received, did_id, Caller(**row._asdict()), min(lowest or 0, 0) - 1)


def cause_of(connection: Connection, callid: str) -> Cause | None:
    """Return the cause with which a call has ended; None if it is in progress or unknown."""
    found = connection.scalar(_CAUSE, {"callid": callid})
    return None if found is None else Cause(found)
