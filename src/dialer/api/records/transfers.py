"""How calls were brought to somebody else: to a number, or through a queue to an agent."""

from typing import Annotated

from dialer.api.crud.fields import Boolean, Choice, Identity, Integer, OwnUrl, Reference, Text, Timestamp
from dialer.api.crud.resource import Resource
from dialer.api.crud.shapes import Shape
from dialer.domain.enums import TransferStatus
from dialer.store.tables import Transfer


class TransferRead(Shape):
    """One transfer of one call: 1 waiting, 2 connected, 3 over. Its B-leg has a CDR once it is over."""

    id: Annotated[int, Identity()]
    url: Annotated[str, OwnUrl("transfer")]
    callrequest: Annotated[str, Reference("callrequest")]
    place: Annotated[int, Integer(1)]
    section_id: Annotated[int, Identity()]
    queue: Annotated[str, Reference("queue")] | None
    agent: Annotated[str, Reference("agent")] | None
    phone_number: Annotated[str, Text()]
    status: Annotated[int, Choice(TransferStatus)]
    reason: Annotated[str, Text()]
    is_abandoned: Annotated[bool, Boolean()]
    joined_date: Annotated[str, Timestamp(column="joined_ms")]
    starting_date: Annotated[str, Timestamp(column="started_ms")] | None
    answer_date: Annotated[str, Timestamp(column="answered_ms")] | None
    ending_date: Annotated[str, Timestamp(column="ended_ms")] | None


TRANSFERS = Resource(
    path="transfer",
    model=Transfer,
    read=TransferRead,
    owner="callrequest",
    filters=("status", "reason", "is_abandoned", "phone_number"),
    exported=True,
)
