"""Balances and holds: the sums of the ledger, and of the calls and messages in progress."""

from collections import Counter
from collections.abc import Iterator

from sqlalchemy import ColumnElement, Connection, Table, func, select

from dialer.domain.billing.money import format_money
from dialer.domain.words.enums import CallRequestStatus, TransferStatus
from dialer.store.reconciliation.differences import ROWS_AT_ONCE, Difference
from dialer.store.tables import CallRequest, LedgerEntry, SmsMessage, Transfer, User

_is_calling = CallRequest.status == CallRequestStatus.CALLING
_is_on_its_way = SmsMessage.ended_ms.is_(None)
_is_open = _is_calling & (Transfer.status != TransferStatus.OVER)


def audit_accounts(connection: Connection) -> Iterator[Difference]:
    """Yield balances that are not the sum of their entries, wrong holds, and balances below their holds."""
    held = _held_by_user(connection)
    entered = select(func.coalesce(func.sum(LedgerEntry.amount), 0)).where(LedgerEntry.user_id == User.id)
    query = select(User.id, User.balance, User.held, entered.scalar_subquery()).order_by(User.id)
    for user_id, balance, reserved, total in connection.execute(query.execution_options(yield_per=ROWS_AT_ONCE)):
        user = f"user {user_id}"
        if balance != total:
            yield Difference(user, "balance", format_money(balance), f"{format_money(total)}, the sum of its entries")
        if reserved != held[user_id]:
            expected = f"{format_money(held[user_id])}, the sum of the holds in progress"
            yield Difference(user, "held", format_money(reserved), expected)
        if balance < reserved:
            yield Difference(
                user, "balance", format_money(balance), f"at least {format_money(reserved)}, which is held"
            )


def audit_holds(connection: Connection) -> Iterator[Difference]:
    """Yield finished attempts that still hold money, and open transfers of finished calls."""
    yield from _idle_holds(connection, "callrequest", CallRequest.__table__, ~_is_calling)
    yield from _idle_holds(connection, "sms-message", SmsMessage.__table__, ~_is_on_its_way)
    query = (
        select(Transfer.id)
        .join(CallRequest, CallRequest.id == Transfer.callrequest_id)
        .where(~_is_calling, Transfer.status != TransferStatus.OVER)
        .order_by(Transfer.id)
    )
    for transfer_id in connection.scalars(query.execution_options(yield_per=ROWS_AT_ONCE)):
        yield Difference(f"transfer {transfer_id}", "status", "open", "over, as its call is")


def _held_by_user(connection: Connection) -> Counter[int]:
    """Return the sum of the holds in progress by user: one number a user in memory."""
    held: Counter[int] = Counter()
    calls = select(CallRequest.user_id, func.sum(CallRequest.hold)).where(_is_calling)
    legs = (
        select(CallRequest.user_id, func.sum(Transfer.hold))
        .join(CallRequest, CallRequest.id == Transfer.callrequest_id)
        .where(_is_open)
    )
    messages = select(SmsMessage.user_id, func.sum(SmsMessage.hold)).where(_is_on_its_way)
    for query, owner in ((calls, CallRequest.user_id), (legs, CallRequest.user_id), (messages, SmsMessage.user_id)):
        for user_id, amount in connection.execute(query.group_by(owner)):
            held[user_id] += amount
    return held


def _idle_holds(connection: Connection, path: str, table: Table, is_over: ColumnElement[bool]) -> Iterator[Difference]:
    query = select(table.c.id, table.c.hold).where(is_over, table.c.hold != 0).order_by(table.c.id)
    for attempt_id, hold in connection.execute(query.execution_options(yield_per=ROWS_AT_ONCE)):
        yield Difference(f"{path} {attempt_id}", "hold", format_money(hold), f"{format_money(0)}, as it is over")
