"""Users and their payments."""

from typing import Final

from dialer.api.crud.declaration import own, read_only, shapes, writable
from dialer.api.crud.fields import TEXT_MAX, Amount, AmountNumber, Text
from dialer.api.crud.moments import Timestamp
from dialer.api.crud.references import Reference
from dialer.api.crud.resource import Change, Resource
from dialer.api.http.errors import InvalidError
from dialer.store import ledger
from dialer.store.tables import Payment, User

_USER: Final = shapes(
    "User",
    {
        **own("users"),
        "username": read_only(Text()),
        "last_name": read_only(Text()),
        "first_name": read_only(Text()),
        "email": read_only(Text()),
        "balance": read_only(AmountNumber()),
        "call_rate": read_only(AmountNumber()),
        "sms_rate": read_only(AmountNumber()),
    },
    read_doc="A user, and what is left to pay with.",
)

_PAYMENT: Final = shapes(
    "Payment",
    {
        **own("payment"),
        "amount": writable(Amount()),
        "user": writable(Reference("users")),
        "description": writable(Text(TEXT_MAX), default=""),
        "created_date": read_only(Timestamp()),
    },
    write_doc="Money that came in; negative, a refund.",
    read_doc="A payment as it was entered.",
)


def _enter(change: Change) -> None:
    """A payment moves the balance in the transaction that records it, or there is no payment."""
    try:
        ledger.post(
            change.unit.connection,
            user_id=change.values["user"],
            kind="payment" if change.values["amount"] >= 0 else "refund",
            amount=change.values["amount"],
            reference=f"payment:{change.record_id}",
            now_ms=change.unit.now_ms,
        )
    except ledger.InsufficientFundsError:
        raise InvalidError({"amount": ["The balance would fall below zero."]}) from None


USERS = Resource(path="users", model=User, shapes=_USER, owner="id", filters=("username", "email"))
PAYMENTS = Resource(
    path="payment",
    model=Payment,
    shapes=_PAYMENT,
    admins_only=True,
    methods=frozenset({"POST"}),
    written=_enter,
    moves_dialling=True,
)
