"""Balances and holds: the sums of the ledger, and of the calls and messages in progress."""

from collections import Counter
from collections.abc import Iterator

from sqlalchemy import ColumnElement, Connection, Table, func, select

from dialer.domain.billing.money import format_money
from dialer.domain.enums import CallRequestStatus, TransferStatus
from dialer.store.reconciliation.differences import ROWS_AT_ONCE, Difference
from dialer.store.tables import CallRequest, LedgerEntry, SmsMessage, Transfer, User

_users = User.__table__
_entries = LedgerEntry.__table__
_requests = CallRequest.__table__
_transfers = Transfer.__table__
_messages = SmsMessage.__table__
_is_calling = _requests.c.status == CallRequestStatus.CALLING
_is_on_its_way = _messages.c.ended_ms.is_(None)
_is_open = _is_calling & (_transfers.c.status != TransferStatus.OVER)


def audit_accounts(connection: Connection) -> Iterator[Difference]:
    """Yield balances that are not the sum of their entries, wrong holds, and balances below their holds."""
    held = _held_by_user(connection)
    entered = select(func.coalesce(func.sum(_entries.c.amount), 0)).where(_entries.c.user_id == _users.c.id)
    query = select(_users.c.id, _users.c.balance, _users.c.held, entered.scalar_subquery()).order_by(_users.c.id)
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
    yield from _idle_holds(connection, "callrequest", _requests, ~_is_calling)
    yield from _idle_holds(connection, "sms-message", _messages, ~_is_on_its_way)
    query = (
        select(_transfers.c.id)
        .join(_requests, _requests.c.id == _transfers.c.callrequest_id)
        .where(~_is_calling, _transfers.c.status != TransferStatus.OVER)
        .order_by(_transfers.c.id)
    )
    for transfer_id in connection.scalars(query.execution_options(yield_per=ROWS_AT_ONCE)):
        yield Difference(f"transfer {transfer_id}", "status", "open", "over, as its call is")


def _held_by_user(connection: Connection) -> Counter[int]:
    """Return the sum of the holds in progress by user: one number a user in memory."""
    held: Counter[int] = Counter()
    calls = select(_requests.c.user_id, func.sum(_requests.c.hold)).where(_is_calling)
    legs = (
        select(_requests.c.user_id, func.sum(_transfers.c.hold))
        .join(_requests, _requests.c.id == _transfers.c.callrequest_id)
        .where(_is_open)
    )
    messages = select(_messages.c.user_id, func.sum(_messages.c.hold)).where(_is_on_its_way)
    for query, owner in ((calls, _requests.c.user_id), (legs, _requests.c.user_id), (messages, _messages.c.user_id)):
        for user_id, amount in connection.execute(query.group_by(owner)):
            held[user_id] += amount
    return held


def _idle_holds(connection: Connection, path: str, table: Table, is_over: ColumnElement[bool]) -> Iterator[Difference]:
    query = select(table.c.id, table.c.hold).where(is_over, table.c.hold != 0).order_by(table.c.id)
    for attempt_id, hold in connection.execute(query.execution_options(yield_per=ROWS_AT_ONCE)):
        yield Difference(f"{path} {attempt_id}", "hold", format_money(hold), f"{format_money(0)}, as it is over")
