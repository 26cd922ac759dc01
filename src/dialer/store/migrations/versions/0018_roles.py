"""Roles of users in place of the flag of admins, disabled users, and the logins of agents."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    last_ids = {table: _last_id(table) for table in ("user_account", "agent")}
    with op.batch_alter_table("user_account", table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.add_column(sa.Column("role", sa.String(length=8), server_default="manager", nullable=False))
        batch_op.add_column(sa.Column("enabled", sa.Boolean(), server_default="1", nullable=False))
        batch_op.add_column(sa.Column("manager_id", BIG, nullable=True))
        batch_op.create_foreign_key(
            "fk_user_account_manager_id_user_account", "user_account", ["manager_id"], ["id"], ondelete="RESTRICT"
        )
    op.execute("UPDATE user_account SET role = 'admin' WHERE is_admin")
    op.drop_column("user_account", "is_admin")
    op.create_index(op.f("ix_user_account_manager_id"), "user_account", ["manager_id"])
    with op.batch_alter_table("agent", table_kwargs={"sqlite_autoincrement": True}) as batch_op:
        batch_op.add_column(sa.Column("login_id", BIG, nullable=True))
        batch_op.create_foreign_key(
            "fk_agent_login_id_user_account", "user_account", ["login_id"], ["id"], ondelete="SET NULL"
        )
    op.create_index(op.f("ix_agent_login_id"), "agent", ["login_id"])
    for table, last_id in last_ids.items():
        _keep_last_id(table, last_id)


def _last_id(table: str) -> int | None:
    """Return the highest id that was ever given: the copy of the table must not give it again."""
    if op.get_bind().dialect.name != "sqlite":
        return None  # Only SQLite copies tables.
    found = op.get_bind().execute(sa.text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": table})
    return found.scalar_one_or_none()


def _keep_last_id(table: str, last_id: int | None) -> None:
    if last_id is not None:
        connection, values = op.get_bind(), {"name": table, "seq": last_id}
        connection.execute(sa.text("DELETE FROM sqlite_sequence WHERE name = :name"), values)
        connection.execute(sa.text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)"), values)
