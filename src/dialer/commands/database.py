"""`dialer database`: the tables, without the service."""

import rich_click as click

from dialer.commands.opening import open_database, settings_from_environment
from dialer.commands.output import examples, say


@click.group()
@examples(
    "dialer database upgrade",
)
def database() -> None:
    """Look after the database."""


@database.command()
@examples(
    "dialer database upgrade",
    "DIALER_DATABASE_URL=sqlite+aiosqlite:////var/lib/dialer/dialer.db dialer database upgrade",
)
def upgrade() -> None:
    """Bring the database to this version, as `dialer serve` does when it starts."""
    with open_database(settings_from_environment()):
        say("The database is up to date.")
