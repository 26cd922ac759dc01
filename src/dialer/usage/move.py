"""`dialer move`: the whole service, from its database to an empty one of either kind."""

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs


@click.command()
@click.argument("target", metavar="URL", envvar="DIALER_MOVE_URL")
@json_option("the tables with their row counts and digests, and the audit")
@examples(
    "dialer move postgresql://dialer@127.0.0.1/dialer",
    "DIALER_DATABASE_URL=postgresql://dialer@127.0.0.1/dialer dialer move sqlite:///dialer.db",
)
@runs("dialer.commands.move")
def move() -> None:
    """Copy the service into the empty database at URL, which is created or migrated if it has no tables.

    Stop the service first. Both databases are locked meanwhile. All rows are copied with their ids, then compared, and
    both databases are audited. The database of the service stays as it is. If the command fails or is killed, the new
    database is empty: run it again. A password of URL can also come from DIALER_MOVE_URL or a password file of libpq.
    """
