"""Charges: the cost of every call, message and payment, and its entry in the ledger."""

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, RowMapping, Select, SQLColumnExpression, String, literal, select
from sqlalchemy.orm import aliased

from dialer.domain.billing.money import format_money
from dialer.domain.calls.plans import MESSAGES_OUT
from dialer.store.queries.rates import rate_of
from dialer.store.reconciliation.differences import MISSING, ROWS_AT_ONCE, Difference
from dialer.store.tables import Cdr, LedgerEntry, Payment, SmsMessage

_PAID: Final = frozenset(map(str, MESSAGES_OUT))


def audit_calls(connection: Connection) -> Iterator[Difference]:
    """Yield CDRs whose figures contradict each other, or whose charge or refund differs from the ledger."""
    entry, refund = aliased(LedgerEntry, name="entry"), aliased(LedgerEntry, name="refund")
    query = (
        select(Cdr.__table__, *_told(entry, "entry"), *_told(refund, "refund"))
        .outerjoin(entry, entry.reference == literal("call:") + Cdr.callid)
        .outerjoin(refund, refund.reference == literal("refund:") + Cdr.callid)
    )
    for row in _rows(connection, query, Cdr.id):
        record = f"cdr {row['id']}"
        yield from _figures(record, row)
        yield from _entry(record, f"call:{row['callid']}", row, _charge(row["call_cost"], "call"))
        if row["refund_amount"] is not None:
            yield from _entry(record, f"refund:{row['callid']}", row, (row["call_cost"], "refund"), name="refund")


def audit_messages(connection: Connection) -> Iterator[Difference]:
    """Yield messages with an impossible cost, or whose charge differs from the ledger."""
    entry = aliased(LedgerEntry, name="entry")
    reference = literal("sms:") + SmsMessage.message_id
    query = select(SmsMessage.__table__, *_told(entry, "entry")).outerjoin(entry, entry.reference == reference)
    for row in _rows(connection, query, SmsMessage.id):
        record, cost = f"sms-message {row['id']}", row["cost"]
        has_left = row["ended_ms"] is not None and row["status"] in _PAID
        if cost and not has_left:
            yield Difference(record, "cost", format_money(cost), f"{format_money(0)}, as it has not left")
        elif cost % row["parts"]:
            yield Difference(record, "cost", format_money(cost), f"the same for each of its {row['parts']} parts")
        yield from _entry(record, f"sms:{row['message_id']}", row, _charge(cost, "sms"))


def audit_payments(connection: Connection) -> Iterator[Difference]:
    """Yield the payments whose ledger entries differ from them."""
    entry = aliased(LedgerEntry, name="entry")
    reference = literal("payment:") + Payment.id.cast(String)
    query = select(Payment.__table__, *_told(entry, "entry")).outerjoin(entry, entry.reference == reference)
    for row in _rows(connection, query, Payment.id):
        expected = (row["amount"], "payment" if row["amount"] >= 0 else "refund")
        yield from _entry(f"payment {row['id']}", f"payment:{row['id']}", row, expected)


def _told(entry: type[LedgerEntry], name: str) -> Iterator[Any]:
    """Yield the columns of a ledger entry, labelled with names that begin with `name`."""
    for column in (entry.amount, entry.kind, entry.user_id):
        yield column.label(f"{name}_{column.key}")


def _rows(connection: Connection, query: Select[Any], identity: SQLColumnExpression[int]) -> Iterator[RowMapping]:
    streamed = query.order_by(identity).execution_options(yield_per=ROWS_AT_ONCE)
    yield from connection.execute(streamed).mappings()


def _figures(record: str, row: RowMapping) -> Iterator[Difference]:
    """Yield billed seconds that do not follow from the seconds talked, and costs that do not follow from the rate.

    CDRs from before rates were stored have no rate: only their `billsec` is checked.
    """
    if not 0 <= row["billsec"] <= row["duration"]:
        yield Difference(record, "billsec", str(row["billsec"]), f"0 to {row['duration']}, its duration")
    if row["call_rate"] is None:
        return
    rate = rate_of(row)
    billed_s, cost = rate.billed_duration(row["billsec"]), rate.cost(row["billed_duration"])
    if row["billed_duration"] != billed_s:
        yield Difference(record, "billed_duration", str(row["billed_duration"]), f"{billed_s} by its rate")
    if row["call_cost"] != cost:
        yield Difference(record, "call_cost", format_money(row["call_cost"]), f"{format_money(cost)} by its rate")


def _charge(cost: int, kind: str) -> tuple[int, str] | None:
    """Return the amount and kind of the entry for a cost; None for a cost of 0, which has no entry."""
    return (-cost, kind) if cost else None


def _entry(
    record: str, reference: str, row: RowMapping, expected: tuple[int, str] | None, *, name: str = "entry"
) -> Iterator[Difference]:
    """Yield a difference unless the ledger has exactly the expected entry, for the user of the record."""
    amount, kind, user_id = (row[f"{name}_{part}"] for part in ("amount", "kind", "user_id"))
    wanted = MISSING if expected is None else _shown(*expected, row["user_id"])
    found = MISSING if amount is None else _shown(amount, kind, user_id)
    if found != wanted:
        yield Difference(record, f"ledger entry {reference}", found, wanted)


def _shown(amount: int, kind: str, user_id: int) -> str:
    return f"{kind} {format_money(amount)} of user {user_id}"
