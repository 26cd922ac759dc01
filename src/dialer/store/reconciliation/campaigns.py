"""The counters of campaigns: attempts, answers, completed surveys, and cost."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, and_, exists, func, or_, select

from dialer.domain.billing.money import format_money
from dialer.domain.words.enums import CallRequestStatus, LegType, SubscriberStatus
from dialer.store.reconciliation.differences import ROWS_AT_ONCE, Difference
from dialer.store.rows.old_calls import removed_before_ms
from dialer.store.tables import SMS, CallRequest, Campaign, Cdr, LedgerEntry, SmsMessage, Subscriber

_COUNTERS: Final = ("calls", "answered", "completed", "cost")


class Count(NamedTuple):
    """The range of a counter that its rows allow: `least` to `most`, or without an upper limit if `most` is None."""

    least: int
    most: int | None

    def allows(self, value: int) -> bool:
        """Return whether the true value of a counter may be this one."""
        return self.least <= value and (self.most is None or value <= self.most)


def audit_campaigns(connection: Connection) -> Iterator[Difference]:
    """Yield counters that do not match the attempts of their campaign.

    Deleted subscribers take their attempts with them, and old calls are removed. So the counters of their campaign may
    be higher than its rows.
    """
    removed_ms = removed_before_ms(connection)
    query = select(Campaign.__table__).order_by(Campaign.id).execution_options(yield_per=ROWS_AT_ONCE)
    for row in connection.execute(query).mappings():
        counts = _counts(connection, row, removed_ms)
        for name in _COUNTERS:
            if not counts[name].allows(row[name]):
                yield _difference(row, name, counts[name])


def _difference(row: RowMapping, name: str, count: Count) -> Difference:
    show = format_money if name == "cost" else str
    expected = show(count.least)
    if count.most is None:
        expected = f"at least {expected}"
    elif count.most > count.least:
        expected = f"{expected} to {show(count.most)}"
    return Difference(f"campaign {row['id']}", name, show(row[name]), expected)


def _counts(connection: Connection, row: RowMapping, removed_ms: int) -> dict[str, Count]:
    campaign_id, is_text = row["id"], row["medium"] == SMS
    has_all = _has_all_messages if is_text else _has_all_calls
    is_whole = row["created_date"] >= removed_ms and has_all(connection, row)

    def ask(query: Select[Any], doubtful: int = 0) -> Count:
        found = int(connection.scalar(query) or 0)
        return Count(found, found + doubtful if is_whole else None)

    completed = select(func.count()).where(
        Subscriber.campaign_id == campaign_id, Subscriber.status == SubscriberStatus.COMPLETED
    )
    spent = _cost(connection, campaign_id)
    always = {"completed": ask(completed), "cost": Count(spent, spent if is_whole else None)}
    if is_text:
        messages = select(func.count()).where(
            SmsMessage.campaign_id == campaign_id, SmsMessage.callrequest_id.is_(None)
        )
        return {
            "calls": ask(messages),
            "answered": ask(messages.where(SmsMessage.delivery_date.is_not(None))),
            **always,
        }
    calls = select(func.count()).where(CallRequest.campaign_id == campaign_id, CallRequest.attempt > 0)
    doubtful = int(connection.scalar(_ended(campaign_id).where(_was_cut_short())) or 0)
    return {"calls": ask(calls), "answered": ask(_ended(campaign_id).where(_was_answered()), doubtful), **always}


def _has_all_calls(connection: Connection, row: RowMapping) -> bool:
    """Return whether every CDR still has its call request. Only requests are deleted with their subscriber."""
    lost = select(exists().where(Cdr.campaign_id == row["id"], Cdr.callrequest_id.is_(None)))
    return not connection.scalar(lost)


def _has_all_messages(connection: Connection, row: RowMapping) -> bool:
    """Return whether no message of the campaign can have been deleted with its subscriber.

    The ledger keeps what was paid for it. Messages that were free leave nothing behind.
    """
    charged = select(func.sum(LedgerEntry.amount)).where(
        LedgerEntry.user_id == row["user_id"], LedgerEntry.kind == "sms"
    )
    paid = select(func.sum(SmsMessage.cost)).where(SmsMessage.user_id == row["user_id"])
    is_free = row["cost"] == 0 and row["calls"] > 0
    return not is_free and int(connection.scalar(charged) or 0) + int(connection.scalar(paid) or 0) == 0


def _cost(connection: Connection, campaign_id: int) -> int:
    calls = select(func.sum(Cdr.call_cost)).where(Cdr.campaign_id == campaign_id)
    messages = select(func.sum(SmsMessage.cost)).where(SmsMessage.campaign_id == campaign_id)
    return int(connection.scalar(calls) or 0) + int(connection.scalar(messages) or 0)


def _ended(campaign_id: int) -> Select[Any]:
    """Return a query that counts the finished outgoing calls of a campaign, joined with the CDRs of their A-legs."""
    return (
        select(func.count())
        .join_from(CallRequest, Cdr, Cdr.callrequest_id == CallRequest.id)
        .where(CallRequest.campaign_id == campaign_id, CallRequest.attempt > 0, Cdr.leg_type == LegType.A_LEG)
    )


def _was_answered() -> ColumnElement[bool]:
    """Return a condition for calls that were answered.

    A call that ended in the instant of its answer has a `billsec` of 0. Its status or its reason shows the answer.
    """
    is_success = CallRequest.status == CallRequestStatus.SUCCESS
    return or_(Cdr.billsec > 0, is_success, CallRequest.status_reason == "machine")


def _was_cut_short() -> ColumnElement[bool]:
    """Return a condition for calls that were aborted with a `billsec` of 0.

    Such a call may have been answered just before: its rows do not tell.
    """
    return and_(Cdr.billsec == 0, CallRequest.status == CallRequestStatus.ABORT)
