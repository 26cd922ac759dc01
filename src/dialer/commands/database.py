"""`dialer database`: maintenance of the database and the media folder."""

import time
from pathlib import PurePosixPath
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
from dialer.commands.output import print_json, say
from dialer.domain.formats.media_files import MediaError
from dialer.settings import Settings
from dialer.store.backends import database_files
from dialer.store.database import migrate
from dialer.store.database.database import StorageUnavailableError
from dialer.store.media.folder import FolderMedia
from dialer.store.media.orphan_files import orphans

_INSTEAD: Final = "check a copy with pg_amcheck"


def upgrade(*, create: bool, as_json: bool) -> None:
    """Migrate the database to this version, as `dialer serve` does when it starts."""
    settings = settings_from_environment()
    check_is_there(settings, may_create=create)
    with open_database(settings):
        say("The database is up to date.")
    if as_json:
        print_json({"path": place_of_database(settings)})


def check(context: click.Context, *, as_json: bool) -> None:
    """Check every page, index and reference of the database; exit with 1 if anything is wrong."""
    settings = settings_from_environment()
    problems = database_files.check(existing_database_file(settings, instead=_INSTEAD))
    unfit = "" if problems else _unfit(settings)
    if as_json:
        problems += [unfit] if unfit else []
        print_json({"problems": problems})
        context.exit(1 if problems else 0)
    for problem in problems:
        click.echo(problem)
    if problems:
        raise click.ClickException("the database is damaged: restore a backup")
    if unfit:
        raise click.ClickException(unfit)
    say("The database is in order.")


def _unfit(settings: Settings) -> str:
    """Return why this version of dialer cannot work with a database whose pages are whole; empty if it can."""
    try:
        migrate.check(settings.database_url)
    except migrate.MigrationError as error:
        return str(error)
    return ""


def sweep(*, as_json: bool) -> None:
    """Delete files in the media folder that no record refers to, such as recordings of deleted campaigns."""
    settings = settings_from_environment()
    with open_existing_database(settings) as opened:
        service = service_settings(settings, opened)
        check_media_dir(settings, service)
        media = FolderMedia(service.media_dir)
        try:
            orphan_files = opened.read_now(lambda unit: list(orphans(unit, media, time.time())))
            for name in orphan_files:
                media.delete(name)
        except MediaError as error:
            raise StorageUnavailableError(f"the media folder cannot be swept: {error}") from error
    say(f"Deleted {len(orphan_files)} files.")
    if as_json:
        print_json(
            {"media_dir": str(service.media_dir), "deleted": sorted(PurePosixPath(name).name for name in orphan_files)}
        )
