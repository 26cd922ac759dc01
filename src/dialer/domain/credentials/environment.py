"""The environment of the programs that the service starts: without its secrets."""

from collections.abc import Mapping
from typing import Final

_OURS: Final = "DIALER_"
_SECRET: Final = frozenset({"PGPASSWORD", "PGPASSFILE", "PGSERVICEFILE", "POSTGRES_PASSWORD"})


def clean_environment(environ: Mapping[str, str], *, uses_database: bool = False) -> dict[str, str]:
    """Return an environment without the settings of the service, and without passwords of its database.

    Programs get what they need as arguments, or through a pipe. A program that opens the database (`uses_database`)
    keeps the variables of PostgreSQL's client library.
    """
    left_out = frozenset() if uses_database else _SECRET
    return {name: value for name, value in environ.items() if not name.startswith(_OURS) and name not in left_out}
