"""`dialer database`: maintenance of the database and the media folder."""

import time

import rich_click as click

from dialer.commands.opening import (
    check_media_dir,
    existing_database_path,
    open_database,
    open_existing_database,
    service_settings,
    settings_from_environment,
)
from dialer.commands.output import examples, say
from dialer.store import database_files
from dialer.store.media.orphan_files import orphans


@click.group()
@examples(
    "dialer database upgrade",
    "dialer database check",
    "dialer database sweep",
)
def database() -> None:
    """Upgrade, check and clean up the database."""


@database.command()
@examples(
    "dialer database upgrade",
    "DIALER_DATABASE_URL=sqlite+aiosqlite:////var/lib/dialer/dialer.db dialer database upgrade",
)
def upgrade() -> None:
    """Migrate the database to this version, as `dialer serve` does when it starts. Create it if it does not exist."""
    with open_database(settings_from_environment()):
        say("The database is up to date.")


@database.command()
@examples(
    "dialer database check",
)
def check() -> None:
    """Check every page, index and reference of the database; exit with 1 if anything is wrong.

    The command changes nothing. It can run beside a server.
    """
    problems = database_files.check(existing_database_path(settings_from_environment()))
    for problem in problems:
        click.echo(problem)
    if problems:
        raise click.ClickException("the database is damaged: restore a backup")
    say("The database is in order.")


@database.command()
@examples(
    "dialer database sweep",
)
def sweep() -> None:
    """Delete files in the media folder that no record refers to, such as recordings of deleted campaigns.

    Files of the last hour stay, and so do files that the service did not make. The command can run beside a server.
    """
    settings = settings_from_environment()
    with open_existing_database(settings) as opened:
        service = service_settings(settings, opened)
        check_media_dir(settings, service)
        found = opened.read_now(lambda unit: list(orphans(unit, service.media_dir, time.time())))
    for path in found:
        path.unlink(missing_ok=True)
    say(f"Deleted {len(found)} files.")
