"""`dialer restore`: a backup put in the place of the database."""

from pathlib import Path
from typing import Final

from dialer.commands.backup import print_copy, summary
from dialer.commands.key_file import key_path
from dialer.commands.open_service import database_file, settings_from_environment
from dialer.commands.output import say
from dialer.store.backends.database_files import restore as put_back

_INSTEAD: Final = "put a copy into an empty database with pg_restore --exit-on-error --no-owner --dbname=URL FILE"


def restore(file: Path, *, force: bool, as_json: bool) -> None:
    """Put the backup FILE in the place of the database."""
    settings = settings_from_environment()
    path = database_file(settings, instead=_INSTEAD)
    made = put_back(file, path, overwrite=force)
    say(f"Restored {path}: {summary(made)}.")
    if settings.secrets_key is None and not key_path(settings).exists():
        say(f"Before the start, put your copy of the key of its secrets at {key_path(settings)}.")
    if as_json:
        print_copy(path, made)
