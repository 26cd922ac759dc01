"""Parameters of gateways, which hold passwords, are encrypted."""

import sqlalchemy as sa
from alembic import op

from dialer.store.key_ring import RING, fernet_of

revision = "0041_0041"
down_revision = "0040_0039"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TABLES = ("gateway", "sms_gateway", "callrequest", "sms_message")
"""Tables with parameters of gateways."""
ROWS_AT_ONCE = 1_000


def upgrade() -> None:
    op.create_table(
        "key_check",
        sa.Column("id", BIG, sa.Identity(), nullable=False),
        sa.Column("word", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_key_check")),
        sqlite_autoincrement=True,
    )
    connection = op.get_bind()
    if connection.dialect.name == "sqlite":
        # Otherwise the free parts of the file keep the passwords.
        connection.exec_driver_sql("PRAGMA secure_delete=ON")
    if sum([_encrypt(connection, name) for name in TABLES]):
        word = _encrypted("dialer")
        op.execute(sa.insert(sa.table("key_check", sa.column("id"), sa.column("word"))).values(id=1, word=word))


def _encrypt(connection: sa.Connection, name: str) -> int:
    """Encrypt the parameters in a table. Return how many there are."""
    rows = sa.table(name, sa.column("id", BIG), sa.column("parameters", sa.String()))
    query = sa.select(rows.c.id, rows.c.parameters).where(rows.c.parameters.is_not(None))
    change = sa.update(rows).where(rows.c.id == sa.bindparam("row_id")).values(parameters=sa.bindparam("token"))
    count = after = 0
    while found := connection.execute(query.where(rows.c.id > after).order_by(rows.c.id).limit(ROWS_AT_ONCE)).all():
        fresh = [{"row_id": row_id, "token": _encrypted(parameters)} for row_id, parameters in found]
        connection.execute(change, fresh)
        count, after = count + len(found), found[-1][0]
    return count


def _encrypted(text: str) -> str:
    # The key is stored before the first row depends on it, and is found again if this process is killed.
    return fernet_of(RING.keys(may_create=True)).encrypt(text.encode()).decode()
