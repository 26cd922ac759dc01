"""Every change of a balance, with what caused it. It is only read."""

from typing import Annotated

from dialer.api.crud.fields import Amount, Identity, OwnUrl, Reference, Text, TextChoice, Timestamp
from dialer.api.crud.resource import Resource
from dialer.api.crud.shapes import Shape
from dialer.store.ledger import KINDS
from dialer.store.tables import LedgerEntry


class LedgerRead(Shape):
    """One change of a balance: positive into the account, negative out of it.

    `reference` says what caused it, and never comes twice: `payment:<id>`, `call:<callid>`, `sms:<message_id>`, or
    `refund:<callid>` for a call whose price was given back. A payment that is negative is a refund to its payer.
    """

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("ledger")]
    user: Annotated[str, Reference("users")]
    kind: Annotated[str, TextChoice(KINDS)]
    amount: Annotated[str, Amount()]
    reference: Annotated[str, Text()]
    created_date: Annotated[str, Timestamp()]


LEDGER = Resource(
    path="ledger",
    model=LedgerEntry,
    read=LedgerRead,
    filters=("kind", "reference", "created_date_after", "created_date_before"),
    exported=True,
)
