"""Transfers of calls: to a number, or through a queue to an agent."""

from typing import Final

from dialer.api.crud.declaration import own, read_only, shapes
from dialer.api.crud.fields import Boolean, Choice, Integer, Text
from dialer.api.crud.moments import Timestamp
from dialer.api.crud.references import Identity, Reference
from dialer.api.crud.resource import Resource
from dialer.api.records.agent_views import own_transfers
from dialer.domain.enums import TransferStatus
from dialer.store.tables import Transfer

_TRANSFER: Final = shapes(
    "Transfer",
    {
        **own("transfer"),
        "callrequest": read_only(Reference("callrequest")),
        "place": read_only(Integer(1)),
        "section_id": read_only(Identity()),
        "queue": read_only(Reference("queue"), nullable=True),
        "agent": read_only(Reference("agent"), nullable=True),
        "phone_number": read_only(Text()),
        "status": read_only(Choice(TransferStatus)),
        "reason": read_only(Text()),
        "is_abandoned": read_only(Boolean()),
        "joined_date": read_only(Timestamp(column="joined_ms")),
        "starting_date": read_only(Timestamp(column="started_ms"), nullable=True),
        "answer_date": read_only(Timestamp(column="answered_ms"), nullable=True),
        "ending_date": read_only(Timestamp(column="ended_ms"), nullable=True),
    },
    read_doc="A transfer of a call: 1 waiting, 2 connected, 3 over. When it is over, its B-leg has a CDR.",
)


TRANSFERS = Resource(
    path="transfer",
    model=Transfer,
    shapes=_TRANSFER,
    owner="callrequest",
    agents_see=own_transfers,
    filters=("status", "reason", "is_abandoned", "phone_number"),
    orderings=("joined_date", "phone_number"),
    numbers=("phone_number",),
    is_large=True,
    exported=True,
)
