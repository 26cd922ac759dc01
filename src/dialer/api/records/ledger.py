"""The ledger: every change of a balance, with its cause. Clients only read it."""

from typing import Final

from dialer.api.crud.declaration import own, read_only, shapes
from dialer.api.crud.fields import Amount, Text, TextChoice
from dialer.api.crud.moments import Timestamp
from dialer.api.crud.references import Reference
from dialer.api.crud.resource import Resource
from dialer.store.ledger import KINDS
from dialer.store.tables import LedgerEntry

_LEDGER: Final = shapes(
    "Ledger",
    {
        **own("ledger"),
        "user": read_only(Reference("users")),
        "kind": read_only(TextChoice(KINDS)),
        "amount": read_only(Amount()),
        "reference": read_only(Text()),
        "created_date": read_only(Timestamp()),
    },
    read_doc="""An entry of the ledger: one change of a balance, positive into the account, negative out of it.

    `reference` names the cause and is unique: `payment:<id>`, `call:<callid>`, `sms:<message_id>`, or
    `refund:<callid>` for a refunded call. A payment with a negative amount is a refund to the payer.
    """,
)


LEDGER = Resource(
    path="ledger",
    model=LedgerEntry,
    shapes=_LEDGER,
    filters=("kind", "reference"),
    orderings=("created_date",),
    is_large=True,
    exported=True,
)
