"""Users and their payments."""

from typing import Any, Final

from sqlalchemy import Row

from dialer.api.crud.declaration import own, read_only, shapes, writable
from dialer.api.crud.fields import TEXT_MAX, Amount, AmountNumber, Text
from dialer.api.crud.moments import Timestamp
from dialer.api.crud.references import Reference
from dialer.api.crud.resource import Change, Resource, Values
from dialer.api.records.agent_views import oneself
from dialer.app.payments import record_payment
from dialer.domain.roles import Permission
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
    read_doc="A user account, with its balance and its rates.",
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
    write_doc="A payment into an account. A negative amount is a refund to the payer.",
    read_doc="A payment, as it is stored.",
)


def _record(change: Change, columns: Values) -> Row[Any]:
    return record_payment(change.unit, columns["user_id"], columns["amount"], columns["description"])


USERS = Resource(
    path="users",
    model=User,
    shapes=_USER,
    owner="id",
    agents_see=oneself,
    filters=("username", "email"),
    orderings=("username", "last_name", "first_name", "email", "balance"),
    names=("username", "first_name", "last_name", "email"),
)
PAYMENTS = Resource(
    path="payment",
    model=Payment,
    shapes=_PAYMENT,
    orderings=("amount", "created_date"),
    names=("description",),
    admins_only=True,
    writes=Permission.MONEY,
    methods=frozenset({"POST"}),
    insert=_record,
)
