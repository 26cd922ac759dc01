"""The ledger: the only place where a balance moves, together with the entry that says why."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, select, update

from dialer.store.bulk import Bulk, bulk_insert
from dialer.store.tables import Cdr, LedgerEntry, User

KINDS: Final = ("payment", "call", "sms", "refund")
"""What an entry may be. A refund is money given back: to the payer (negative), or to the account for a call."""

_cdrs = Cdr.__table__
_users = User.__table__
_entries = LedgerEntry.__table__
_add_entries = bulk_insert(_entries, "user_id", "kind", "amount", "reference", "created_date")
_move_balance = Bulk(
    update(_users)
    .where(_users.c.id == bindparam("owner"))
    .values(balance=_users.c.balance + bindparam("moved"), held=_users.c.held + bindparam("reserved")),
    ("moved", "reserved", "owner"),
)


class InsufficientFundsError(Exception):
    """Raised when an entry would take what is free of a balance below zero. Nothing was entered."""


class UnknownCallError(LookupError):
    """Raised when there is no such call."""


class NothingToRefundError(Exception):
    """Raised when a call has cost nothing, or its price has been given back; the message says which."""


class Entry(NamedTuple):
    """One change of one balance: positive into the account, negative out of it, in integers of 1e-5."""

    user_id: int
    kind: str
    amount: int
    reference: str
    created_date: int


def post(connection: Connection, *, user_id: int, kind: str, amount: int, reference: str, now_ms: int) -> None:
    """Enter one change and move the balance by it.

    Raises:
        InsufficientFundsError: less than that is free, calls in progress considered.
    """
    free = connection.scalar(select(_users.c.balance - _users.c.held).where(_users.c.id == user_id)) or 0
    if amount < 0 and free + amount < 0:
        raise InsufficientFundsError
    post_calls(connection, [Entry(user_id, kind, amount, reference, now_ms)], {})


def refund_call(connection: Connection, cdr_id: int, now_ms: int) -> int:
    """Give the price of a call back to who paid for it; the id of the entry.

    Raises:
        UnknownCallError: there is no such CDR.
        NothingToRefundError: it has cost nothing, or was refunded before.
    """
    call = connection.execute(select(_cdrs).where(_cdrs.c.id == cdr_id)).mappings().one_or_none()
    if call is None:
        raise UnknownCallError
    if call["call_cost"] == 0:
        raise NothingToRefundError("This call has cost nothing.")
    reference = f"refund:{call['callid']}"
    entry = select(_entries.c.id).where(_entries.c.reference == reference)
    if connection.scalar(entry) is not None:
        raise NothingToRefundError("This call has been refunded already.")
    post_calls(connection, [Entry(call["user_id"], "refund", call["call_cost"], reference, now_ms)], {})
    return int(connection.execute(entry).scalar_one())


def post_calls(connection: Connection, entries: Sequence[Entry], reserved: dict[int, int]) -> None:
    """Enter many changes, and change what is held for calls in progress, by user. Holds have been checked before."""
    moved: dict[int, int] = dict.fromkeys(reserved, 0)
    for entry in entries:
        moved[entry.user_id] = moved.get(entry.user_id, 0) + entry.amount
    _add_entries.run(connection, entries)
    _move_balance.run(connection, [(amount, reserved.get(owner, 0), owner) for owner, amount in moved.items()])
