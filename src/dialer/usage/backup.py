"""`dialer backup`: a copy of the database, also while a server uses it."""

from pathlib import Path

import rich_click as click

from dialer.commands.output import examples, json_option
from dialer.usage.running import runs


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@json_option("the size and the row counts of the copy")
@examples("dialer backup /var/backups/dialer.db", 'dialer backup "dialer-$(date +%F).db"')
@runs("dialer.commands.backup")
def backup() -> None:
    """Copy one state of the database to FILE, also beside a running server.

    The copy is checked, and only its owner can read it. Uploads and recordings are in the media folder
    (DIALER_MEDIA_DIR): copy that folder after the database.
    """
