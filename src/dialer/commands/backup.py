"""`dialer backup`: a copy of the database, also while a server uses it."""

from pathlib import Path
from typing import Final

from dialer.commands.key_file import key_path
from dialer.commands.open_service import existing_database_file, settings_from_environment
from dialer.commands.output import print_json, say
from dialer.store.backends.database_files import Copy, copy

_INSTEAD: Final = "copy the database with pg_dump --format=custom --file=FILE URL"


def backup(file: Path, *, force: bool, as_json: bool) -> None:
    """Copy one state of the database to FILE, also beside a running server."""
    settings = settings_from_environment()
    made = copy(existing_database_file(settings, instead=_INSTEAD), file, overwrite=force)
    say(f"Copied the database to {file}: {summary(made)}.")
    if settings.secrets_key is None and key_path(settings).exists():
        say(f"Keep a copy of {key_path(settings)} elsewhere: without it the passwords in this copy are lost.")
    if as_json:
        print_copy(file, made)


def summary(made: Copy) -> str:
    """Return the size and the row counts of a copy as text."""
    rows = ", ".join(f"{count:,} in {table}" for table, count in made.rows.items())
    return f"{made.size_bytes:,} bytes; {rows}"


def print_copy(path: Path, made: Copy) -> None:
    """Print a copy as JSON: its path, its size and its row counts."""
    print_json({"path": str(path.absolute()), **made._asdict()})
