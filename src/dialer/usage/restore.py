"""`dialer restore`: a backup put in the place of the database."""

from pathlib import Path

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace the database if it exists.")
@json_option("the size and the row counts of the database")
@examples("dialer restore /var/backups/dialer.db", "dialer restore /var/backups/dialer.db --force")
@runs("dialer.commands.restore")
def restore() -> None:
    """Put the backup FILE in the place of the database.

    Stop the server first. After the restore it continues from the state of the backup: calls that were made after the
    backup are made again.
    """
