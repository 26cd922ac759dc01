"""New subscribers: rows of people who join a campaign, one for each number."""

from typing import Any, Final

from sqlalchemy import Connection, Select, update

from dialer.store.backends.expressions import insert_or
from dialer.store.tables import Campaign, Subscriber

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


def subscribe(connection: Connection, campaign_id: int, rows: Select[Any]) -> None:
    """Add the rows of a query of `COLUMNS`, leaving out numbers that are subscribers already, and count them."""
    added = insert_or(Subscriber.__table__).from_select(list(COLUMNS), rows, include_defaults=False)
    grown = connection.execute(
        added.on_conflict_do_nothing(index_elements=["campaign_id", "number", "user_id"])
    ).rowcount
    connection.execute(
        update(Campaign).where(Campaign.id == campaign_id).values(totalcontact=Campaign.totalcontact + grown)
    )
