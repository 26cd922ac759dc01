"""`dialer database`: maintenance of the database and the media folder."""

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs


@click.group()
@examples(
    "dialer database upgrade",
    "dialer database check",
    "dialer database sweep",
)
def database() -> None:
    """Upgrade, check and clean up the database."""


@database.command()
@click.option("--create", is_flag=True, help="Create the database if it does not exist.")
@json_option("the path of the database")
@examples(
    "dialer database upgrade",
    "DIALER_DATABASE_URL=sqlite+aiosqlite:////var/lib/dialer/dialer.db dialer database upgrade",
)
@runs("dialer.commands.database")
def upgrade() -> None:
    """Migrate the database to this version, as `dialer serve` does when it starts.

    Stop the server first, and make a backup: a migration cannot be undone.
    """


@database.command()
@json_option("the problems")
@click.pass_context
@examples("dialer database check")
@runs("dialer.commands.database")
def check() -> None:
    """Check every page, index and reference of the database; exit with 1 if anything is wrong.

    The command changes nothing. It can run beside a server.
    """


@database.command()
@json_option("the names of the deleted files")
@examples("dialer database sweep")
@runs("dialer.commands.database")
def sweep() -> None:
    """Delete files in the media folder that no record refers to, such as recordings of deleted campaigns.

    Files of the last hour stay, and so do files that the service did not make. The command can run beside a server.
    """
