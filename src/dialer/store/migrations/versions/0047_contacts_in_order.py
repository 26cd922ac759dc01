"""The contacts of a phonebook are read in the order of their ids from an index.

Without the id in the index, PostgreSQL sorts all contacts of the phonebook, or reads those of all others.
"""

from alembic import op

revision = "0047_0041"
down_revision = "0046_0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_contact_phonebook_id_id", "contact", ["phonebook_id", "id"])
    op.drop_index("ix_contact_phonebook_id", table_name="contact")
