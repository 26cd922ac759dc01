"""A key for each user name, so that two names cannot differ in case or Unicode form only."""

from unicodedata import normalize

import sqlalchemy as sa
from alembic import op
from alembic.util import CommandError

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

users = sa.table("user_account", sa.column("id"), sa.column("username"), sa.column("username_key"))


def upgrade() -> None:
    with op.batch_alter_table("user_account") as batch_op:
        batch_op.add_column(sa.Column("username_key", sa.Text(), server_default="", nullable=False))
    _fill_keys()
    op.create_index("uq_user_account_username_key", "user_account", ["username_key"], unique=True)


def _fill_keys() -> None:
    connection = op.get_bind()
    named: dict[str, tuple[int, str]] = {}
    for user_id, username in connection.execute(sa.select(users.c.id, users.c.username).order_by(users.c.id)).all():
        key = _folded(_folded(normalize("NFD", username)))
        if key in named:
            first_id, first = named[key]
            raise CommandError(
                f"the names of user {first_id}, {first!r}, and user {user_id}, {username!r}, differ only in case or"
                f" Unicode form; change the username of one of them in the table user_account"
            )
        named[key] = (user_id, username)
        connection.execute(sa.update(users).where(users.c.id == user_id).values(username_key=key))


def _folded(text: str) -> str:
    return normalize("NFKC", text.casefold())
