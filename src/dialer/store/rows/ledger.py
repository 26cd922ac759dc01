"""The ledger: the only module that changes balances, always together with an entry that names the cause."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from sqlalchemy import Connection, bindparam, select, update

from dialer.store.database.bulk import KeyedBulk, bulk_insert
from dialer.store.tables import LedgerEntry, User

KINDS: Final = ("payment", "call", "sms", "refund")
"""The kinds of entries. A refund is money back: to the payer (negative), or to the account for a call (positive)."""

MONTHLY: Final = {"call": "calls", "sms": "texts", "refund": "refunds"}
"""The first word of the reference of an entry that sums up a month's entries of a kind, whose calls were removed."""

_add_entries = bulk_insert(LedgerEntry.__table__, "user_id", "kind", "amount", "reference", "created_date")
_move_balance = KeyedBulk(
    update(User)
    .where(User.id == bindparam("owner"))
    .values(balance=User.balance + bindparam("moved"), held=User.held + bindparam("reserved")),
    ("moved", "reserved", "owner"),
)


class Entry(NamedTuple):
    """One change of a balance in integers of 1e-5: positive into the account, negative out of it."""

    user_id: int
    kind: str
    amount: int
    reference: str
    created_date: int


def free_balance(connection: Connection, user_id: int) -> int:
    """Return the part of a balance that is not held for calls in progress, an integer of 1e-5."""
    return connection.scalar(select(User.balance - User.held).where(User.id == user_id)) or 0


def post_calls(connection: Connection, entries: Sequence[Entry], reserved: dict[int, int]) -> None:
    """Add entries, and change balances and the amounts held, given by user. The caller has checked the balances."""
    moved: dict[int, int] = dict.fromkeys(reserved, 0)
    for entry in entries:
        moved[entry.user_id] = moved.get(entry.user_id, 0) + entry.amount
    _add_entries.put(connection, entries)
    _move_balance.put(connection, [(amount, reserved.get(owner, 0), owner) for owner, amount in moved.items()])
