"""Keys by which contacts are searched and ordered, and indexes for searches and orderings of long lists."""

from unicodedata import combining, normalize

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

ROWS_AT_ONCE = 10_000
KEY_MAX = 100

contacts = sa.table(
    "contact", sa.column("id"), sa.column("full_name"), sa.column("full_name_key"), sa.column("last_name_key")
)
INDEXES = (
    ("ix_contact_full_name_key", "contact", ["full_name_key", "id", "phonebook_id"]),
    ("ix_contact_last_name_key", "contact", ["last_name_key", "full_name_key", "phonebook_id"]),
    ("ix_contact_number", "contact", ["number", "id", "phonebook_id"]),
    ("ix_contact_created_date", "contact", ["created_date", "id", "phonebook_id"]),
    ("ix_dnc_contact_number", "dnc_contact", ["number", "id", "dnc_id"]),
    ("ix_dnc_contact_created_date", "dnc_contact", ["created_date", "id", "dnc_id"]),
    ("ix_subscriber_number", "subscriber", ["number", "id", "campaign_id"]),
    ("ix_subscriber_last_attempt", "subscriber", ["last_attempt", "id", "campaign_id"]),
    ("ix_callrequest_started_ms", "callrequest", ["started_ms", "id", "user_id"]),
    ("ix_callrequest_phone_number", "callrequest", ["phone_number", "id", "user_id"]),
    ("ix_transfer_joined_ms", "transfer", ["joined_ms", "id", "callrequest_id"]),
    ("ix_transfer_phone_number", "transfer", ["phone_number", "id", "callrequest_id"]),
    ("ix_cdr_phone_number", "cdr", ["phone_number", "id", "user_id"]),
    ("ix_cdr_starting_date", "cdr", ["starting_date", "id", "user_id"]),
    ("ix_cdr_call_cost", "cdr", ["call_cost", "id", "user_id"]),
    ("ix_cdr_duration", "cdr", ["duration", "id", "user_id"]),
    ("ix_survey_result_created_date", "survey_result", ["created_date", "id", "user_id"]),
    ("ix_sms_message_send_date", "sms_message", ["send_date", "id", "user_id"]),
    ("ix_sms_message_phone_number", "sms_message", ["phone_number", "id", "user_id"]),
    ("ix_ledger_entry_created_date", "ledger_entry", ["created_date", "id", "user_id"]),
)
REPLACED = (
    ("ix_cdr_phone_number", "cdr"),
    ("ix_cdr_starting_date", "cdr"),
    ("ix_sms_message_phone_number", "sms_message"),
)


def upgrade() -> None:
    with op.batch_alter_table("contact") as batch_op:
        batch_op.add_column(sa.Column("full_name_key", sa.Text(), server_default="", nullable=False))
        batch_op.add_column(sa.Column("last_name_key", sa.Text(), server_default="", nullable=False))
    _fill_keys()
    for name, table in REPLACED:
        op.drop_index(name, table_name=table)
    for name, table, columns in INDEXES:
        op.create_index(name, table, columns)


def _fill_keys() -> None:
    connection = op.get_bind()
    wanted = sa.select(contacts.c.id, contacts.c.full_name).order_by(contacts.c.id).limit(ROWS_AT_ONCE)
    statement = (
        sa.update(contacts)
        .where(contacts.c.id == sa.bindparam("contact_id"))
        .values(full_name_key=sa.bindparam("first"), last_name_key=sa.bindparam("last"))
    )
    after = 0
    while rows := connection.execute(wanted.where(contacts.c.id > after)).all():
        keys = [(contact_id, _key(full_name)) for contact_id, full_name in rows]
        filled = [{"contact_id": contact_id, "first": key, "last": _last(key)} for contact_id, key in keys if key]
        if filled:
            connection.execute(statement, filled)
        after = rows[-1].id


def _key(name: str) -> str:
    folded = normalize("NFKD", normalize("NFKD", name).casefold())
    kept = "".join([char if char.isalnum() else " " for char in folded if not combining(char)])
    return " ".join(kept.split())[:KEY_MAX]


def _last(key: str) -> str:
    others, _, last = key.rpartition(" ")
    return f"{last} {others}" if others else ""
