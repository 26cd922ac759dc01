"""New subscribers: rows of people who join a campaign, one for each number."""

from collections.abc import Mapping
from contextlib import nullcontext
from types import MappingProxyType
from typing import Any, Final

from sqlalchemy import Connection, Insert, Select, bindparam, update

from dialer.store.backends.backend import backend_of
from dialer.store.backends.expressions import insert_or
from dialer.store.tables import Campaign, Subscriber

TOGETHER_MIN: Final = 20
"""Number of subscribers from which their moves are written together."""
NOTHING_GIVEN: Final[Mapping[str, Any]] = MappingProxyType({})
COLUMNS: Final = (
    "campaign_id",
    "user_id",
    "contact_id",
    "phonebook_id",
    "duplicate_contact",
    "number",
    "zone",
    "full_name",
    "additional_vars",
    "created_date",
    "updated_date",
    "status",
    "status_reason",
    "halt_reason",
    "gmt_offset",
    "tz_code",
    "count_attempt",
    "failure_count",
    "completion_count",
    "due_ms",
)
"""The columns that a query of new subscribers has, in this order."""
_GROW: Final = (
    update(Campaign)
    .where(Campaign.id == bindparam("campaign"))
    .values(totalcontact=Campaign.totalcontact + bindparam("joined"))
)


def joining(rows: Select[Any]) -> Insert:
    """Return the INSERT of the rows of a query of `COLUMNS`, without numbers that are subscribers already."""
    added = insert_or(Subscriber.__table__).from_select(list(COLUMNS), rows, include_defaults=False)
    return added.on_conflict_do_nothing(index_elements=["campaign_id", "number", "user_id"])


def subscribe(
    connection: Connection,
    campaign_id: int,
    statement: Insert,
    given: Mapping[str, Any] = NOTHING_GIVEN,
    *,
    many: int = 1,
) -> int:
    """Add subscribers by a statement of `joining`, count them in their campaign, and return their number.

    `given` holds the parameters of the statement, and `many` is the most that may join.
    """
    backend = backend_of(connection)
    with backend.joining_together(connection, campaign_id) if many >= TOGETHER_MIN else nullcontext():
        joined = connection.execute(statement, given).rowcount
    connection.execute(_GROW, {"campaign": campaign_id, "joined": joined})
    return joined
