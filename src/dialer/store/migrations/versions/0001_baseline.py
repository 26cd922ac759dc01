"""The tables of the first release, by the statements of `baseline.*.sql`: one file for each kind of database."""

from pathlib import Path

from alembic import op

revision = "0001_from_0001"
down_revision = None
branch_labels = None
depends_on = None

FOLDER = Path(__file__).parents[1]


def upgrade() -> None:
    connection = op.get_bind()
    script = (FOLDER / f"baseline.{connection.dialect.name}.sql").read_text("utf-8")
    for statement in script.split(";\n")[:-1]:
        connection.exec_driver_sql(statement)
