"""Users and their payments."""

from typing import Annotated, Any

from sqlalchemy import Row

from dialer.api.crud.fields import TEXT_MAX, Amount, AmountNumber, Identity, OwnUrl, Reference, Text, Timestamp
from dialer.api.crud.resource import Change, Resource, Values
from dialer.api.crud.shapes import Shape
from dialer.app.payments import record_payment
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


def _record(change: Change, columns: Values) -> Row[Any]:
    return record_payment(change.unit, columns["user_id"], columns["amount"], columns["description"])


USERS = Resource(path="users", model=User, read=UserRead, owner="id", filters=("username", "email"))
PAYMENTS = Resource(
    path="payment",
    model=Payment,
    read=PaymentRead,
    write=PaymentWrite,
    admins_only=True,
    methods=frozenset({"POST"}),
    insert=_record,
)
