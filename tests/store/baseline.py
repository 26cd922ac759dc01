"""Write the baseline, the first migration, again from the tables: `python -m tests.store.baseline`.

Only until the first release. After it, the baseline stays as it is, and each change of the tables is a migration.
"""

from typing import Any, Final

from sqlalchemy import create_mock_engine

from dialer.store.backends.backend import BACKENDS
from dialer.store.database import migrate
from dialer.store.tables import Row

ENDS: Final = ";\n"


def script_of(name: str) -> str:
    """Return the statements that create the tables and their indexes in a database of one kind."""
    tables: list[list[str]] = []

    def collect(statement: Any, *_values: object, **_options: object) -> None:  # noqa: ANN401 - a statement of any kind
        text = "\n".join(line.rstrip() for line in str(statement.compile(dialect=engine.dialect)).strip().splitlines())
        if text.startswith("CREATE TABLE"):
            tables.append([])
        tables[-1].append(text)

    engine: Any = create_mock_engine(f"{name}://", collect)
    engine.exec_driver_sql = lambda _: None  # Triggers, which every upgrade creates.
    Row.metadata.create_all(engine, checkfirst=False)
    return "".join([text + ENDS for first, *others in tables for text in (first, *sorted(others))])


if __name__ == "__main__":
    for backend in BACKENDS:
        (migrate.MIGRATIONS / f"baseline.{backend}.sql").write_text(script_of(backend), "utf-8")
