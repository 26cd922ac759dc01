"""The entries of the ledger: each names its cause, which must exist."""

from collections.abc import Iterator, Mapping
from typing import Final

from sqlalchemy import Connection, RowMapping, func, literal_column, select
from sqlalchemy.orm import aliased

from dialer.store.backends.expressions import whole_number
from dialer.store.reconciliation.differences import MISSING, ROWS_AT_ONCE, Difference
from dialer.store.rows.ledger import MONTHLY
from dialer.store.tables import Cdr, LedgerEntry, Payment

_called = aliased(Cdr, name="called")
_refunded = aliased(Cdr, name="refunded")
_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "payment": frozenset({"payment", "refund"}),
    "call": frozenset({"call"}),
    "sms": frozenset({"sms"}),
    "refund": frozenset({"refund"}),
    **{word: frozenset({kind}) for kind, word in MONTHLY.items()},
}
"""Kinds that an entry may have, by the first word of its reference."""
_NAMED: Final = frozenset({"payment", "call", "refund"})
"""Causes that must exist."""


def audit_entries(connection: Connection) -> Iterator[Difference]:
    """Yield entries without a cause.

    Messages may be deleted with their campaign, and old calls are removed. So entries for messages, and those that sum
    up removed calls, are not checked for their cause.
    """
    name_of = {cause: func.substr(LedgerEntry.reference, literal_column(str(len(cause) + 2))) for cause in _KINDS}
    query = (
        select(
            LedgerEntry.__table__,
            _called.id.label("call"),
            _refunded.id.label("refund"),
            Payment.id.label("payment"),
        )
        .select_from(LedgerEntry)
        .outerjoin(_called, _called.callid == name_of["call"])
        .outerjoin(_refunded, _refunded.callid == name_of["refund"])
        .outerjoin(Payment, Payment.id == whole_number(name_of["payment"]))
        .order_by(LedgerEntry.id)
    )
    for row in connection.execute(query.execution_options(yield_per=ROWS_AT_ONCE)).mappings():
        yield from _cause(row)


def _cause(row: RowMapping) -> Iterator[Difference]:
    record, (cause, _, name) = f"ledger entry {row['id']}", row["reference"].partition(":")
    if cause not in _KINDS:
        yield Difference(record, "reference", row["reference"], f"one of {', '.join(_KINDS)}, a colon and a name")
    elif row["kind"] not in _KINDS[cause]:
        yield Difference(record, "kind", row["kind"], f"{' or '.join(sorted(_KINDS[cause]))}, as its reference says")
    elif cause in _NAMED and (row[cause] is None or (cause == "payment" and str(row["payment"]) != name)):
        yield Difference(record, f"the cause of {row['reference']}", MISSING, "there")
