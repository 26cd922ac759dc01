"""Users and their payments."""

from typing import Annotated

from dialer.api.crud.fields import TEXT_MAX, Amount, AmountNumber, Identity, OwnUrl, Reference, Text, Timestamp
from dialer.api.crud.resource import Change, Resource
from dialer.api.crud.shapes import Shape
from dialer.api.http.errors import InvalidError
from dialer.store import ledger
from dialer.store.tables import Payment, User


class UserRead(Shape):
    """A user, and what is left to pay with."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("users")]
    username: Annotated[str, Text()]
    last_name: Annotated[str, Text()]
    first_name: Annotated[str, Text()]
    email: Annotated[str, Text()]
    balance: Annotated[float, AmountNumber()]
    call_rate: Annotated[float, AmountNumber()]
    sms_rate: Annotated[float, AmountNumber()]


class PaymentWrite(Shape):
    """Money that came in; negative, a refund."""

    amount: Annotated[int, Amount()]
    user: Annotated[int, Reference("users")]
    description: Annotated[str, Text(TEXT_MAX)] = ""


class PaymentRead(Shape):
    """A payment as it was entered."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("payment")]
    amount: Annotated[str, Amount()]
    user: Annotated[str, Reference("users")]
    description: Annotated[str, Text(TEXT_MAX)]
    created_date: Annotated[str, Timestamp()]


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


USERS = Resource(path="users", model=User, read=UserRead, owner="id", filters=("username", "email"))
PAYMENTS = Resource(
    path="payment",
    model=Payment,
    read=PaymentRead,
    write=PaymentWrite,
    admins_only=True,
    methods=frozenset({"POST"}),
    written=_enter,
    moves_dialling=True,
)
