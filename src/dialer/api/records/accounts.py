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
        "username": read_only(
            Text(),
            description="The name with which the user logs in. It is unique, regardless of case.",
            example="ann",
        ),
        "last_name": read_only(Text(), description="The family name. It may be empty.", example="Lee"),
        "first_name": read_only(Text(), description="The given name. It may be empty.", example="Ann"),
        "email": read_only(
            Text(),
            description="The e-mail address. It may be empty. The service sends no mail.",
            example="ann@example.com",
        ),
        "balance": read_only(
            AmountNumber(),
            description=(
                "The money of the account, in the currency of the service: a number with five decimals. It is"
                " the sum of the user's ledger entries and never below zero."
            ),
            example=25.5,
        ),
        "call_rate": read_only(
            AmountNumber(),
            description=(
                "The price of a minute of calls to numbers for which the user has no rate card: a number with"
                " five decimals."
            ),
            example=0.02,
        ),
        "sms_rate": read_only(
            AmountNumber(),
            description="The price of one part of a text message: a number with five decimals.",
            example=0.05,
        ),
    },
    read_doc="A user account, with its balance and its rates.",
)

_PAYMENT: Final = shapes(
    "Payment",
    {
        **own("payment"),
        "amount": writable(
            Amount(),
            description=(
                "The amount with five decimals. A negative amount is a refund to the payer; it must not "
                "exceed the balance."
            ),
            example="25.00000",
        ),
        "user": writable(Reference("users"), description="The user into whose account the payment goes."),
        "description": writable(
            Text(TEXT_MAX),
            default="",
            description="A note about the payment. Default: empty.",
            example="Bank transfer of 18 November",
        ),
        "created_date": read_only(Timestamp(), description="The moment of the payment, in UTC."),
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
