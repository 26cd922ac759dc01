"""The ledger: every change of a balance, with its cause. Clients only read it."""

from typing import Final

from dialer.resources.crud.declaration import own, read_only, shapes
from dialer.resources.crud.derived_columns import CURRENCY
from dialer.resources.crud.fields import Amount, Text, TextChoice
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.references import Reference
from dialer.resources.crud.resource import Resource
from dialer.store.rows.ledger import KINDS
from dialer.store.tables import LedgerEntry

_MEANINGS: Final = {
    "payment": "A payment into the account.",
    "call": "The price of a call.",
    "sms": "The price of a text message.",
    "refund": "A payment back to the payer (negative), or the refund of a call (positive).",
}
_LEDGER: Final = shapes(
    "Ledger",
    LedgerEntry,
    {
        **own("ledger"),
        "user": read_only(Reference("users"), "The user whose balance changed.", title="Owner"),
        "kind": read_only(TextChoice(KINDS, _MEANINGS, "LedgerKind"), "The cause of the change."),
        "amount": read_only(
            Amount(), "The change of the balance with five decimals; negative out of the account.", example="-0.02000"
        ),
        "reference": read_only(
            Text(),
            "A text that names the cause, unique in the account: `payment:<id>`, `call:<callid>`, `sms:<message_id>` or"
            " `refund:<callid>`. `calls:<month>`, `texts:<month>` and `refunds:<month>` sum up what was removed as too"
            " old, by months in UTC.",
            example="call:5f0c1d9e-8f3b-5a41-9a58-0c6f6f3f8f11",
        ),
        "created_date": read_only(Timestamp(), "The moment of the change, in UTC.", title="Created"),
        "currency": CURRENCY,
    },
    read_doc="""An entry of the ledger: one change of a balance, positive into the account, negative out of it.

    `reference` names the cause and is unique: `payment:<id>`, `call:<callid>`, `sms:<message_id>`, or
    `refund:<callid>` for a refunded call. A payment with a negative amount is a refund to the payer.
    """,
)


LEDGER = Resource(
    path="ledger",
    shapes=_LEDGER,
    filters=("kind", "reference"),
    orderings=("created_date",),
    is_large=True,
    exported=True,
)
