"""`dialer database`: maintenance of the database and the media folder."""

import time
from typing import Final

import rich_click as click

from dialer.commands.open_service import (
    check_is_there,
    check_media_dir,
    existing_database_file,
    open_database,
    open_existing_database,
    place_of_database,
    service_settings,
    settings_from_environment,
)
from dialer.commands.output import examples, json_option, print_json, say
from dialer.store import database_files
from dialer.store.media.orphan_files import orphans

_INSTEAD: Final = "check a copy with pg_amcheck"


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
def upgrade(*, create: bool, as_json: bool) -> None:
    """Migrate the database to this version, as `dialer serve` does when it starts.

    Stop the server first, and make a backup: a migration cannot be undone.
    """
    settings = settings_from_environment()
    check_is_there(settings, may_create=create)
    with open_database(settings):
        say("The database is up to date.")
    if as_json:
        print_json({"path": place_of_database(settings)})


@database.command()
@json_option("the problems")
@click.pass_context
@examples("dialer database check")
def check(context: click.Context, *, as_json: bool) -> None:
    """Check every page, index and reference of the database; exit with 1 if anything is wrong.

    The command changes nothing. It can run beside a server.
    """
    problems = database_files.check(existing_database_file(settings_from_environment(), instead=_INSTEAD))
    if as_json:
        print_json({"problems": problems})
        context.exit(1 if problems else 0)
    for problem in problems:
        click.echo(problem)
    if problems:
        raise click.ClickException("the database is damaged: restore a backup")
    say("The database is in order.")


@database.command()
@json_option("the names of the deleted files")
@examples("dialer database sweep")
def sweep(*, as_json: bool) -> None:
    """Delete files in the media folder that no record refers to, such as recordings of deleted campaigns.

    Files of the last hour stay, and so do files that the service did not make. The command can run beside a server.
    """
    settings = settings_from_environment()
    with open_existing_database(settings) as opened:
        service = service_settings(settings, opened)
        check_media_dir(settings, service)
        orphan_files = opened.read_now(lambda unit: list(orphans(unit, service.media_dir, time.time())))
    for path in orphan_files:
        path.unlink(missing_ok=True)
    say(f"Deleted {len(orphan_files)} files.")
    if as_json:
        print_json({"media_dir": str(service.media_dir), "deleted": sorted(path.name for path in orphan_files)})
