"""Transfers of calls: to a number, or through a queue to an agent."""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import RowMapping

from dialer.domain.words.enums import Consulted, TransferStatus
from dialer.domain.words.reasons import TRANSFER_REASONS
from dialer.resources.crud.declaration import derived, own, read_only, shapes
from dialer.resources.crud.enumerations import listed
from dialer.resources.crud.fields import Boolean, Choice, Integer, Text
from dialer.resources.crud.moments import Timestamp
from dialer.resources.crud.references import Identity, Reference
from dialer.resources.crud.resource import Resource, Unit, Values
from dialer.resources.records.agent_views import own_transfers
from dialer.store.queries.waits_in_queues import waited_ms
from dialer.store.tables import Transfer

_TRANSFER: Final = shapes(
    "Transfer",
    Transfer,
    {
        **own("transfer"),
        "callrequest": read_only(Reference("callrequest"), "The call that is transferred."),
        "place": read_only(Integer(1), "The place of the transfer in the call: 1 for the first one."),
        "section_id": read_only(
            Identity(), "The id of the section that transfers. The section may have been deleted since."
        ),
        "queue": read_only(
            Reference("queue"),
            "The queue in which the call waits or waited; null for a transfer to a number, or if the queue was"
            " deleted.",
            nullable=True,
        ),
        "agent": read_only(
            Reference("agent"),
            "The agent who took the call; null if none did, or if the agent was deleted.",
            nullable=True,
        ),
        "phone_number": read_only(
            Text(),
            "The number of the B-leg: of the agent, or of the section. It may be empty while the call waits.",
            example="+12025550150",
            title="Number",
        ),
        "status": read_only(Choice(TransferStatus), "The state of the transfer.", example=3, title="State"),
        "reason": read_only(
            Text(),
            "The reason why the transfer reached nobody; empty if it did, or still may. Further reasons "
            f"may be added. {listed(TRANSFER_REASONS)}.",
            example="no_agent",
        ),
        "is_abandoned": read_only(Boolean(), "True if no agent took the call within 2 seconds.", example=False),
        "joined_date": read_only(
            Timestamp(column="joined_ms"), "The moment at which the call reached the transfer, in UTC."
        ),
        "starting_date": read_only(
            Timestamp(column="started_ms"),
            "The moment at which the B-leg was dialled, or the agent was asked, in UTC; null before that.",
            nullable=True,
        ),
        "answer_date": read_only(
            Timestamp(column="answered_ms"),
            "The moment at which the B-leg was answered, in UTC; null if it was not.",
            nullable=True,
        ),
        "ending_date": read_only(
            Timestamp(column="ended_ms"),
            "The moment at which the transfer ended, in UTC; null while it is in progress.",
            nullable=True,
        ),
        "waited_ms": derived(
            Integer(0),
            "Milliseconds from joining the queue until an agent took the call or it stopped waiting. Null while it"
            " waits, and for a transfer that joined no queue.",
            nullable=True,
            example=1_200,
        ),
        "hold_date": read_only(
            Timestamp(column="on_hold_from_ms"),
            "The moment since which the agent has the callee on hold, in UTC; null while they talk.",
            nullable=True,
        ),
        "on_hold_ms": read_only(Integer(0), "The length of the holds that are over, in milliseconds.", example=42_000),
        "transferred_by": read_only(
            Reference("agent", column="from_agent_id"),
            "The agent who transferred the call here at the desk; null for a transfer of the survey.",
            nullable=True,
        ),
        "consulted": read_only(
            Choice(Consulted), "The part of the transfer in a consultation.", example=0, title="Consultation"
        ),
    },
    read_doc="A transfer of a call: 1 waiting, 2 connected, 3 over. When it is over, its B-leg has a CDR.",
)


def _waits(_unit: Unit, rows: Sequence[RowMapping]) -> list[Values]:
    """Return the wait of each transfer."""
    return [{"waited_ms": waited_ms(row)} for row in rows]


TRANSFERS = Resource(
    path="transfer",
    shapes=_TRANSFER,
    owner="callrequest",
    derived=_waits,
    agents_see=own_transfers,
    filters=("status", "reason", "is_abandoned", "phone_number"),
    orderings=("joined_date", "phone_number"),
    numbers=("phone_number",),
    is_large=True,
    exported=True,
)
