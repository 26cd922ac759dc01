"""Use cases of money: payments, and refunds of calls."""

from typing import Any

from sqlalchemy import Row, insert, select

from dialer.app.work.errors import ErrorCode, InvalidFieldsError, RefusedError, UnknownRecordError
from dialer.app.work.events import CallRefunded, PaymentRecorded
from dialer.app.work.touched_records import touched_account
from dialer.app.work.unit import UnitOfWork
from dialer.domain.billing.money import MoneyAmount
from dialer.domain.words.sentences import Sentence
from dialer.store.rows import ledger
from dialer.store.tables import Cdr, LedgerEntry, Payment


def record_payment(unit: UnitOfWork, user_id: int, amount: int, description: str = "") -> Row[Any]:
    """Record a payment, or a refund to the payer (a negative amount), and change the balance; return the payment's row.

    Raises:
        InvalidFieldsError: the refund exceeds the part of the balance that is not held for calls in progress.
    """
    if amount < 0 and (free := ledger.free_balance(unit.connection, user_id)) + amount < 0:
        most = Sentence(
            "%(amount)s is more than the free balance. Refund at most %(free)s.",
            amount=MoneyAmount(-amount),
            free=MoneyAmount(free),
        )
        raise InvalidFieldsError({"amount": [most]})
    values = {"user_id": user_id, "amount": amount, "description": description, "created_date": unit.now_ms}
    payment = unit.connection.execute(insert(Payment).values(values).returning(*Payment.__table__.c)).one()
    kind = "payment" if amount >= 0 else "refund"
    entry = ledger.Entry(user_id, kind, amount, f"payment:{payment.id}", unit.now_ms)
    ledger.post_calls(unit.connection, [entry], {})
    unit.note(touched_account(user_id), PaymentRecorded(payment.id, user_id, amount))
    return payment


def refund_call(unit: UnitOfWork, cdr_id: int) -> int:
    """Refund the price of a call to the account of its user; return the id of the ledger entry.

    Raises:
        UnknownRecordError: there is no such CDR.
        RefusedError: the call cost nothing, or is refunded already.
    """
    call = unit.connection.execute(select(Cdr.__table__).where(Cdr.id == cdr_id)).mappings().one_or_none()
    if call is None:
        raise UnknownRecordError(f"There is no CDR {cdr_id}.")
    if call["call_cost"] == 0:
        raise RefusedError("This call cost nothing, so there is nothing to refund.", code=ErrorCode.NOTHING_TO_DO)
    reference = f"refund:{call['callid']}"
    entry_id = select(LedgerEntry.id).where(LedgerEntry.reference == reference)
    if unit.connection.scalar(entry_id) is not None:
        raise RefusedError("This call has been refunded already.", code=ErrorCode.NOTHING_TO_DO)
    user_id, amount = call["user_id"], call["call_cost"]
    ledger.post_calls(unit.connection, [ledger.Entry(user_id, "refund", amount, reference, unit.now_ms)], {})
    unit.note(touched_account(user_id), CallRefunded(cdr_id, user_id, amount))
    return int(unit.connection.execute(entry_id).scalar_one())
