"""`dialer restore`: a backup put in the place of the database."""

from pathlib import Path
from typing import Final

import rich_click as click

from dialer.commands.backup import print_copy, summary
from dialer.commands.key_file import key_path
from dialer.commands.open_service import database_file, settings_from_environment
from dialer.commands.output import examples, json_option, say
from dialer.store.database_files import restore as put_back

_INSTEAD: Final = "put a copy into an empty database with pg_restore --exit-on-error --no-owner --dbname=URL FILE"


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Replace the database if it exists.")
@json_option("the size and the row counts of the database")
@examples("dialer restore /var/backups/dialer.db", "dialer restore /var/backups/dialer.db --force")
def restore(file: Path, *, force: bool, as_json: bool) -> None:
    """Put the backup FILE in the place of the database.

    Stop the server first. After the restore it continues from the state of the backup: calls that were made after the
    backup are made again.
    """
    settings = settings_from_environment()
    path = database_file(settings, instead=_INSTEAD)
    made = put_back(file, path, overwrite=force)
    say(f"Restored {path}: {summary(made)}.")
    if settings.secrets_key is None and not key_path(settings).exists():
        say(f"Before the start, put your copy of the key of its secrets at {key_path(settings)}.")
    if as_json:
        print_copy(path, made)
